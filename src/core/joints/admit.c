/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/admit.h"

#include "core/forest/joint.h"
#include "core/joints/doubled.h"
#include "core/joints/fit.h"
#include "core/joints/gone.h"
#include "core/joints/held.h"
#include "core/joints/hinged.h"
#include "core/joints/holding.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_frame.h"
#include "core/joints/joint_rows.h"
#include "core/joints/moment.h"
#include "core/joints/spring_end.h"
#include "core/joints/tree_springs.h"
#include "core/joints/tree_step.h"
#include "core/model/frames.h"
#include "core/model/row_frame.h"

/* u at q -> the nearest that joints and the rows o admit: J u = -gap. ref: where trees are, in
** their velocities, which follow; f: momenta of rotors beyond that, or NULL. S->answer holds the
** bodies' u afterwards. */
static dls_status admit_velocities(dls_joint_stage *S, const double *q, dls_overlap *o, int n,
                                   const double *u, double *ref, const double *f) {
  dls_world *w = S->w;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  memcpy(S->u_t, u, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  if (t) dls_trees_spread(S, ref, true, S->u_t);
  for (int i = 0; i < w->n_bodies * S->nu; i++) S->way[i] = u[i] - S->u_t[i];
  for (int k = 0; k < n; k++)
    o[k].gap += dls_overlap_speed(S, &o[k], S->u_t);
  dls_status status = dls_joints_answer(S, q, o, n, S->way, f);
  if (status != DLS_OK) return status;
  for (int i = 0; i < w->n_bodies * S->nu; i++) S->answer[i] += S->u_t[i];
  for (int i = 0; t && i < t->forest->nu; i++) ref[i] += t->du[i];
  return DLS_OK;
}

/* No joint has acted yet. */
static void forget_reactions(dls_joint_stage *S) {
  dls_world *w = S->w;
  if (w->n_joints > 0) memset(w->joint_own, 0, 6 * (size_t)w->n_joints * sizeof(double));
  if (!dls_trees_used(w)) return;
  dls_trees *t = w->trees;
  t->known = DLS_KNOWN_NOTHING;
  memset(t->jump, 0, 6 * (size_t)t->n_links * sizeof(double));
  memset(t->apart_jump, 0, 6 * (size_t)t->n_links * sizeof(double));
  memset(t->gave, 0, (size_t)t->forest->nu * sizeof(double));
  memset(t->du, 0, (size_t)t->forest->nu * sizeof(double)); /* no walk finds that of who is alone */
}

/* The impulses of the rows o (pi, N s) that made admitted velocities of w->u: reactions, and what
** their impact took, pi (v after - v before)/2. */
static void keep_closing(dls_joint_stage *S, const dls_overlap *o, int n) {
  dls_world *w = S->w;
  for (int k = 0; k < n; k++) {
    const double before = dls_overlap_speed(S, &o[k], w->u);
    S->closed_impact += 0.5 * o[k].pi * (o[k].rate - before);
    S->closed_kinematic += o[k].pi * o[k].rate;
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (dls_moves_freely(&w->bodies[body])) continue;
      S->closed_kinematic -= o[k].pi * dls_dot_u(S->nu, o[k].J + e * S->nu, DLS_U(S, w->u, body));
    }
    dls_joint_own_add(S->w, S->q_c, o[k].source, o[k].J, o[k].pi / S->h);
    if (o[k].n_ends > 2)
      dls_joint_own_add(S->w, S->q_c, o[k].other, o[k].J + 2 * S->nu, o[k].pi / S->h);
  }
  if (!dls_trees_used(w)) return;
  dls_trees *t = w->trees;
  for (int i = 0; i < t->forest->nu; i++) t->gave[i] = t->du[i];
  for (int l = 0; l < t->n_walked; l++) {
    const int k = t->walked_link[l], i = t->link_body[k];
    double du[DLS_NU(3)], M_du[DLS_NU(3)];
    if (t->body_tree[i] < 0 || !dls_moves_freely(&w->bodies[i])) continue;
    for (int m = 0; m < S->nu; m++) du[m] = DLS_U(S, S->answer, i)[m] - DLS_U(S, w->u, i)[m];
    dls_momentum(S->dim, &w->bodies[i], DLS_Q(S, S->q_c, i), du, M_du);
    dls_wrench_add(S->dim, t->jump + 6 * (size_t)k, 1, M_du);
  }
  for (int k = 0; k < n; k++)
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (dls_held_by_tree(S, body))
        dls_wrench_add(S->dim, t->jump + 6 * (size_t)t->body_link[body], -o[k].pi,
                       o[k].J + e * S->nu);
    }
  if (t->forest->n_drives + t->forest->n_given == 0) return;
  memcpy(t->apart_jump, t->jump, 6 * (size_t)t->n_links * sizeof(double));
  dls_forest_move(&t->walked, t->state);
  dls_forest_transmit(&t->walked, t->state, t->jump);
  S->closed_kinematic += dls_trees_drive_power(t);
}

