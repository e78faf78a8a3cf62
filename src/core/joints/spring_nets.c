/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/spring_nets.h"

#include "core/joints/joint_forces.h"
#include "core/joints/joint_frame.h"
#include "core/joints/net_motion.h"
#include "core/joints/penalties.h"
#include "core/joints/spring_end.h"
#include "core/joints/spring_rows.h"

/* --- the account ------------------------------------------------------------------------------ */

/* From end to end of a spring with bodies at q, on by the time s with the velocities u. */
static dls_vec3 way_between(const dls_joint_stage *S, const dls_spring *spring, const double *q,
                            const double *u, double s) {
  const dls_body *bodies = S->w->bodies;
  const dls_vec3 r_a =
      dls_turned(S->dim, &bodies[spring->a], DLS_Q(S, q, spring->a), spring->anchor_a);
  const dls_vec3 r_b =
      dls_turned(S->dim, &bodies[spring->b], DLS_Q(S, q, spring->b), spring->anchor_b);
  const dls_vec3 a = dls_v3_add(dls_point_of(S->dim, DLS_Q(S, q, spring->a)), r_a);
  const dls_vec3 b = dls_v3_add(dls_point_of(S->dim, DLS_Q(S, q, spring->b)), r_b);
  const dls_vec3 r = dls_v3_sub(b, a);
  if (s == 0) return r;
  const dls_vec3 v_a = dls_velocity_at(S->dim, DLS_U(S, u, spring->a), r_a);
  return dls_v3_add(
      r, dls_v3_scale(s, dls_v3_sub(dls_velocity_at(S->dim, DLS_U(S, u, spring->b), r_b), v_a)));
}

/* The way of a spring in the step: where positions go by theta, shifted so that they go by the mean
** velocity. */
typedef struct spring_way {
  dls_vec3 before, after, middle; /* middle: at q_c */
  double l, l_n;                  /* m: length at q_c, and at the end */
} spring_way;

static spring_way way_of(const dls_joint_stage *S, const dls_spring *spring) {
  const double late = -(S->theta - 0.5) * S->h;
  spring_way of = {.middle = way_between(S, spring, S->q_c, S->u_c, 0)};
  of.before = way_between(S, spring, S->w->q, S->u_c, late);
  of.after = way_between(S, spring, S->q_n, S->rows->u, late);
  of.l = dls_v3_norm(of.before), of.l_n = dls_v3_norm(of.after);
  return of;
}

/* L* - L that makes the row the discrete gradient along this way: see spring_line.h. */
static double shift_along(const dls_joint_stage *S, const dls_spring_row *row, double rest,
                          const spring_way *of) {
  const double mean = 0.5 * (of->l + of->l_n), length = dls_v3_norm(of->middle);
  if (!(mean > 0 && length > 0 && rest > 0)) return 0;
  const dls_vec3 n = dls_v3_scale(1 / length, of->middle), d = dls_v3_sub(of->after, of->before);
  const double along = dls_v3_dot(d, n), across = dls_v3_dot(d, d) - along * along,
               way = S->h * row->mean;
  const double quotient = 0.5 * dls_v3_dot(n, dls_v3_add(of->before, of->after)) / mean;
  const double both = way * way + dls_max(across, 0), lack = of->l_n - of->l - quotient * way;
  const double s = quotient + (both > 0 ? lack * way / both : 0);
  const double g = length + 0.5 * S->h * (row->mean - row->v0);
  return dls_clamp(g - rest - (mean - rest) * s, -2 * rest, 2 * rest);
}

static dls_net *net_of(const dls_joint_stage *S, const dls_spring_nets *N,
                       const dls_spring *spring) {
  return &N->at[N->of[dls_moves_freely(&S->w->bodies[spring->a]) ? spring->a : spring->b]];
}

static dls_vec3 end_at(const dls_joint_stage *S, int body, const double *anchor, const double *q) {
  q = DLS_Q(S, q, body);
  return dls_v3_add(dls_point_of(S->dim, q), dls_turned(S->dim, &S->w->bodies[body], q, anchor));
}

