/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Right-hand sides of the stored factor (fast.c), written once for one of them or LANES at a time:
** the including file defines `real`, LANES and LANE(x, l), number l of x. Forces go tips to roots
** and motions back, without velocity terms, everything at rest. Per node z = Q - A' p, y = D^-1 z,
** passing up C' (p + M* A y), with W = M* A D^-1 in the factor; then du = y - W' C dw_k. A lane has
** the bits of a single side. */
#if !defined(DLS_FOREST_RESPOND_INC_H)
#define DLS_FOREST_RESPOND_INC_H

#include "core/forest/joint.h"
#include "core/forest/sides.h"

/* o = A x, A' x, S x: 3 x 3, S packed symmetric */
static inline void times(real *o, const double *A, const real *x) {
  const real a = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
  const real b = A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
  o[2] = A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
  o[0] = a;
  o[1] = b;
}
static inline void times_t(real *o, const double *A, const real *x) {
  const real a = A[0] * x[0] + A[3] * x[1] + A[6] * x[2];
  const real b = A[1] * x[0] + A[4] * x[1] + A[7] * x[2];
  o[2] = A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
  o[0] = a;
  o[1] = b;
}
static inline void times_sym(real *o, const double *S, const real *x) {
  const real a = S[0] * x[0] + S[1] * x[1] + S[2] * x[2];
  const real b = S[1] * x[0] + S[3] * x[1] + S[4] * x[2];
  o[2] = S[2] * x[0] + S[4] * x[1] + S[5] * x[2];
  o[0] = a;
  o[1] = b;
}
static inline void clear6(real *o) {
  const real none = {0};
  for (int k = 0; k < 6; k++) o[k] = none;
}

/* (moment; force) x on the node about its origin, at the parent: C' x. In place. */
static inline void to_parent(const dls_node_state *s, real *x) {
  const double *r = s->r;
  times(x + 3, s->E, x + 3);
  times(x, s->E, x);
  const real *f = x + 3;
  x[0] = x[0] + (r[1] * f[2] - r[2] * f[1]);
  x[1] = x[1] + (r[2] * f[0] - r[0] * f[2]);
  x[2] = x[2] + (r[0] * f[1] - r[1] * f[0]);
}
/* o = C w, a motion of the parent at the node */
static inline void to_child(const dls_node_state *s, const real *w, real *o) {
  const double *r = s->r;
  const real at[3] = {w[3] + (w[1] * r[2] - w[2] * r[1]),
                      w[4] + (w[2] * r[0] - w[0] * r[2]),
                      w[5] + (w[0] * r[1] - w[1] * r[0])};
  times_t(o + 3, s->E, at);
  times_t(o, s->E, w);
}

/* A u of a plane or free joint, and A' p: translations turn with the zero frame. */
static inline void zero_axes(const dls_node *node, const dls_node_state *s, double *R) {
  memcpy(R, dls_node_turn_zero(node, s).m, 9 * sizeof *R);
}

/* z = Q - A' p -> z; p becomes what the joint passes up, about the node's origin. */
static inline void eliminate_sides(const dls_node *node, const dls_node_state *s,
                                   const real *Q, real *p, real *z) {
  const double *f = s->f;
  double R[9];
  real t[3];
  switch (node->kind) {
  case DLS_NODE_REVOLUTE:
    z[0] = Q[0] - p[2];
    break;
  case DLS_NODE_SCREW:
    z[0] = Q[0] - (node->a * p[2] + node->b * p[5]);
    break;
  case DLS_NODE_BALL: /* M* A y = (z; X' z) */
    for (int k = 0; k < 3; k++) z[k] = Q[k] - p[k];
    times_t(t, f, z);
    if (s->soft) {
      real n[3];
      times_t(n, f + 15, z);
      for (int k = 0; k < 3; k++) {
        p[k] = p[k] + n[k];
        p[3 + k] = p[3 + k] + t[k];
      }
      return;
    }
    for (int k = 0; k < 3; k++) {
      p[k] = p[k] + z[k];
      p[3 + k] = p[3 + k] + t[k];
    }
    return;
  case DLS_NODE_FREE:
    zero_axes(node, s, R);
    times_t(t, R, Q);
    for (int k = 0; k < 3; k++) {
      z[k] = Q[3 + k] - p[k];
      z[3 + k] = t[k] - p[3 + k];
      p[k] = Q[3 + k];
      p[3 + k] = t[k];
    }
    return;
  case DLS_NODE_PLANE:
    zero_axes(node, s, R);
    times(t, R, p + 3);
    z[0] = Q[0] - t[0];
    z[1] = Q[1] - t[1];
    z[2] = Q[2] - p[2];
    break;
  case DLS_NODE_DRIVEN:
  case DLS_NODE_WELD:
  case DLS_NODE_GIVEN:
    break;
  }
  for (int l = 0; l < node->nu; l++)
    for (int k = 0; k < 6; k++) p[k] = p[k] + z[l] * f[6 * l + k];
}