/* Whether the velocities before the step, as the bodies have them, are such as rigid joints and
** gears admit. o: scratch. */
static bool are_admitted(dls_joint_stage *S, dls_overlap *o) {
  /* of the fastest; of points by the size of who moves, rad/s */
  static const double ADMITTED = 1e-11;
  int n = 0;
  double fastest = 0, worst = 0;
  dls_joints_weigh(S, S->q_c);
  dls_joints_find_gaps(S, S->q_c, o, &n);
  for (int k = 0; k < n; k++) {
    worst = dls_max(worst, fabs(dls_overlap_speed(S, &o[k], S->u_c) - o[k].rate) / o[k].size);
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++)
      for (int i = 0; i < S->nu; i++)
        fastest = dls_max(
            fastest, fabs(o[k].J[e * S->nu + i] * DLS_U(S, S->u_c, dls_overlap_end(&o[k], e))[i]) /
                         o[k].size);
  }
  return !(worst > ADMITTED * fastest);
}

/* Kinetic energy that what moves freely has by S->answer at q_c, beyond that by w->u. */
static double gained_by_answer(const dls_joint_stage *S) {
  const dls_world *w = S->w;
  double sum = 0;
  for (int i = 0; i < w->n_bodies; i++)
    if (dls_moves_freely(&w->bodies[i]))
      sum += dls_kinetic(S->dim, &w->bodies[i], DLS_Q(S, S->q_c, i), DLS_U(S, S->answer, i)) -
             dls_kinetic(S->dim, &w->bodies[i], DLS_Q(S, S->q_c, i), DLS_U(S, w->u, i));
  return sum;
}