/* The mean rate as the row has it, ends that are given by the way that they went: whoever moves
** them works so. */
static double rate_of(const dls_joint_stage *S, const dls_spring_row *row, const spring_way *way) {
  const dls_spring *spring = &S->w->springs[-1 - row->joint];
  const double *J = S->rows->J + (size_t)row->row * 2 * S->nu, length = dls_v3_norm(way->middle);
  double rate = row->mean;
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? spring->a : spring->b;
    if (dls_moves_freely(&S->w->bodies[body]) || S->w->bodies[body].type == DLS_STATIC) continue;
    const double *anchor = e == 0 ? spring->anchor_a : spring->anchor_b, *at = J + e * S->nu;
    const dls_vec3 gone =
        dls_v3_sub(end_at(S, body, anchor, S->q_n), end_at(S, body, anchor, S->w->q));
    const double went = dls_v3_dot(gone, way->middle) / (length * S->h);
    rate += (e == 0 ? -went : went) - 0.5 * (dls_dot_u(S->nu, at, DLS_U(S, S->u_c, body)) +
                                             dls_dot_u(S->nu, at, DLS_U(S, S->rows->u, body)));
  }
  return rate;
}

static dls_net *net_of_row(const dls_joint_stage *S, const dls_spring_nets *N,
                           const dls_spring_row *row) {
  return &N->at[N->of[dls_moves_freely(&S->w->bodies[row->a]) ? row->a : row->b]];
}

/* A chain's coordinate of the row with bodies at q, turns as the state will count them
** (dls_joints_foresee_turns). */
static double coordinate_at(const dls_joint_stage *S, const dls_spring_row *row, const double *q) {
  const dls_joint *joint = &S->w->joints[row->joint];
  const double to = row->middle + S->h * row->mean;
  if (joint->formulation == DLS_PENALTY) {
    dls_along at;
    dls_penalty_look_along(S->w, row->joint, q, NULL, &at);
    return dls_spring_turned(joint, row->k, at.x[row->k], to);
  }
  const dls_joint_frame f = dls_joint_frame_at(S->w, row->joint, q);
  return dls_spring_turned(joint, row->k, f.q[row->k], to);
}

/* The square of a joint's deflection along its coordinate k with bodies at q; a ball's is that of
** its angle, and k = 0's. */
static double deflected(const dls_joint_stage *S, const dls_spring_row *row, const double *q) {
  if (S->w->joints[row->joint].kind != DLS_KIND_SPHERICAL) {
    const double x = coordinate_at(S, row, q);
    return x * x;
  }
  const dls_joint_frame f = dls_joint_frame_at(S->w, row->joint, q);
  const dls_vec3 x = dls_ball_rotation(f.q);
  return row->k == 0 ? dls_v3_dot(x, x) : 0;
}

/* What a joint's coordinate goes beyond h m: a step that counts it in its deflection closes it. */
static double beyond_way(const dls_joint_stage *S, const dls_spring_row *row) {
  double now;
  if (S->w->joints[row->joint].kind == DLS_KIND_SPHERICAL) {
    double x[3];
    const dls_joint_frame f = dls_joint_frame_at(S->w, row->joint, S->q_n);
    dls_v3_store(x, dls_ball_rotation(f.q));
    now = x[row->k];
  } else {
    now = coordinate_at(S, row, S->q_n);
  }
  return now - (row->middle + S->h * row->mean);
}

/* What rounding of places is of a coordinate's: of turns 1 rad, of slides the lengths that they are
** told from. */
static double place_of(const dls_joint_stage *S, const dls_joint *joint, int k) {
  if (!dls_joint_is_chain(joint) || dls_joint_motion_of(joint, k)->kind != DLS_MOTION_SLIDE)
    return 1;
  return dls_v3_norm(dls_point_of(S->dim, DLS_Q(S, S->q_n, joint->a))) +
         dls_v3_norm(dls_point_of(S->dim, DLS_Q(S, S->q_n, joint->b)));
}