/* y = D^-1 z */
static inline void divide_sides(const dls_node *node, const dls_node_state *s,
                                const real *z, real *y) {
  const double *f = s->f;
  real t[3];
  switch (node->kind) {
  case DLS_NODE_REVOLUTE:
  case DLS_NODE_SCREW:
    y[0] = z[0] * f[6];
    break;
  case DLS_NODE_BALL:
    times_sym(y, f + 9, z);
    break;
  case DLS_NODE_PLANE:
    times_sym(y, f + 18, z);
    break;
  case DLS_NODE_FREE: /* the motion itself: a = K^-1 (f - X' n), eps = G n - X a */
    times_t(t, f, z);
    for (int k = 0; k < 3; k++) t[k] = z[3 + k] - t[k];
    times_sym(y + 3, f + 15, t);
    times_sym(y, f + 9, z);
    times(t, f, y + 3);
    for (int k = 0; k < 3; k++) y[k] = y[k] - t[k];
    break;
  case DLS_NODE_DRIVEN:
  case DLS_NODE_WELD:
  case DLS_NODE_GIVEN:
    break;
  }
}

/* y - W' w */
static inline real left_of(real y, const double *W, const real *w) {
  return y - ((W[0] * w[0] + W[1] * w[1] + W[2] * w[2]) +
              (W[3] * w[3] + W[4] * w[4] + W[5] * w[5]));
}

/* du of the node from w = C dw_k and y; w becomes the node's own motion. */
static inline void follow_sides(const dls_node *node, const dls_node_state *s,
                                const real *y, real *w, real *du) {
  const double *f = s->f;
  double R[9];
  real t[3];
  switch (node->kind) {
  case DLS_NODE_REVOLUTE:
    du[0] = left_of(y[0], f, w);
    w[2] = w[2] + du[0];
    break;
  case DLS_NODE_SCREW:
    du[0] = left_of(y[0], f, w);
    w[2] = w[2] + node->a * du[0];
    w[5] = w[5] + node->b * du[0];
    break;
  case DLS_NODE_PLANE:
    for (int l = 0; l < 3; l++) du[l] = left_of(y[l], f + 6 * l, w);
    zero_axes(node, s, R);
    for (int k = 0; k < 3; k++) w[3 + k] = w[3 + k] + (R[k] * du[0] + R[3 + k] * du[1]);
    w[2] = w[2] + du[2];
    break;
  case DLS_NODE_BALL:
    times(t, f, w + 3);
    if (s->soft) {
      real turn[3];
      times(turn, f + 15, w);
      for (int k = 0; k < 3; k++) {
        du[k] = y[k] - (turn[k] + t[k]);
        w[k] = w[k] + du[k];
      }
      return;
    }
    for (int k = 0; k < 3; k++) {
      t[k] = y[k] - t[k];
      du[k] = t[k] - w[k];
      w[k] = t[k];
    }
    break;
  case DLS_NODE_FREE:
    for (int k = 0; k < 3; k++) {
      du[3 + k] = y[k] - w[k];
      t[k] = y[3 + k] - w[3 + k];
      w[k] = y[k];
      w[3 + k] = y[3 + k];
    }
    zero_axes(node, s, R);
    times(du, R, t);
    break;
  case DLS_NODE_DRIVEN:
  case DLS_NODE_WELD:
  case DLS_NODE_GIVEN:
    break;
  }
}

/* LANES numbers that lie ld apart, in and out. */
static inline real side_of(const double *x, size_t ld) {
  real o = {0};
  for (size_t l = 0; l < LANES; l++) LANE(o, l) = x[l * ld];
  return o;
}

/* From tips to roots: LANES forces Q (NULL: none), nu numbers each, one after another. On entry
** p[12 i ..] holds the wrench that node i asks for, on exit p[12 i + 6 ..] its y. */
static inline void sides_up(const dls_forest *forest, const dls_forest_state *state, const double *Q, real *p) {
  const size_t nu = (size_t)forest->nu;
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    real z[6], force[6], *own = p + 12 * (size_t)i;
    clear6(force);
    for (int k = 0; k < node->nu && Q != NULL; k++)
      force[k] = side_of(Q + node->iu + k, nu);
    eliminate_sides(node, s, force, own, z);
    divide_sides(node, s, z, own + 6);
    if (node->up < 0) continue;
    real *above = p + 12 * (size_t)node->up;
    to_parent(s, own);
    for (int k = 0; k < 6; k++) above[k] = above[k] + own[k];
  }
}