/* And where they are not, what gives way. */
static dls_status give_way(dls_joint_stage *S, dls_overlap *o) {
  dls_world *w = S->w;
  const double impact = S->closed_impact, kinematic = S->closed_kinematic;
  int n = 0;
  dls_status status = DLS_OK;
  if (dls_trees_used(w)) status = dls_trees_gather(w, w->q, w->u, w->q, w->u, w->time);
  if (status == DLS_OK && dls_trees_used(w)) dls_doubled_align(S);
  if (status == DLS_OK) status = dls_joints_stand(S, S->q_c, true);
  if (status != DLS_OK) return status;
  dls_joints_find_gaps(S, S->q_c, o, &n);
  for (int k = 0; k < n; k++) o[k].gap = -o[k].rate;
  status = admit_velocities(S, S->q_c, o, n, S->u_c, dls_trees_used(w) ? w->trees->state->u : NULL,
                            NULL);
  if (status != DLS_OK) return status;
  keep_closing(S, o, n);
  if (S->strays) { /* a tree gave way beside its rows */
    S->closed_impact = impact + (S->closed_kinematic - kinematic) - gained_by_answer(S);
    memcpy(S->q_c, w->q, (size_t)w->n_bodies * (size_t)S->nq * sizeof(double));
  }
  memcpy(S->u_c, S->answer, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  return DLS_OK;
}

dls_status dls_joints_admit_start(dls_joint_stage *S) {
  dls_world *w = S->w;
  memcpy(S->q_c, w->q, (size_t)w->n_bodies * (size_t)S->nq * sizeof(double));
  memcpy(S->u_c, w->u, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  forget_reactions(S);
  if (!dls_joints_hold(S)) return DLS_OK;
  dls_joints_mark_held(S);
  dls_joints_find_doubled(S);
  if (!dls_joints_have_equations(S) && !S->strays) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena);
  dls_overlap *o = DLS_TAKE(&w->arena, dls_overlap, S->room_joints);
  if (!o) return DLS_FULL;
  dls_status status = dls_joints_drive(w, w->time);
  if (status == DLS_OK && (S->strays || !are_admitted(S, o))) status = give_way(S, o);
  dls_arena_release(&w->arena, mark);
  return status;
}

/* Whether held body i turns with its angular momentum; who is free by EQUATIONS B.1 has turned by
** it. */
static bool carries_spin(const dls_joint_stage *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  return (S->held[i] == DLS_HELD || (S->held[i] && !S->w->semi_implicit)) &&
         dls_moves_freely(body) && !dls_is_isotropic(body) && !(S->carried && S->carried[i]);
}

/* Angular velocities of held bodies that projections turned from q_from to q. Answers the kinetic
** energy that this makes. */
static double carry_spins(dls_joint_stage *S, const double *q_from, const double *q, double *u) {
  double made = 0;
  for (int i = 0; S->dim == 3 && i < S->w->n_bodies; i++) {
    dls_vec3 more;
    if (!carries_spin(S, i)) continue;
    made += dls_spin_on(&S->w->bodies[i], DLS_Q(S, q_from, i), DLS_Q(S, q, i), DLS_U(S, u, i),
                        &more);
    dls_joints_add_moment(S, i, more);
  }
  return made;
}

void dls_joints_note_alone(dls_joint_stage *S) {
  const size_t size = (size_t)S->w->n_bodies * (size_t)S->nq * sizeof(double);
  if (S->dim == 3) memcpy(S->q_alone, S->q_n, size);
}

/* Kinetic energy by which what carries its spin is at the end beyond what the solve left it. */
static double beyond_middle(const dls_joint_stage *S) {
  double sum = 0;
  for (int i = 0; S->dim == 3 && i < S->w->n_bodies; i++)
    if (carries_spin(S, i))
      sum += dls_kinetic_3(&S->w->bodies[i], DLS_Q(S, S->q_n, i), DLS_U(S, S->u_n, i)) -
             dls_kinetic_3(&S->w->bodies[i], DLS_Q(S, S->q_weighed, i), DLS_U(S, S->rows->u, i));
  return sum;
}

dls_status dls_joints_fit_middle(dls_joint_stage *S) {
  dls_status status = dls_joints_drive(S->w, S->w->time + (1 - S->theta) * S->h);
  memset(S->moment, 0, 3 * (size_t)S->w->n_bodies * sizeof(double));
  memset(S->pushed, 0, (size_t)S->w->n_bodies);
  const size_t size = (size_t)S->w->n_bodies * (size_t)S->nq * sizeof(double);
  if (S->dim == 3) memcpy(S->q_alone_middle, S->q_c, size);
  if (status == DLS_OK) status = dls_joints_fit(S, S->q_c, true);
  S->turned = S->turned_middle = S->turned_free = 0;
  if (status == DLS_OK) S->turned_middle = carry_spins(S, S->q_alone_middle, S->q_c, S->u_c);
  return status;
}

/* u_off of bodies in trees; u_t is what these admit (tree_step.c). */
static void find_off_in_trees(dls_joint_stage *S) {
  const dls_world *w = S->w;
  memset(S->u_off, 0, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  for (int i = 0; i < w->n_bodies; i++)
    for (int k = 0; k < S->nu && dls_held_by_tree(S, i) && dls_moves_freely(&w->bodies[i]); k++)
      DLS_U(S, S->u_off, i)[k] = DLS_U(S, S->u_c, i)[k] - DLS_U(S, S->u_t, i)[k];
}

/* And what rows of rigid joints and gears do not admit of the rest. */
dls_status dls_joints_find_off(dls_joint_stage *S) {
  dls_world *w = S->w;
  if (!dls_joints_have_equations(S)) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena);
  dls_overlap *o = DLS_TAKE(&w->arena, dls_overlap, S->room_joints);
  if (!o) return DLS_FULL;
  int n = 0;
  dls_joints_find_gaps(S, S->q_c, o, &n);
  for (int k = 0; k < n; k++)
    o[k].gap =
        dls_overlap_speed(S, &o[k], S->u_c) - dls_overlap_speed(S, &o[k], S->u_off) - o[k].rate;
  const dls_status status = dls_joints_answer(S, S->q_c, o, n, NULL, NULL);
  for (int i = 0; i < w->n_bodies * S->nu; i++) S->u_off[i] -= S->answer[i];
  dls_arena_release(&w->arena, mark);
  return status;
}

dls_status dls_joints_look_ahead(dls_joint_stage *S) {
  dls_world *w = S->w;
  S->u_ahead = S->rows->u_free;
  if (dls_joints_hold(S)) find_off_in_trees(S);
  if (!dls_joints_have_equations(S)) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena);
  dls_overlap *o = DLS_TAKE(&w->arena, dls_overlap, S->room_joints);
  if (!o) return DLS_FULL;
  int n = 0;
  dls_joints_find_gaps(S, S->q_c, o, &n);
  for (int k = 0; k < n; k++)
    o[k].gap = dls_overlap_speed(S, &o[k], S->u_c) + dls_overlap_speed(S, &o[k], S->rows->u_free) -
               2 * o[k].rate;
  const dls_status status = dls_joints_answer(S, S->q_c, o, n, NULL, NULL);
  for (int i = 0; i < w->n_bodies * S->nu; i++) S->u_t[i] = S->rows->u_free[i] + S->answer[i];
  S->u_ahead = S->u_t;
  dls_arena_release(&w->arena, mark);
  return status;
}