/* The same of springs of rigid and penalty joints, where there is one that the step does not
** resolve: prescribed motions stand at the end of the step. */
static void find_gains_of_joints(const dls_joint_stage *S, const dls_spring_nets *N) {
  static const double NOISE = 1e-13, PLACES = 1e-15;
  for (int k = 0; k < S->n_spring_rows; k++) {
    const dls_spring_row *row = &S->spring_row[k];
    dls_net *of = net_of_row(S, N, row);
    if (row->joint < 0 || !of->stiff || of->carried || S->theta != 0.5) continue;
    const dls_joint *joint = &S->w->joints[row->joint];
    const double *stretch = S->stretch + 6 * (size_t)row->joint;
    const bool ball = joint->kind == DLS_KIND_SPHERICAL;
    const double before = ball ? deflected(S, row, S->w->q) : stretch[row->k] * stretch[row->k];
    const double after = deflected(S, row, S->q_n), work = S->rows->p[row->row] * row->mean;
    of->gain += 0.5 * joint->stiffness * (after - before) + work;
    of->noise += NOISE * (joint->stiffness * after + fabs(work));
    of->noise +=
        PLACES * place_of(S, joint, row->k) * joint->stiffness * (sqrt(before) + sqrt(after));
  }
}

/* The square of the deflection of a tree's joint at its coordinates q. */
static double deflected_in_tree(const dls_joint_stage *S, const dls_joint *joint,
                                const dls_link_info *info, const double *q) {
  if (S->dim == 3 && joint->kind == DLS_KIND_SPHERICAL) {
    const dls_vec3 x = dls_ball_rotation(q);
    return dls_v3_dot(x, x);
  }
  double sum = 0;
  for (int k = 0; k < info->nu; k++) sum += q[k] * q[k];
  return sum;
}

double dls_springs_stored(const dls_joint_stage *S) {
  const dls_world *w = S->w;
  const dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  double sum = 0;
  for (int i = 0; i < w->n_springs; i++) {
    const dls_spring *spring = &w->springs[i];
    if (!spring->alive || !(spring->stiffness > 0)) continue;
    const double x = dls_v3_norm(way_between(S, spring, S->q_n, NULL, 0)) - spring->length;
    sum += 0.5 * spring->stiffness * (x * x);
  }
  for (int k = 0; k < S->n_spring_rows; k++) {
    const dls_spring_row *row = &S->spring_row[k];
    if (row->joint < 0 || w->joints[row->joint].formulation == DLS_PENALTY) continue;
    sum += 0.5 * w->joints[row->joint].stiffness * deflected(S, row, S->q_n);
  }
  for (int i = 0; t && i < t->n_links; i++) {
    const dls_link_info *info = &t->forest->links[i];
    const dls_joint *joint = t->link_joint[i] < 0 ? NULL : &w->joints[t->link_joint[i]];
    if (joint && joint->stiffness > 0 && dls_joint_is_sprung(w, joint))
      sum += 0.5 * joint->stiffness * deflected_in_tree(S, joint, info, t->state->q + info->iq);
  }
  return sum;
}

/* The same of springs inside trees. */
static void find_gains_of_trees(const dls_joint_stage *S, const dls_spring_nets *N) {
  static const double NOISE = 1e-13, PLACES = 1e-15;
  const dls_world *w = S->w;
  const dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  for (int i = 0; t && i < t->n_links; i++) {
    const dls_link_info *info = &t->forest->links[i];
    const int index = t->link_joint[i], body = t->link_body[i];
    if (index < 0 || !dls_joint_is_sprung(w, &w->joints[index]) || !dls_is_in_net(S, N, body))
      continue;
    dls_net *of = &N->at[N->of[body]];
    if (!of->stiff || of->carried || S->theta != 0.5) continue;
    const double before = deflected_in_tree(S, &w->joints[index], info, w->joint_state[index].q),
                 after = deflected_in_tree(S, &w->joints[index], info, t->state->q + info->iq);
    double work = 0, place = 0;
    for (int k = 0; k < info->nu; k++) {
      const double mean = t->mean[info->iu + k];
      work += mean * dls_spring_law_impulse(&t->law[info->iu + k], S->h, mean);
      place = dls_max(place, place_of(S, &w->joints[index], k));
    }
    const double stiffness = w->joints[index].stiffness;
    of->gain += 0.5 * stiffness * (after - before) + work;
    of->noise += NOISE * (stiffness * after + fabs(work)) +
                 PLACES * place * stiffness * (sqrt(before) + sqrt(after));
  }
}

