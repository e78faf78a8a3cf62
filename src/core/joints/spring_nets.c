/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/spring_nets.h"

#include "core/joints/spring_line.h"
#include "core/joints/spring_rows.h"

/* A net, by its first body. */
typedef struct net {
  double mass;
  double gain, allowed, noise; /* G; what resolved lines may have; round-off, J      */
  double moves;                /* kinetic energy beside u_r, J                       */
  dls_vec3 centre, v, turn;    /* u_r is v + turn x (r - centre)                     */
  dls_vec3 moment;             /* angular momentum about the centre                  */
  double inertia[3][3];        /* about it                                           */
  int given;                   /* a body that does not move freely and holds it; -1  */
  int tries;
  bool treed;                  /* trees are in it: it pays before velocities are admitted */
  bool sprung;                 /* springs between two points are                     */
  bool stiff;                  /* some of which the step does not resolve            */
  bool carried;
} net;

struct dls_spring_nets {
  int *of; /* n_bodies: the first body of a body's net */
  net *at; /* by that                                  */
};
typedef dls_spring_nets nets;

size_t dls_spring_nets_bytes(const dls_world *w) {
  if (w->n_springs == 0) return 0;
  const size_t n = (size_t)w->n_bodies;
  return dls_bytes_add(dls_bytes_add(dls_arena_bytes(n, sizeof(net)), dls_arena_bytes(n, sizeof(int)) + dls_arena_bytes(1, sizeof(nets))),
                       dls_arena_bytes((size_t)w->n_springs, sizeof(dls_spring_try)));
}

/* --- who is in a net ------------------------------------------------------------------------------ */

static int first_of(int *of, int i) {
  while (of[i] != i) i = of[i] = of[of[i]];
  return i;
}

static void join(const dls_world *w, nets *N, int a, int b) {
  const bool free_a = dls_moves_freely(&w->bodies[a]), free_b = dls_moves_freely(&w->bodies[b]);
  if (!free_a && !free_b) return;
  if (free_a && free_b) {
    const int first_a = first_of(N->of, a), first_b = first_of(N->of, b);
    const int low = first_a < first_b ? first_a : first_b, high = first_a < first_b ? first_b : first_a;
    N->of[high] = low;
    if (N->at[low].given < 0) N->at[low].given = N->at[high].given;
    return;
  }
  net *of = &N->at[first_of(N->of, free_a ? a : b)];
  if (of->given < 0) of->given = free_a ? b : a;
}

static dls_status find_nets(dls_joint_stage *S, nets *N) {
  dls_world *w = S->w;
  const dls_rows *rows = S->rows;
  N->of = DLS_TAKE(&w->arena, int, w->n_bodies);
  N->at = DLS_TAKE(&w->arena, net, w->n_bodies);
  w->need_arena = dls_bytes_add(w->arena.size, dls_spring_nets_bytes(w));
  if (!N->of || !N->at) return DLS_FULL;
  for (int i = 0; i < w->n_bodies; i++) N->of[i] = i, N->at[i] = (net){.given = -1};
  for (int i = 0; i < w->n_springs; i++)
    if (w->springs[i].alive) join(w, N, w->springs[i].a, w->springs[i].b);
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive) join(w, N, w->joints[i].a, w->joints[i].b);
  for (int k = 0; k < rows->n_blocks; k++)
    if (rows->block[k].source >= 0 && rows->p[rows->block[k].row] != 0) join(w, N, rows->block[k].a, rows->block[k].b);
  for (int i = 0; i < w->n_bodies; i++) N->of[i] = first_of(N->of, i);
  for (int i = 0; i < w->n_bodies; i++) N->at[N->of[i]].treed |= dls_held_by_tree(S, i);
  for (int i = 0; i < w->n_springs; i++) {
    const dls_spring *s = &w->springs[i];
    if (!s->alive) continue;
    net *of = &N->at[N->of[dls_moves_freely(&w->bodies[s->a]) ? s->a : s->b]];
    of->sprung = true;
    of->carried |= S->spring_try[i].carried;
    of->tries = of->tries > S->spring_try[i].tries ? of->tries : S->spring_try[i].tries;
  }
  return DLS_OK;
}