/* What each link of a tree got from its joints: the change of its momentum less all that is known;
** what the last projection has of that also by itself. */
static void keep_jumps(dls_joint_stage *S, const dls_overlap *o, int n) {
  dls_trees *t = S->w->trees;
  for (int l = 0; l < t->n_walked; l++) {
    const int k = t->walked_link[l], i = t->link_body[k];
    double *jump = t->jump + 6 * (size_t)k, du[DLS_NU(3)], M_du[DLS_NU(3)];
    for (int m = 0; m < 6; m++) {
      jump[m] = -jump[m]; /* the forces' impulses */
      if (t->pushed) jump[m] -= t->wrench[6 * (size_t)k + (size_t)m];
    }
    if (t->body_tree[i] < 0 || !dls_moves_freely(&S->w->bodies[i])) continue;
    for (int m = 0; m < S->nu; m++) du[m] = DLS_U(S, S->rows->u, i)[m] - DLS_U(S, S->u_c, i)[m];
    dls_momentum(S->dim, &S->w->bodies[i], DLS_Q(S, S->q_c, i), du, M_du);
    dls_wrench_add(S->dim, jump, 1, M_du);
    for (int m = 0; m < S->nu; m++) du[m] = DLS_U(S, S->answer, i)[m] - DLS_U(S, S->u_n, i)[m];
    dls_momentum(S->dim, &S->w->bodies[i], DLS_Q(S, S->q_n, i), du, M_du);
    dls_wrench_add(S->dim, jump, 1, M_du);
    dls_wrench_add(S->dim, t->apart_jump + 6 * (size_t)k, 1, M_du);
  }
  for (int k = 0; k < n; k++)
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (!dls_held_by_tree(S, body)) continue;
      const size_t link = 6 * (size_t)t->body_link[body];
      dls_wrench_add(S->dim, t->jump + link, -o[k].pi, o[k].J + e * S->nu);
      dls_wrench_add(S->dim, t->apart_jump + link, -o[k].pi, o[k].J + e * S->nu);
    }
}

/* Kinetic energy of rotors that are faster than their joints by `apart` (NULL: not at all). */
static double rotor_energy(const dls_trees *t, const double *apart) {
  double sum = 0;
  for (int i = 0; i < t->walked.n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    if (node->nu != 1 || !(node->rotor > 0)) continue;
    const double u = t->u_end[node->iu] + (apart ? apart[node->iu] : 0);
    sum += 0.5 * node->rotor * u * u;
  }
  return sum;
}

double dls_trees_drive_power(const dls_trees *t) {
  double power = 0;
  for (int i = 0; i < t->walked.n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    const dls_node_state *s = &t->state->node[i];
    const dls_spatial R = dls_sp_load(s->R);
    if (node->kind == DLS_NODE_DRIVEN)
      power += (node->a * R.a.z + node->b * R.l.z) * t->state->drives[node->input].ds;
    if (node->parent < 0 || t->forest->nodes[node->parent].kind != DLS_NODE_GIVEN) continue;
    const dls_spatial v = dls_node_down(s, dls_sp_load(t->state->node[node->parent].v));
    power += dls_v3_dot(R.a, v.a) + dls_v3_dot(R.l, v.l);
  }
  return power;
}