/* G of all nets, and what may be of it. */
static void find_gains(const dls_joint_stage *S, const dls_spring_nets *N) {
  static const double RESOLVED = 0.1 * 0.1 / 8, NOISE = 1e-13, PLACES = 4e-16;
  for (int k = 0; k < S->n_spring_rows; k++) {
    const dls_spring_row *row = &S->spring_row[k];
    if (row->joint >= 0) continue;
    const dls_spring *spring = &S->w->springs[-1 - row->joint];
    const spring_way way = way_of(S, spring);
    const double x = way.l - spring->length, x_n = way.l_n - spring->length;
    const double p = S->rows->p[row->row], rate = rate_of(S, row, &way), work = p * rate;
    double size = way.l + way.l_n;
    for (int e = 0; e < 2; e++) {
      const dls_vec3 r = dls_point_of(S->dim, DLS_Q(S, S->q_n, e == 0 ? spring->a : spring->b));
      size += dls_v3_norm(r);
    }
    dls_net *of = net_of(S, N, spring);
    of->stiff |= row->law.apart > 0;
    of->gain += 0.5 * spring->stiffness * (x_n - x) * (x_n + x) + work;
    of->noise += NOISE * (spring->stiffness * x_n * x_n + fabs(work));
    /* what the way of who is given leaves open */
    const double open = S->h * fabs(rate - row->mean);
    of->noise +=
        4 * fabs(p * (rate - row->mean)) + spring->stiffness * open * (fabs(x) + fabs(x_n) + open);
    of->noise += PLACES * size * spring->stiffness * (fabs(x) + fabs(x_n));
    if (!(row->law.apart > 0) && !(S->spring_try[-1 - row->joint].tries > 0))
      of->allowed += RESOLVED * spring->stiffness * spring->length *
                     dls_v3_norm(dls_v3_sub(way.after, way.before));
  }
}

/* What contacts gave that unresolved springs draw to each other as they part: p (v before + v
** after)/2 > 0, which no law of theirs has. */
static void find_thrown(const dls_joint_stage *S, const dls_spring_nets *N) {
  const dls_rows *rows = S->rows;
  const dls_body *bodies = S->w->bodies;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    const int i = block->row, body = dls_moves_freely(&bodies[block->a]) ? block->a : block->b;
    if (block->source < 0 || !(rows->p[i] > 0) || !dls_moves_freely(&bodies[body])) continue;
    dls_net *of = &N->at[N->of[body]];
    if (!of->stiff || of->carried || bodies[block->a].type == DLS_KINEMATIC ||
        bodies[block->b].type == DLS_KINEMATIC)
      continue;
    const double *J = rows->J + (size_t)i * 2 * S->nu;
    const double sum = dls_velocity_between(S, J, S->u_c, block->a, block->b) +
                       dls_velocity_between(S, J, rows->u, block->a, block->b);
    of->gain += dls_max(0, 0.5 * rows->p[i] * sum);
  }
}

/* Kinetic energy beside u_r. */
static void find_moving(const dls_joint_stage *S, const dls_spring_nets *N) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    double u[DLS_NU(3)];
    if (!dls_is_in_net(S, N, i)) continue;
    dls_net *of = &N->at[N->of[i]];
    if (i == N->of[i]) of->moves = 0;
    dls_net_velocity(S, of, S->q_n, i, u);
    for (int k = 0; k < S->nu; k++) u[k] = DLS_U(S, S->u_n, i)[k] - u[k];
    of->moves += dls_kinetic(S->dim, &w->bodies[i], DLS_Q(S, S->q_n, i), u);
  }
}

/* --- what follows from it --------------------------------------------------------------------- */

/* of what moves: a midpoint's energy swings by this, and is not taken */
static const double SWING = 1e-4;
static const double MOST = 1 - 0x1p-20; /* of what moves that can be taken */
static const double EXACT = 1e-6;       /* of what moves: less is paid at once */
enum { CLOSER = 2, SLOWER = 6, TRIES = CLOSER + 1 + SLOWER }; /* attempts */

/* The share a of what moves beside u_r that a net keeps as it pays. */
static double kept_of(const dls_net *of) {
  if (!(of->gain > of->allowed + of->noise && of->moves > 0)) return 1;
  return sqrt(1 - dls_min(of->gain / of->moves, MOST));
}