/* --- its motion as one rigid body ------------------------------------------------------------------- */

static dls_vec3 solve_3(const double A[3][3], dls_vec3 b, bool *regular) {
  static const double LEAST = 1e-12; /* of the largest moment of inertia */
  const dls_vec3 x = dls_v3_load(A[0]), y = dls_v3_load(A[1]), z = dls_v3_load(A[2]);
  const double det = dls_v3_dot(x, dls_v3_cross(y, z)), most = dls_max(A[0][0], dls_max(A[1][1], A[2][2]));
  *regular = det > LEAST * most * most * most;
  if (!*regular) return dls_v3(0, 0, 0);
  const dls_vec3 d = dls_v3_scale(1 / det, b);
  return dls_v3(dls_v3_dot(d, dls_v3_cross(y, z)), dls_v3_dot(d, dls_v3_cross(z, x)), dls_v3_dot(d, dls_v3_cross(x, y)));
}

/* The turn with the net's angular momentum; none where it has no inertia about some axis (one body, a row of points). */
static dls_vec3 turn_of(int dim, const net *of) {
  bool regular;
  if (dim == 2) return dls_v3(0, 0, of->inertia[2][2] > 0 ? of->moment.z / of->inertia[2][2] : 0);
  return solve_3(of->inertia, of->moment, &regular);
}

static dls_vec3 arm_of(const dls_joint_stage *S, const net *of, const double *q, int i) {
  return dls_v3_sub(dls_point_of(S->dim, DLS_Q(S, q, i)), of->centre);
}

/* u_r of body i. */
static void rigid_velocity(const dls_joint_stage *S, const net *of, const double *q, int i, double *u) {
  const dls_vec3 v = dls_v3_add(of->v, dls_v3_cross(of->turn, arm_of(S, of, q, i)));
  u[0] = v.x, u[1] = v.y, u[2] = S->dim == 2 ? of->turn.z : v.z;
  if (S->dim == 3) dls_v3_store(u + 3, of->turn);
}

static bool is_of_nets(const dls_joint_stage *S, const nets *N, int i) {
  return dls_moves_freely(&S->w->bodies[i]) && N->at[N->of[i]].sprung;
}

/* Inertia about the centre, with bodies at q. */
static void weigh(const dls_joint_stage *S, const nets *N, const double *q) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) memset(N->at[i].inertia, 0, sizeof N->at[i].inertia);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!is_of_nets(S, N, i)) continue;
    net *of = &N->at[N->of[i]];
    const dls_vec3 r = arm_of(S, of, q, i);
    for (int k = S->dim == 2 ? 2 : 0; k < 3; k++) {
      const dls_vec3 axis = dls_v3(k == 0, k == 1, k == 2), v = dls_v3_cross(axis, r);
      double u[DLS_NU(3)] = {v.x, v.y, S->dim == 2 ? 1 : v.z, axis.x, axis.y, axis.z}, p[DLS_NU(3)] = {0};
      dls_momentum(S->dim, &w->bodies[i], DLS_Q(S, q, i), u, p);
      const dls_vec3 L = dls_v3_add(dls_v3_cross(r, dls_point_of(S->dim, p)), dls_turn_of(S->dim, p));
      of->inertia[k][0] += L.x, of->inertia[k][1] += L.y, of->inertia[k][2] += L.z;
    }
  }
}