double dls_trees_drive_work(dls_trees *t) {
  const double work = t->step_time * dls_trees_drive_power(t);
  dls_forest_transmit(&t->walked, t->state, t->apart_jump);
  const double apart = dls_trees_drive_power(t);
  dls_forest_transmit(&t->walked, t->state, t->velocity);
  return work - apart;
}

/* What rows of joints lack at q', after every projection: a gap beyond FAR_APART tells that they
** cannot hold together. Of limits those alone are asked for that are exceeded by half of that, at the
** size of the smallest joint. o: n rows that are held; those of limits behind them are scratch. */
static void judge_joints(dls_joint_stage *S, dls_overlap *o, int n) {
  static const double FAR_APART = 1e-3; /* of a moving body's radius of gyration; rad */
  dls_world *w = S->w;
  dls_exceeded over = {0};
  double worst = FAR_APART, least = DLS_INF; /* the smallest joint, m */
  int all = n;
  for (int i = 0; i < w->n_joints; i++)
    if (dls_joint_has_limits(&w->joints[i]))
      least = dls_min(least, dls_joint_size(w, &w->joints[i]));
  if (least < DLS_INF) dls_joints_find_limit_gaps(S, o, &all, -0.5 * FAR_APART * least, &over);
  w->apart_joint = -1;
  for (int k = 0; k < all; k++) {
    const double gap = fabs(o[k].gap) / o[k].size;
    if (!(gap > worst)) continue;
    worst = gap;
    w->apart = fabs(o[k].gap);
    w->apart_joint = o[k].source;
  }
  if (w->apart_joint >= 0) w->stats.infeasible = true;
}

void dls_joints_spin_on(dls_joint_stage *S) {
  if (!dls_joints_hold(S) && S->n_late == 0) return;
  /* what springs alone hold was turned as free bodies are */
  const double known = S->n_late > 0 ? beyond_middle(S) : 0;
  dls_springs_hold_late(S);
  if (S->n_late > 0) S->turned_free += beyond_middle(S) - known; /* held from now on */
  (void)carry_spins(S, S->q_alone, S->q_n, S->u_n);
  dls_joints_note_alone(S);
  S->turned = beyond_middle(S) - S->turned_free;
}

dls_status dls_joints_keep_momenta(dls_joint_stage *S) {
  if (!dls_joints_hold(S) && S->n_late == 0) return DLS_OK;
  if (S->bent) {
    dls_joints_lose_moment(S);
    return dls_joints_follow_way(S);
  }
  dls_joints_keep_moment(S);
  return DLS_OK;
}

/* The overlaps but for those whose multipliers are given, for one answer. */
static int leave_out_given(const dls_overlap *o, int n, const dls_holding *H, dls_overlap *out,
                           int *which) {
  int m = 0;
  for (int k = 0; k < n; k++) {
    const int own = k - H->from;
    if (own >= 0 && own < H->n && H->given[own]) continue;
    out[m] = o[k], out[m].gap = H->gap[k];
    which[m++] = k;
  }
  return m;
}