/* u_n = u_r + a (u - u_r) where a net has gained, those with trees in them or the others. */
static void pay(dls_joint_stage *S, const dls_spring_nets *N, bool treed) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!dls_is_in_net(S, N, i)) continue;
    const dls_net *of = &N->at[N->of[i]];
    const double a = kept_of(of);
    if (of->treed != treed || a == 1) continue;
    double rigid[DLS_NU(3)], *u = DLS_U(S, S->u_n, i);
    const double *q = DLS_Q(S, S->q_n, i), before = dls_kinetic(S->dim, &w->bodies[i], q, u);
    dls_net_velocity(S, of, S->q_n, i, rigid);
    for (int k = 0; k < S->nu; k++) u[k] -= rigid[k];
    const double beside = dls_kinetic(S->dim, &w->bodies[i], q, u), taken = (1 - a * a) * beside;
    for (int k = 0; k < S->nu; k++) u[k] = rigid[k] + a * u[k];
    const double took = before - dls_kinetic(S->dim, &w->bodies[i], q, u);
    const bool carried = of->given >= 0 && w->bodies[of->given].type != DLS_STATIC;
    S->sprung.scheme += carried ? taken : took;
    S->closed_kinematic += carried ? taken - took : 0; /* whoever moves it gives the rest */
  }
}

/* (2) gives at most the sum of h e m^2/4, whatever J is at q'. A net with trees in it, which has
** paid before, is drawn by as much of e as what it has lost makes up for: all of it where
** deflections grew by h m, (1) having taken twice that, and none where they went another way (a
** light link that turns about its hinge while m closes the spring). */
static double drawn_of(const dls_net *of) {
  const double left = of->allowed + of->noise + EXACT * of->moves - of->gain;
  if (!of->treed || !of->sprung) return 1;
  return left < 0 ? 0 : of->drawn > left ? left / of->drawn : 1;
}

static void draw_less(dls_joint_stage *S, const dls_spring_nets *N) {
  const dls_world *w = S->w;
  dls_trees *t = dls_trees_used(w) && S->tree_late ? w->trees : NULL;
  const bool joints = S->theta == 0.5; /* are in G */
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < S->n_spring_rows; k++) {
      dls_spring_row *row = &S->spring_row[k];
      dls_net *of = net_of_row(S, N, row);
      if (pass == 0 && (row->joint < 0 || (of->stiff && joints))) {
        of->drawn += 0.25 * S->h * row->law.late * row->mean * row->mean;
      } else if (pass == 1 && row->law.late > 0) {
        row->law.late *= drawn_of(of);
        S->n_late -= row->law.late == 0;
      }
    }
    for (int k = 0; t && k < t->n_links; k++) {
      const int body = t->link_body[k];
      if (!dls_held_by_tree(S, body) || !dls_is_in_net(S, N, body)) continue;
      dls_net *of = &N->at[N->of[body]];
      const dls_link_info *info = &t->forest->links[k];
      for (int i = info->iu; i < info->iu + info->nu; i++) {
        if (pass == 1) t->late[i] *= drawn_of(of);
        else if (of->stiff && joints) of->drawn += 0.25 * t->late[i] * t->mean[i] * t->mean[i];
      }
    }
  }
}

/* What a net that has gained goes on with; false: it stands as it is. */
static bool try_again(const dls_joint_stage *S, const dls_net *of, const dls_spring_row *row) {
  static const double FACTOR = 64;
  dls_spring_try *next = dls_spring_try_of(S, row);
  /* so strong a damper that rows do not resolve it */
  const bool lost = of->tries > CLOSER && S->w->stats.unconverged > 0;
  const bool payable = of->gain <= MOST * of->moves + of->noise && !lost;
  if (of->carried || (!lost && !(of->gain > of->allowed + of->noise))) return false;
  if (of->tries == 0) next->first = payable ? of->gain : DLS_INF;
  if (of->tries < CLOSER) {
    const double theirs = of->gain - of->projected; /* of springs */
    if (payable && theirs <= dls_max(of->allowed + of->noise, EXACT * of->moves)) return false;
    if (row->joint < 0) {
      const dls_spring *spring = &S->w->springs[-1 - row->joint];
      const spring_way way = way_of(S, spring);
      next->shift = shift_along(S, row, spring->length, &way);
    } else {
      next->shift = -row->law.apart * beyond_way(S, row);
    }
    next->known = true;
    next->tries = of->tries + 1;
    return true;
  }
  if (payable && (of->tries > CLOSER || of->gain <= next->first)) return false;
  if (of->tries > TRIES) return false;
  next->known = false;
  next->tries = of->tries + 1;
  if (of->tries == CLOSER && next->first < DLS_INF) return true; /* as it was at first */
  next->slow = next->slow > 0 ? FACTOR * next->slow : FACTOR;
  next->carried = of->tries == TRIES;
  return of->tries < TRIES || next->carried;
}

