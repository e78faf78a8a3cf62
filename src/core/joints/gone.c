/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/gone.h"

#include "core/base/union_find.h"
#include "core/math/ranked.h"

/* --- bodies that joints hold together --------------------------------------------------------- */

/* What stands or is driven joins nothing, and what hangs from it is `hung`, by the root. */
static void join(const dls_world *w, int *up, bool *hung, int a, int b) {
  const bool a_free = dls_moves_freely(&w->bodies[a]), b_free = dls_moves_freely(&w->bodies[b]);
  const int i = dls_root_of(up, a_free ? a : b), j = dls_root_of(up, b_free ? b : a);
  const int root = i < j ? i : j;
  hung[root] = hung[i] || hung[j] || !a_free || !b_free;
  up[i] = up[j] = root;
}

/* The joint is held by the step: a reduced or a rigid one. */
static bool holds(const dls_joint *joint) {
  return joint->alive && joint->formulation != DLS_PENALTY;
}

static void join_all(const dls_world *w, int *up, bool *hung) {
  for (int i = 0; i < w->n_bodies; i++) up[i] = i, hung[i] = false;
  for (int i = 0; i < w->n_joints; i++)
    if (holds(&w->joints[i])) join(w, up, hung, w->joints[i].a, w->joints[i].b);
  for (int i = 0; i < w->n_gears; i++) {
    if (!w->gears[i].alive) continue;
    const dls_joint *first = &w->joints[w->gears[i].joint[0]],
                    *second = &w->joints[w->gears[i].joint[1]];
    join(w, up, hung, first->a, first->b);
    join(w, up, hung, second->a, second->b);
    join(w, up, hung, dls_moves_freely(&w->bodies[first->a]) ? first->a : first->b,
         dls_moves_freely(&w->bodies[second->a]) ? second->a : second->b);
  }
}

/* --- one of them ------------------------------------------------------------------------------ */

static bool is_of(const dls_joint_stage *S, int *up, int i, int root) {
  return S->held[i] && dls_moves_freely(&S->w->bodies[i]) && dls_root_of(up, i) == root;
}

/* Velocities of a body at r from the point about which k, one motion of a rigid body, turns. */
static void rigid_motion(int dim, int k, dls_vec3 r, double *u) {
  const int nu = dim == 2 ? 3 : 6;
  for (int i = 0; i < nu; i++) u[i] = i == k;
  if (k < dim) return;
  const dls_vec3 v = dls_v3_cross(dim == 2 ? dls_v3(0, 0, 1) : dls_v3_load(u + 3), r);
  u[0] = v.x, u[1] = v.y;
  if (dim == 3) u[2] = v.z;
}

/* S->way gets what motion of one rigid body its momenta lack against those of u_n. */
static void keep_momenta(dls_joint_stage *S, int *up, int root) {
  const dls_world *w = S->w;
  const int nu = S->nu;
  double A[36] = {0}, b[6] = {0}, c[6], scale[6], mass = 0;
  int perm[12];
  dls_vec3 at = dls_v3(0, 0, 0);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!is_of(S, up, i, root)) continue;
    mass += w->bodies[i].mass;
    at = dls_v3_axpy(at, w->bodies[i].mass, dls_point_of(S->dim, DLS_Q(S, S->q_n, i)));
  }
  at = dls_v3_scale(1 / mass, at);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!is_of(S, up, i, root)) continue;
    const double *q = DLS_Q(S, S->q_n, i), *way = DLS_U(S, S->way, i), *u_n = DLS_U(S, S->u_n, i);
    const dls_vec3 r = dls_v3_sub(dls_point_of(S->dim, q), at);
    double lost[DLS_NU(3)], M_lost[DLS_NU(3)];
    for (int k = 0; k < nu; k++) lost[k] = u_n[k] - way[k];
    dls_momentum(S->dim, &w->bodies[i], q, lost, M_lost);
    for (int k = 0; k < nu; k++) {
      double x[DLS_NU(3)], y[DLS_NU(3)], M_y[DLS_NU(3)];
      rigid_motion(S->dim, k, r, x);
      b[k] += dls_dot_u(nu, x, M_lost);
      for (int l = 0; l < nu; l++) {
        rigid_motion(S->dim, l, r, y);
        dls_momentum(S->dim, &w->bodies[i], q, y, M_y);
        A[k * nu + l] += dls_dot_u(nu, x, M_y);
      }
    }
  }
  for (int k = 0; k < nu; k++) scale[k] = A[k * nu + k] > 0 ? 1 / sqrt(A[k * nu + k]) : 0;
  dls_ranked_solve(nu, A, b, scale, perm, c);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!is_of(S, up, i, root)) continue;
    const dls_vec3 r = dls_v3_sub(dls_point_of(S->dim, DLS_Q(S, S->q_n, i)), at);
    for (int k = 0; k < nu; k++) {
      double x[DLS_NU(3)];
      rigid_motion(S->dim, k, r, x);
      for (int l = 0; l < nu; l++) DLS_U(S, S->way, i)[l] += c[k] * x[l];
    }
  }
}

static void follow(dls_joint_stage *S, int *up, bool hung, int root) {
  const dls_world *w = S->w;
  double more = 0;
  if (!hung) keep_momenta(S, up, root);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!is_of(S, up, i, root)) continue;
    const double *q_n = DLS_Q(S, S->q_n, i);
    more += dls_kinetic(S->dim, &w->bodies[i], q_n, DLS_U(S, S->way, i)) -
            dls_kinetic(S->dim, &w->bodies[i], q_n, DLS_U(S, S->u_n, i));
  }
  if (!(more < 0)) return;
  *S->correction += more;
  for (int i = 0; i < w->n_bodies; i++)
    if (is_of(S, up, i, root))
      memcpy(DLS_U(S, S->u_n, i), DLS_U(S, S->way, i), (size_t)S->nu * sizeof(double));
}

dls_status dls_joints_follow_way(dls_joint_stage *S) {
  dls_world *w = S->w;
  const size_t mark = dls_arena_mark(&w->arena);
  int *up = DLS_TAKE(&w->arena, int, w->n_bodies);
  bool *hung = DLS_TAKE(&w->arena, bool, w->n_bodies);
  if (!up || !hung) {
    w->need_arena = dls_bytes_add(w->arena.size, 8 * (size_t)w->n_bodies);
    return DLS_FULL;
  }
  join_all(w, up, hung);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!S->held[i] || !dls_moves_freely(&w->bodies[i])) continue;
    double *u = DLS_U(S, S->way, i);
    dls_way_to(S->dim, DLS_Q(S, S->q_n, i), DLS_Q(S, w->q, i), u);
    for (int k = 0; k < S->nu; k++) u[k] /= S->h;
  }
  for (int i = 0; i < w->n_bodies; i++)
    if (is_of(S, up, i, i)) follow(S, up, hung[i], i);
  dls_arena_release(&w->arena, mark);
  return DLS_OK;
}