/* u_r of all nets, at q with u: that of their momenta, or of who holds them. */
static void find_motions(const dls_joint_stage *S, const nets *N, const double *q, const double *u) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    net *of = &N->at[i];
    of->mass = 0, of->centre = of->v = of->turn = of->moment = dls_v3(0, 0, 0);
  }
  for (int i = 0; i < w->n_bodies; i++) {
    if (!is_of_nets(S, N, i)) continue;
    net *of = &N->at[N->of[i]];
    const double mass = w->bodies[i].mass;
    of->mass += mass;
    of->centre = dls_v3_add(of->centre, dls_v3_scale(mass, dls_point_of(S->dim, DLS_Q(S, q, i))));
    of->v = dls_v3_add(of->v, dls_v3_scale(mass, dls_point_of(S->dim, DLS_U(S, u, i))));
  }
  for (int i = 0; i < w->n_bodies; i++) {
    net *of = &N->at[i];
    if (!(of->mass > 0)) continue;
    of->centre = dls_v3_scale(1 / of->mass, of->centre), of->v = dls_v3_scale(1 / of->mass, of->v);
  }
  weigh(S, N, q);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!is_of_nets(S, N, i)) continue;
    net *of = &N->at[N->of[i]];
    double p[DLS_NU(3)] = {0};
    dls_momentum(S->dim, &w->bodies[i], DLS_Q(S, q, i), DLS_U(S, u, i), p);
    const dls_vec3 beside = dls_v3_sub(dls_point_of(S->dim, p), dls_v3_scale(w->bodies[i].mass, of->v));
    const dls_vec3 L = dls_v3_add(dls_v3_cross(arm_of(S, of, q, i), beside), dls_turn_of(S->dim, p));
    of->moment = dls_v3_add(of->moment, L);
  }
  for (int i = 0; i < w->n_bodies; i++) {
    net *of = &N->at[i];
    if (!(of->mass > 0)) continue;
    if (of->given < 0) {
      of->turn = turn_of(S->dim, of);
      continue;
    }
    const double *by = DLS_U(S, u, of->given);
    of->v = dls_velocity_at(S->dim, by, dls_v3_sub(of->centre, dls_point_of(S->dim, DLS_Q(S, q, of->given))));
    of->turn = dls_turn_of(S->dim, by);
  }
}

/* --- the account ------------------------------------------------------------------------------------ */

/* From end to end of a spring with bodies at q, on by the time s with the velocities u. */
static dls_vec3 way_between(const dls_joint_stage *S, const dls_spring *spring, const double *q, const double *u, double s) {
  const dls_body *bodies = S->w->bodies;
  const dls_vec3 r_a = dls_turned(S->dim, &bodies[spring->a], DLS_Q(S, q, spring->a), spring->anchor_a);
  const dls_vec3 r_b = dls_turned(S->dim, &bodies[spring->b], DLS_Q(S, q, spring->b), spring->anchor_b);
  const dls_vec3 a = dls_v3_add(dls_point_of(S->dim, DLS_Q(S, q, spring->a)), r_a);
  const dls_vec3 b = dls_v3_add(dls_point_of(S->dim, DLS_Q(S, q, spring->b)), r_b);
  const dls_vec3 r = dls_v3_sub(b, a);
  if (s == 0) return r;
  const dls_vec3 v_a = dls_velocity_at(S->dim, DLS_U(S, u, spring->a), r_a);
  return dls_v3_add(r, dls_v3_scale(s, dls_v3_sub(dls_velocity_at(S->dim, DLS_U(S, u, spring->b), r_b), v_a)));
}