/* And from roots to tips: velocities du, nu numbers each; on exit p[12 i ..] holds the motion of
** node i. */
static inline void sides_down(const dls_forest *forest, const dls_forest_state *state, real *p, double *du) {
  const size_t nu = (size_t)forest->nu;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    real own[6], *w = p + 12 * (size_t)i;
    if (node->up >= 0)
      to_child(s, p + 12 * (size_t)node->up, w);
    else
      clear6(w);
    follow_sides(node, s, w + 6, w, own);
    for (int k = 0; k < node->nu; k++)
      for (size_t l = 0; l < LANES; l++)
        du[l * nu + (size_t)(node->iu + k)] = LANE(own[k], l);
  }
}

/* --- one way to the root ---------------------------------------------------------------------- */

/* Which of the row's ways to the root stands highest, its node then being the next to be
** visited. */
static inline int next_way(const int *at, int n) {
  int best = 0;
  for (int k = 1; k < n; k++) best = at[k] > at[best] ? k : best;
  return best;
}

/* Entry e of the lists of LANES rows, n_entries each. */
static inline void write_entry(const dls_node *node, int i, const real *z, const real *y, dls_row_entry *list, int n_entries,
                               int e) {
  for (int l = 0; l < LANES; l++) {
    dls_row_entry *to = &list[l * n_entries + e];
    to->node = i;
    for (int k = 0; k < 3 && k < node->nu; k++) to->z[k] = LANE(z[k], l), to->y[k] = LANE(y[k], l);
    for (int k = 3; k < node->nu; k++) to->z[k] = LANE(z[k], l), to->y[k] = LANE(y[k], l);
  }
}

/* From node i, on which the wrenches p act (about its origin, negative), alone. */
static inline void walk_alone(const dls_forest *forest, const dls_forest_state *state, int i, real *p, dls_row_entry *list,
                                int n_entries) {
  real none[6], z[6], y[6];
  clear6(none);
  for (int e = 0; i >= 0; i = forest->nodes[i].up) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    eliminate_sides(node, s, none, p, z);
    divide_sides(node, s, z, y);
    to_parent(s, p);
    if (node->nu > 0) write_entry(node, i, z, y, list, n_entries, e++);
  }
}

/* Calls for the paths of rows row .. row + LANES - 1, which act on the same links and velocity:
** fills their lists one after another, n_entries each. Wrenches of several sides that meet on a
** node are added there. */
static inline void walk_rows(const dls_forest *forest, const dls_forest_state *state,
                             const dls_forest_rows *rows, int row, dls_row_entry *list,
                             int n_entries) {
  int at[DLS_ROW_SIDES + 1] = {0}, n = 0, e = 0;
  real p[DLS_ROW_SIDES + 1][6];
  const int n_sides = rows->first[row + 1] - rows->first[row];
  const int u_of = rows->u_of != NULL ? rows->u_of[row] : -1;
  for (; n < n_sides; n++) {
    const dls_link_info *info = &forest->links[rows->sides[rows->first[row] + n].link];
    at[n] = info->node;
    for (int l = 0; l < LANES; l++) {
      double x[6];
      dls_sp_store(x, dls_link_wrench(info, &state->node[info->node],
                                      rows->sides[rows->first[row + l] + n].j));
      for (int k = 0; k < 6; k++) LANE(p[n][k], l) = -x[k];
    }
  }
  if (u_of >= 0) {
    at[n] = forest->u_node[u_of];
    clear6(p[n++]);
  } else if (n == 1) {
    walk_alone(forest, state, at[0], p[0], list, n_entries);
    return;
  }
  for (int way = next_way(at, n); n > 0 && at[way] >= 0; way = next_way(at, n)) {
    const int i = at[way];
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    real sum[6], Q[6], z[6], y[6];
    clear6(sum);
    clear6(Q);
    for (int k = 0; k < n; k++) { /* ways that meet here go on as one */
      if (at[k] != i) continue;
      for (int j = 0; j < 6; j++) sum[j] = sum[j] + p[k][j];
      at[k] = -1;
    }
    at[way] = node->up;
    if (u_of >= node->iu && u_of < node->iu + node->nu)
      for (int l = 0; l < LANES; l++)
        LANE(Q[u_of - node->iu], l) = rows->u_coef != NULL ? rows->u_coef[row + l] : 0;
    eliminate_sides(node, s, Q, sum, z);
    divide_sides(node, s, z, y);
    to_parent(s, sum);
    memcpy(p[way], sum, sizeof sum);
    if (node->nu > 0) write_entry(node, i, z, y, list, n_entries, e++);
  }
}

#endif