/* The kinetic energy of nets, times sign, is added to *of->kinetic. */
static void add_kinetic(const dls_joint_stage *S, const dls_spring_nets *N, double sign) {
  for (int i = 0; i < S->w->n_bodies; i++) {
    if (!dls_is_in_net(S, N, i)) continue;
    N->at[N->of[i]].kinetic +=
        sign * dls_kinetic(S->dim, &S->w->bodies[i], DLS_Q(S, S->q_n, i), DLS_U(S, S->u_n, i));
  }
}

/* What projections have given nets since is G's, of resolved ones what is more than a share of what
** moves. */
static void take_kinetic(const dls_joint_stage *S, const dls_spring_nets *N, double share) {
  for (int i = 0; i < S->w->n_bodies; i++) {
    dls_net *of = &N->at[i];
    if (of->kinetic > (of->stiff ? of->noise : share * of->moves))
      of->gain += of->kinetic, of->projected += of->kinetic;
    of->kinetic = 0;
  }
}

dls_status dls_spring_nets_find(dls_joint_stage *S) {
  dls_world *w = S->w;
  bool any = false;
  for (int k = 0; k < S->n_spring_rows && !any; k++)
    any = S->spring_row[k].joint < 0 || S->spring_row[k].law.apart > 0;
  if (!any) return DLS_OK;
  w->need_arena = dls_bytes_add(w->arena.size, dls_spring_nets_bytes(w));
  dls_spring_nets *N = S->nets = DLS_TAKE(&w->arena, dls_spring_nets, 1);
  if (!N) return DLS_FULL;
  const dls_status status = dls_nets_find(S, N);
  if (status == DLS_OK) add_kinetic(S, N, -1);
  return status;
}

void dls_spring_nets_judge(dls_joint_stage *S) {
  const dls_world *w = S->w;
  dls_spring_nets *N = S->nets;
  if (!N) return;
  add_kinetic(S, N, 1);
  find_gains(S, N);
  /* a joint's by itself is none where who drives it moves its coordinate */
  for (int k = 0; k < S->n_spring_rows; k++)
    if (S->spring_row[k].joint >= 0 && S->spring_row[k].law.apart > 0)
      net_of_row(S, N, &S->spring_row[k])->stiff = true;
  find_gains_of_joints(S, N);
  find_gains_of_trees(S, N);
  find_thrown(S, N);
  dls_nets_find_motions(S, N, S->q_n, S->u_n);
  find_moving(S, N);
  take_kinetic(S, N, SWING);
  for (int i = 0; i < w->n_bodies; i++)
    N->at[i].allowed = dls_min(N->at[i].allowed, SWING * N->at[i].moves);
  const bool bounded = w->work.bounded && !(w->work.left > 0);
  for (int k = 0; k < S->n_spring_rows && !bounded; k++) {
    const dls_spring_row *row = &S->spring_row[k];
    if (net_of_row(S, N, row)->sprung && try_again(S, net_of_row(S, N, row), row)) S->again = true;
  }
  for (int i = 0; i < w->n_bodies && !S->again; i++) {
    const dls_net *of = &N->at[i];
    if (!of->sprung || !(of->gain > of->allowed + of->noise)) continue;
    S->net_gain +=
        dls_max(0, dls_min(of->gain - of->projected, of->gain - MOST * of->moves - of->noise));
  }
  if (!S->again) pay(S, N, true);
  if (!S->again) draw_less(S, N);
  if (!S->again) add_kinetic(S, N, -1);
}

/* Joints that shut velocities work on what springs draw beside them: what that has given is G's,
** too. */
void dls_spring_nets_pay(dls_joint_stage *S) {
  dls_spring_nets *N = S->nets;
  if (!N) return;
  for (int k = 0; k < S->n_spring_rows; k++) {
    const dls_spring_row *row = &S->spring_row[k];
    net_of_row(S, N, row)->gain += row->late_work;
    net_of_row(S, N, row)->kinetic -= row->late_work;
  }
  add_kinetic(S, N, 1);
  dls_nets_find_motions(S, N, S->q_n, S->u_n);
  find_moving(S, N);
  take_kinetic(S, N, DLS_INF);
  pay(S, N, false);
}