/* The way of a spring in the step: where positions go by theta, shifted so that they go by the mean velocity. */
typedef struct spring_way {
  dls_vec3 before, after, middle; /* middle: at q_c */
  double l, l_n;
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
static double shift_along(const dls_joint_stage *S, const dls_spring_row *row, double rest, const spring_way *of) {
  const double mean = 0.5 * (of->l + of->l_n), length = dls_v3_norm(of->middle);
  if (!(mean > 0 && length > 0 && rest > 0)) return 0;
  const dls_vec3 n = dls_v3_scale(1 / length, of->middle), d = dls_v3_sub(of->after, of->before);
  const double along = dls_v3_dot(d, n), across = dls_v3_dot(d, d) - along * along, way = S->h * row->mean;
  const double quotient = 0.5 * dls_v3_dot(n, dls_v3_add(of->before, of->after)) / mean;
  const double both = way * way + dls_max(across, 0), lack = of->l_n - of->l - quotient * way;
  const double s = quotient + (both > 0 ? lack * way / both : 0);
  const double g = length + 0.5 * S->h * (row->mean - row->v0);
  return dls_clamp(g - rest - (mean - rest) * s, -2 * rest, 2 * rest);
}

static net *net_of(const dls_joint_stage *S, const nets *N, const dls_spring *spring) {
  return &N->at[N->of[dls_moves_freely(&S->w->bodies[spring->a]) ? spring->a : spring->b]];
}

static dls_vec3 end_at(const dls_joint_stage *S, int body, const double *anchor, const double *q) {
  q = DLS_Q(S, q, body);
  return dls_v3_add(dls_point_of(S->dim, q), dls_turned(S->dim, &S->w->bodies[body], q, anchor));
}

/* The mean rate as the row has it, ends that are given by the way that they went: whoever moves them works so. */
static double rate_of(const dls_joint_stage *S, const dls_spring_row *row, const spring_way *way) {
  const dls_spring *spring = &S->w->springs[-1 - row->joint];
  const double *J = S->rows->J + (size_t)row->row * 2 * S->nu, length = dls_v3_norm(way->middle);
  double rate = row->mean;
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? spring->a : spring->b;
    if (dls_moves_freely(&S->w->bodies[body]) || S->w->bodies[body].type == DLS_STATIC) continue;
    const double *anchor = e == 0 ? spring->anchor_a : spring->anchor_b, *at = J + e * S->nu;
    const dls_vec3 gone = dls_v3_sub(end_at(S, body, anchor, S->q_n), end_at(S, body, anchor, S->w->q));
    const double went = dls_v3_dot(gone, way->middle) / (length * S->h);
    rate += (e == 0 ? -went : went) -
            0.5 * (dls_dot_u(S->nu, at, DLS_U(S, S->u_c, body)) + dls_dot_u(S->nu, at, DLS_U(S, S->rows->u, body)));
  }
  return rate;
}

/* G of all nets, and what may be of it. */
static void find_gains(const dls_joint_stage *S, const nets *N) {
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
    net *of = net_of(S, N, spring);
    of->stiff |= row->law.apart > 0;
    of->gain += 0.5 * spring->stiffness * (x_n - x) * (x_n + x) + work;
    of->noise += NOISE * (spring->stiffness * x_n * x_n + fabs(work));
    const double open = S->h * fabs(rate - row->mean); /* what the way of who is given leaves open */
    of->noise += 4 * fabs(p * (rate - row->mean)) + spring->stiffness * open * (fabs(x) + fabs(x_n) + open);
    of->noise += PLACES * size * spring->stiffness * (fabs(x) + fabs(x_n));
    if (!(row->law.apart > 0) && !(S->spring_try[-1 - row->joint].tries > 0))
      of->allowed += RESOLVED * spring->stiffness * spring->length * dls_v3_norm(dls_v3_sub(way.after, way.before));
  }
}

/* What contacts gave that unresolved springs draw to each other as they part: p (v before + v after)/2 > 0, which no
** law of theirs has. */
static void find_thrown(const dls_joint_stage *S, const nets *N) {
  const dls_rows *rows = S->rows;
  const dls_body *bodies = S->w->bodies;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    const int i = block->row, body = dls_moves_freely(&bodies[block->a]) ? block->a : block->b;
    if (block->source < 0 || !(rows->p[i] > 0) || !dls_moves_freely(&bodies[body])) continue;
    net *of = &N->at[N->of[body]];
    if (!of->stiff || bodies[block->a].type == DLS_KINEMATIC || bodies[block->b].type == DLS_KINEMATIC) continue;
    const double *J = rows->J + (size_t)i * 2 * S->nu;
    const double sum = dls_velocity_between(S, J, S->u_c, block->a, block->b) +
                       dls_velocity_between(S, J, rows->u, block->a, block->b);
    of->gain += dls_max(0, 0.5 * rows->p[i] * sum);
  }
}