/* u_n as joints admit it, where rows that hold do so with what is left of their bounds: once for
** all, and once more as long as some give way. */
static dls_status admit_within(dls_joint_stage *S, dls_overlap *o, int *n_all, dls_holding *H) {
  dls_world *w = S->w;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  dls_arena *tmp = &w->arena;
  const size_t bytes = (size_t)w->n_bodies * (size_t)S->nu * sizeof(double),
               of_trees = t ? (size_t)t->forest->nu * sizeof(double) : 0;
  double *u = DLS_TAKE(tmp, double, w->n_bodies * S->nu),
         *ref = DLS_TAKE(tmp, double, of_trees / sizeof(double)),
         *const f = t ? t->u_scratch : NULL;
  const int n = *n_all, most = H->n > 0 ? n + S->rows->n_blocks : 0;
  dls_overlap *own = DLS_TAKE(tmp, dls_overlap, most);
  int *which = DLS_TAKE(tmp, int, most);
  w->need_arena =
      dls_bytes_add(tmp->size, bytes + of_trees + (size_t)most * (sizeof *o + 64) + 8192);
  if (!u || !ref || !own || !which) return DLS_FULL;
  for (int k = 0; k < n; k++) H->gap[k] = o[k].gap;
  if (t) memcpy(ref, t->u_end, of_trees);
  const bool late = S->theta > 0.5; /* all of inertia comes now */
  if (late) dls_holding_add_limits(S, o, n_all, H);
  dls_status status = admit_velocities(S, S->q_n, o, *n_all, S->u_n, t ? t->u_end : NULL, f);
  while (status == DLS_OK && dls_holding_gives_way(S, o, H)) {
    if (!late && *n_all == n) dls_holding_add_limits(S, o, n_all, H);
    const int m = leave_out_given(o, *n_all, H, own, which);
    memcpy(u, S->u_n, bytes);
    dls_holding_push(S, o, H, S->q_n, u);
    if (t) memcpy(t->u_end, ref, of_trees);
    status = admit_velocities(S, S->q_n, own, m, u, t ? t->u_end : NULL, f);
    for (int k = 0; k < m; k++) o[which[k]].pi = own[k].pi;
  }
  return status;
}

dls_status dls_joints_admit_end(dls_joint_stage *S) {
  dls_world *w = S->w;
  if (!dls_joints_hold(S) && S->n_late == 0) return DLS_OK;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  const size_t mark = dls_arena_mark(&w->arena);
  dls_overlap *o = DLS_TAKE(&w->arena, dls_overlap, S->room_joints + S->n_late);
  dls_holding holding;
  if (!o) return DLS_FULL;
  S->more = S->tree_late ? t->late : NULL;
  if (S->n_late > 0) dls_joints_weigh(S, S->q_n);
  dls_status status = dls_joints_factor(S); /* everything stands at q' since the last projection */
  int n = 0;
  if (status == DLS_OK) {
    dls_joints_find_gaps(S, S->q_n, o, &n);
    judge_joints(S, o, n);
    for (int k = 0; k < n; k++) o[k].gap = -o[k].rate;
    status = dls_holding_find(S, o, &n, &holding);
  }
  if (status == DLS_OK) {
    dls_springs_find_late(S, o, &n);
    if (t) dls_rotor_momenta(t, t->u_apart, t->u_scratch);
    if (t) dls_tree_springs_draw_late(S, t->u_scratch);
    if (t) *S->correction -= rotor_energy(t, t->u_apart);
    status = admit_within(S, o, &n, &holding);
  }
  S->more = NULL;
  if (status == DLS_OK) *S->correction -= dls_springs_charge_late(S, o, S->u_n, S->answer);
  if (status == DLS_OK && t) *S->correction -= dls_tree_springs_charge_late(S, t->du);
  for (int k = 0; status == DLS_OK && k < n; k++) {
    if (o[k].source >= 0) dls_joint_own_add(S->w, S->q_c, o[k].source, o[k].J, o[k].pi / S->h);
    if (o[k].n_ends > 2)
      dls_joint_own_add(S->w, S->q_c, o[k].other, o[k].J + 2 * S->nu, o[k].pi / S->h);
  }
  if (status == DLS_OK && t) {
    dls_hinged_close(S);
    keep_jumps(S, o, n);
    *S->correction += rotor_energy(t, NULL);
    memcpy(t->state->u, t->u_end, (size_t)t->forest->nu * sizeof(double));
    dls_forest_move(&t->walked, t->state);
  }
  for (int i = 0; status == DLS_OK && i < w->n_bodies; i++) {
    if (!S->held[i] || !dls_moves_freely(&w->bodies[i])) continue;
    *S->correction +=
        dls_kinetic(S->dim, &w->bodies[i], DLS_Q(S, S->q_n, i), DLS_U(S, S->answer, i)) -
        dls_kinetic(S->dim, &w->bodies[i], DLS_Q(S, S->q_n, i), DLS_U(S, S->u_n, i));
    memcpy(DLS_U(S, S->u_n, i), DLS_U(S, S->answer, i), (size_t)S->nu * sizeof(double));
  }
  dls_arena_release(&w->arena, mark);
  return status;
}