/* Kinetic energy beside u_r. */
static void find_moving(const dls_joint_stage *S, const nets *N) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    double u[DLS_NU(3)];
    if (!is_of_nets(S, N, i)) continue;
    net *of = &N->at[N->of[i]];
    if (i == N->of[i]) of->moves = 0;
    rigid_velocity(S, of, S->q_n, i, u);
    for (int k = 0; k < S->nu; k++) u[k] = DLS_U(S, S->u_n, i)[k] - u[k];
    of->moves += dls_kinetic(S->dim, &w->bodies[i], DLS_Q(S, S->q_n, i), u);
  }
}

/* --- what follows from it ------------------------------------------------------------------------------ */

static const double SWING = 1e-4;       /* of what moves: a midpoint's energy swings by this, and is not taken */
static const double MOST = 1 - 0x1p-20; /* of what moves that can be taken */
enum { CLOSER = 2, SLOWER = 6, TRIES = CLOSER + 1 + SLOWER }; /* attempts */

/* u_n = u_r + a (u - u_r) where a net has gained, those with trees in them or the others. */
static void pay(dls_joint_stage *S, const nets *N, bool treed) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!is_of_nets(S, N, i)) continue;
    const net *of = &N->at[N->of[i]];
    if (of->treed != treed || !(of->gain > of->allowed + of->noise && of->moves > 0)) continue;
    const double a = sqrt(1 - dls_min(of->gain / of->moves, MOST));
    double rigid[DLS_NU(3)], *u = DLS_U(S, S->u_n, i);
    const double *q = DLS_Q(S, S->q_n, i), before = dls_kinetic(S->dim, &w->bodies[i], q, u);
    rigid_velocity(S, of, S->q_n, i, rigid);
    for (int k = 0; k < S->nu; k++) u[k] -= rigid[k];
    const double beside = dls_kinetic(S->dim, &w->bodies[i], q, u), taken = (1 - a * a) * beside;
    for (int k = 0; k < S->nu; k++) u[k] = rigid[k] + a * u[k];
    const double took = before - dls_kinetic(S->dim, &w->bodies[i], q, u);
    const bool carried = of->given >= 0 && w->bodies[of->given].type != DLS_STATIC;
    S->sprung.scheme += carried ? taken : took;
    S->closed_kinematic += carried ? taken - took : 0; /* whoever moves it gives the rest */
  }
}

/* What a net that has gained goes on with; false: it stands as it is. */
static bool try_again(const dls_joint_stage *S, const net *of, const dls_spring_row *row) {
  static const double EXACT = 1e-6, FACTOR = 64;
  dls_spring_try *next = &S->spring_try[-1 - row->joint];
  const bool lost = of->tries > CLOSER && S->w->stats.unconverged > 0; /* so strong a damper that rows do not resolve it */
  const bool payable = of->gain <= MOST * of->moves + of->noise && !lost;
  if (of->carried || (!lost && !(of->gain > of->allowed + of->noise))) return false;
  if (of->tries == 0) next->first = payable ? of->gain : DLS_INF;
  if (of->tries < CLOSER) {
    if (payable && of->gain <= EXACT * of->moves) return false;
    const dls_spring *spring = &S->w->springs[-1 - row->joint];
    const spring_way way = way_of(S, spring);
    next->shift = shift_along(S, row, spring->length, &way);
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
  next->carried = of->tries == TRIES && !of->treed;
  return of->tries < TRIES || next->carried;
}

dls_status dls_spring_nets_judge(dls_joint_stage *S) {
  dls_world *w = S->w;
  bool any = false;
  for (int k = 0; k < S->n_spring_rows && !any; k++) any = S->spring_row[k].joint < 0;
  if (!any) return DLS_OK;
  w->need_arena = dls_bytes_add(w->arena.size, dls_spring_nets_bytes(w));
  nets *N = S->nets = DLS_TAKE(&w->arena, nets, 1);
  if (!N) return DLS_FULL;
  const dls_status status = find_nets(S, N);
  if (status != DLS_OK) return status;
  find_gains(S, N);
  find_thrown(S, N);
  find_motions(S, N, S->q_n, S->u_n);
  find_moving(S, N);
  for (int i = 0; i < w->n_bodies; i++) N->at[i].allowed = dls_min(N->at[i].allowed, SWING * N->at[i].moves);
  const bool bounded = w->work.bounded && !(w->work.left > 0);
  for (int k = 0; k < S->n_spring_rows && !bounded; k++) {
    const dls_spring_row *row = &S->spring_row[k];
    if (row->joint < 0 && try_again(S, net_of(S, N, &w->springs[-1 - row->joint]), row)) S->again = true;
  }
  for (int i = 0; i < w->n_bodies && !S->again; i++) {
    const net *of = &N->at[i];
    if (of->gain > of->allowed + of->noise) S->net_gain += dls_max(0, of->gain - MOST * of->moves - of->noise);
  }
  if (!S->again) pay(S, N, true);
  return DLS_OK;
}

void dls_spring_nets_pay(dls_joint_stage *S) {
  nets *N = S->nets;
  if (!N) return;
  for (int k = 0; k < S->n_spring_rows; k++) {
    const dls_spring_row *row = &S->spring_row[k];
    if (row->joint < 0) net_of(S, N, &S->w->springs[-1 - row->joint])->gain += row->late_work;
  }
  find_motions(S, N, S->q_n, S->u_n);
  find_moving(S, N);
  pay(S, N, false);
}

/* --- nets that move as one rigid body --------------------------------------------------------------------- */

/* Body i from its place at the start, turned by `way` about `from` and moved to `to`. */
static void place(const dls_joint_stage *S, int i, dls_vec3 from, dls_vec3 to, dls_vec3 way) {
  double *q = DLS_Q(S, S->q_n, i), turn[DLS_NU(3)] = {0}, frame[DLS_NQ(3)] = {0};
  memcpy(q, DLS_Q(S, S->w->q, i), (size_t)S->nq * sizeof(double));
  if (S->dim == 2) turn[2] = way.z;
  else dls_v3_store(turn + 3, way);
  dls_vec3 arm = dls_v3_sub(dls_point_of(S->dim, q), from);
  if (S->dim == 2) {
    double s, c;
    dls_sincos(way.z, &s, &c);
    arm = dls_v3(c * arm.x - s * arm.y, s * arm.x + c * arm.y, 0);
  } else {
    frame[3] = 1;
    dls_drift(3, frame, 1, turn);
    const dls_mat3 R = dls_q_matrix(dls_q_load(frame + 3));
    arm = dls_m3_apply(&R, arm);
  }
  dls_drift(S->dim, q, 1, turn);
  q[0] = to.x + arm.x, q[1] = to.y + arm.y;
  if (S->dim == 3) q[2] = to.z + arm.z;
}

/* As who holds it moves. */
static void follow(dls_joint_stage *S, const net *of, int i) {
  double x[DLS_NU(3)] = {0};
  const double *from = DLS_Q(S, S->w->q, of->given), *to = DLS_Q(S, S->q_n, of->given);
  dls_way_to(S->dim, to, from, x);
  place(S, i, dls_point_of(S->dim, from), dls_point_of(S->dim, to), dls_turn_of(S->dim, x));
}

/* Energies of what is carried, J. */
static double energy_of_carried(const dls_joint_stage *S, const nets *N) {
  const dls_world *w = S->w;
  double sum = 0;
  for (int i = 0; i < w->n_bodies; i++)
    if (is_of_nets(S, N, i) && N->at[N->of[i]].carried)
      sum += dls_kinetic(S->dim, &w->bodies[i], DLS_Q(S, S->q_n, i), DLS_U(S, S->u_n, i)) +
             dls_potential_at(w, i, DLS_Q(S, S->q_n, i));
  return sum;
}

dls_status dls_spring_nets_carry(dls_joint_stage *S) {
  dls_world *w = S->w;
  bool any = false;
  for (int i = 0; i < w->n_springs && !any; i++) any = w->springs[i].alive && S->spring_try[i].carried;
  if (!any) return DLS_OK;
  w->need_arena = dls_bytes_add(w->arena.size, dls_arena_bytes((size_t)w->n_bodies, 1));
  S->carried = DLS_TAKE(&w->arena, unsigned char, w->n_bodies);
  if (!S->carried) return DLS_FULL;
  const size_t mark = dls_arena_mark(&w->arena);
  nets N;
  dls_status status = find_nets(S, &N);
  if (status != DLS_OK) return status;
  for (int i = 0; i < w->n_bodies; i++) S->carried[i] = is_of_nets(S, &N, i) && N.at[N.of[i]].carried;
  const double energy = energy_of_carried(S, &N);
  find_motions(S, &N, S->q_n, S->u_n); /* momenta as the solve left them, about the centre at the end */
  dls_vec3 *to = DLS_TAKE(&w->arena, dls_vec3, w->n_bodies), *way = DLS_TAKE(&w->arena, dls_vec3, w->n_bodies);
  w->need_arena = dls_bytes_add(w->need_arena, 2 * dls_arena_bytes((size_t)w->n_bodies, sizeof(dls_vec3)));
  if (!to || !way) return DLS_FULL;
  for (int i = 0; i < w->n_bodies; i++) {
    to[i] = N.at[i].centre;
    N.at[i].centre = dls_v3(0, 0, 0);
  }
  for (int i = 0; i < w->n_bodies; i++) {
    if (!is_of_nets(S, &N, i)) continue;
    net *of = &N.at[N.of[i]];
    of->centre = dls_v3_add(of->centre, dls_v3_scale(w->bodies[i].mass / of->mass, dls_point_of(S->dim, DLS_Q(S, w->q, i))));
  }
  for (int half = 1; half <= 2; half++) { /* by the turn in the middle of the way */
    weigh(S, &N, half == 1 ? w->q : S->q_n);
    for (int i = 0; i < w->n_bodies; i++)
      if (N.at[i].carried) way[i] = dls_v3_scale(half == 1 ? 0.5 * S->h : S->h, turn_of(S->dim, &N.at[i]));
    for (int i = 0; i < w->n_bodies; i++) {
      const net *of = &N.at[N.of[i]];
      if (!is_of_nets(S, &N, i) || !of->carried) continue;
      if (of->given >= 0) follow(S, of, i);
      else place(S, i, of->centre, half == 1 ? of->centre : to[N.of[i]], way[N.of[i]]);
    }
  }
  for (int i = 0; i < w->n_bodies; i++) N.at[i].centre = to[i];
  weigh(S, &N, S->q_n);
  for (int i = 0; i < w->n_bodies; i++)
    if (N.at[i].carried && N.at[i].given < 0) N.at[i].turn = turn_of(S->dim, &N.at[i]);
  for (int i = 0; i < w->n_bodies; i++) {
    const net *of = &N.at[N.of[i]];
    if (!is_of_nets(S, &N, i) || !of->carried) continue;
    rigid_velocity(S, of, S->q_n, i, DLS_U(S, S->u_n, i));
  }
  S->sprung.scheme += energy - energy_of_carried(S, &N);
  dls_arena_release(&w->arena, mark);
  return DLS_OK;
}
