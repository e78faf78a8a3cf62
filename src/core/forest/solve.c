/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/dynamics.h"
#include "core/forest/joint.h"

/* Right-hand sides of the stored factor (fast.c): forces tips to roots, motions back, no velocity
** terms, everything at rest. Per node z = Q - A' p, y = D^-1 z, passing up C' (p + M* A y), with
** W = M* A D^-1 in the factor; then du = y - W' C dw_k. */

static dls_vec3 sym_apply(const double *S, dls_vec3 x) {
  return dls_v3(S[0] * x.x + S[1] * x.y + S[2] * x.z, S[1] * x.x + S[3] * x.y + S[4] * x.z,
                S[2] * x.x + S[4] * x.y + S[5] * x.z);
}

/* z = Q - A' p -> z; what the joint passes up, about the node's origin, is returned. */
static dls_spatial eliminate(const dls_node *node, const dls_node_state *s, const double *Q,
                             dls_spatial p, double *z) {
  if (node->kind == DLS_NODE_FREE) {
    const dls_mat3 R = dls_node_turn_zero(node, s);
    const dls_spatial force = {dls_v3_load(Q + 3), dls_m3_apply_t(&R, dls_v3_load(Q))};
    dls_sp_store(z, dls_sp_sub(force, p));
    return force;
  }
  double Ap[6] = {0};
  dls_node_project(node, s, p, Ap);
  for (int k = 0; k < node->nu; k++) z[k] = Q[k] - Ap[k];
  if (node->kind == DLS_NODE_BALL) { /* M* A y = (z; X' z) */
    const dls_mat3 X = dls_m3_load(s->f);
    const dls_vec3 t = dls_v3_load(z);
    return (dls_spatial){dls_v3_add(p.a, t), dls_v3_add(p.l, dls_m3_apply_t(&X, t))};
  }
  for (int k = 0; k < node->nu; k++)
    p = dls_sp_add(p, dls_sp_scale(z[k], dls_sp_load(s->f + 6 * k)));
  return p;
}

/* y = D^-1 z */
static void divide(const dls_node *node, const dls_node_state *s, const double *z, double *y) {
  const double *f = s->f;
  switch (node->kind) {
    case DLS_NODE_REVOLUTE:
    case DLS_NODE_SCREW: y[0] = z[0] * f[6]; break;
    case DLS_NODE_BALL: dls_v3_store(y, sym_apply(f + 9, dls_v3_load(z))); break;
    case DLS_NODE_PLANE: dls_v3_store(y, sym_apply(f + 18, dls_v3_load(z))); break;
    case DLS_NODE_FREE: { /* the motion itself: a = K^-1 (f - X' n), eps = G n - X a */
      const dls_mat3 X = dls_m3_load(f);
      const dls_vec3 n = dls_v3_load(z), l = dls_v3_load(z + 3);
      const dls_vec3 a = sym_apply(f + 15, dls_v3_sub(l, dls_m3_apply_t(&X, n)));
      dls_v3_store(y, dls_v3_sub(sym_apply(f + 9, n), dls_m3_apply(&X, a)));
      dls_v3_store(y + 3, a);
      break;
    }
    case DLS_NODE_DRIVEN:
    case DLS_NODE_WELD:
    case DLS_NODE_GIVEN: break;
  }
}

/* du of the node and its motion, from w = C dw_k and y. */
static dls_spatial follow(const dls_node *node, const dls_node_state *s, dls_spatial w,
                          const double *y, double *du) {
  if (node->kind == DLS_NODE_FREE) {
    const dls_mat3 R = dls_node_turn_zero(node, s);
    const dls_spatial own = dls_sp_load(y), rel = dls_sp_sub(own, w);
    dls_v3_store(du, dls_m3_apply(&R, rel.l));
    dls_v3_store(du + 3, rel.a);
    return own;
  }
  if (node->kind == DLS_NODE_BALL) {
    const dls_mat3 X = dls_m3_load(s->f);
    const dls_vec3 own = dls_v3_sub(dls_v3_load(y), dls_m3_apply(&X, w.l));
    dls_v3_store(du, dls_v3_sub(own, w.a));
    return (dls_spatial){own, w.l};
  }
  for (int k = 0; k < node->nu; k++) du[k] = y[k] - dls_sp_dot(dls_sp_load(s->f + 6 * k), w);
  return dls_sp_add(w, dls_node_motion(node, s, du));
}

static const double no_forces[6] = {0, 0, 0, 0, 0, 0};

void dls_forest_respond(const dls_forest *forest, dls_forest_state *state, const double *f,
                        const double *wrench, double *du) {
  for (int i = 0; i < forest->n_nodes; i++) {
    double *p = state->scratch + 12 * (size_t)i;
    const dls_node *node = &forest->nodes[i];
    const dls_link_info *info = &forest->links[node->link];
    dls_spatial x = {{0, 0, 0}, {0, 0, 0}};
    if (wrench != NULL && info->node == i)
      x = dls_link_wrench(info, &state->node[i], wrench + 6 * (size_t)node->link);
    dls_sp_store(p, dls_sp_scale(-1, x));
  }
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    double z[6], *p = state->scratch + 12 * (size_t)i;
    const double *Q = f != NULL ? f + node->iu : no_forces;
    const dls_spatial up = eliminate(node, s, Q, dls_sp_load(p), z);
    divide(node, s, z, p + 6);
    if (node->up < 0) continue;
    double *above = state->scratch + 12 * (size_t)node->up;
    dls_sp_store(above, dls_sp_add(dls_sp_load(above), dls_node_up(s, up)));
  }
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    double *w = state->scratch + 12 * (size_t)i;
    dls_spatial x = {{0, 0, 0}, {0, 0, 0}};
    if (node->up >= 0) x = dls_node_down(s, dls_sp_load(state->scratch + 12 * (size_t)node->up));
    dls_sp_store(w, follow(node, s, x, w + 6, du + node->iu));
  }
}

void dls_forest_solve(const dls_forest *forest, dls_forest_state *state, int k, const double *B,
                      double *X) {
  const size_t nu = (size_t)forest->nu;
  for (int j = 0; j < k; j++)
    dls_forest_respond(forest, state, B + (size_t)j * nu, NULL, X + (size_t)j * nu);
}

/* --- Delassus matrix ---------------------------------------------------------------------------- */

/* W_rs = sum over common nodes of z_r' D^-1 z_s: each row needs the way from its links to the root
** alone. */
typedef struct entry {
  int node;            /* entries of a row in descending order of nodes */
  double z[6], y[6];   /* z and D^-1 z                                  */
} entry;

/* Which of the row's ways to the root stands highest, its node then being the next to be visited. */
static int next_way(const int *at, int n) {
  int best = 0;
  for (int k = 1; k < n; k++) best = at[k] > at[best] ? k : best;
  return best;
}

#define MAX_SIDES 8

/* Calls for the path of a row: fills list (NULL: counts). Wrenches of several sides that meet on a
** node are added there. */
static int walk_row(const dls_forest *forest, const dls_forest_state *state, int n_sides,
                    const dls_row_side *sides, int u_of, double u_coef, entry *list) {
  int at[MAX_SIDES + 1] = {0}, n = 0, n_entries = 0;
  dls_spatial p[MAX_SIDES + 1];
  for (int k = 0; k < n_sides; k++) {
    const dls_link_info *info = &forest->links[sides[k].link];
    at[n] = info->node;
    if (list != NULL)
      p[n] = dls_sp_scale(-1, dls_link_wrench(info, &state->node[info->node], sides[k].j));
    n++;
  }
  if (u_of >= 0) {
    at[n] = forest->u_node[u_of];
    p[n++] = (dls_spatial){{0, 0, 0}, {0, 0, 0}};
  }
  for (int way = next_way(at, n); n > 0 && at[way] >= 0; way = next_way(at, n)) {
    const int i = at[way];
    const dls_node *node = &forest->nodes[i];
    dls_spatial sum = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < n; k++) { /* ways that meet here go on as one */
      if (at[k] != i) continue;
      if (list != NULL) sum = dls_sp_add(sum, p[k]);
      at[k] = -1;
    }
    at[way] = node->up;
    if (list != NULL) {
      const dls_node_state *s = &state->node[i];
      double Q[6] = {0};
      if (u_of >= node->iu && u_of < node->iu + node->nu) Q[u_of - node->iu] = u_coef;
      entry *e = &list[n_entries];
      e->node = i;
      const dls_spatial up = eliminate(node, s, Q, sum, e->z);
      divide(node, s, e->z, e->y);
      p[way] = dls_node_up(s, up);
    }
    if (node->nu > 0) n_entries++;
  }
  return n_entries;
}

static int row_entries(const dls_forest *forest, const dls_forest_state *state,
                       const dls_forest_rows *rows, int i, entry *list) {
  const int first = rows->first[i];
  return walk_row(forest, state, rows->first[i + 1] - first, rows->sides + first,
                  rows->u_of != NULL ? rows->u_of[i] : -1,
                  rows->u_coef != NULL ? rows->u_coef[i] : 0, list);
}

size_t dls_forest_delassus_bytes(const dls_forest *forest, const dls_forest_rows *rows) {
  size_t total = 1; /* the last visit may write one entry of a node without velocities */
  for (int i = 0; i < rows->n; i++)
    total += (size_t)row_entries(forest, NULL, rows, i, NULL);
  return dls_bytes_add(dls_arena_bytes(total, sizeof(entry)),
                       dls_arena_bytes((size_t)rows->n + 1, sizeof(size_t)));
}

static double product(const dls_forest *forest, const entry *a, const entry *a_end, const entry *b,
                      const entry *b_end) {
  double sum = 0;
  while (a < a_end && b < b_end) {
    if (a->node > b->node) {
      a++;
    } else if (b->node > a->node) {
      b++;
    } else {
      const int nu = forest->nodes[a->node].nu;
      for (int k = 0; k < nu; k++) sum += a->z[k] * b->y[k];
      a++, b++;
    }
  }
  return sum;
}

dls_status dls_forest_delassus(const dls_forest *forest, const dls_forest_state *state,
                               const dls_forest_rows *rows, dls_arena *tmp, double *W) {
  const size_t mark = dls_arena_mark(tmp), n = (size_t)rows->n;
  for (int i = 0; i < rows->n; i++)
    if (rows->first[i + 1] - rows->first[i] > MAX_SIDES) return DLS_ARG;
  size_t total = 1;
  for (int i = 0; i < rows->n; i++) total += (size_t)row_entries(forest, state, rows, i, NULL);
  entry *list = DLS_TAKE(tmp, entry, total);
  size_t *start = DLS_TAKE(tmp, size_t, n + 1);
  if (list == NULL || start == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  start[0] = 0;
  for (int i = 0; i < rows->n; i++)
    start[i + 1] = start[i] + (size_t)row_entries(forest, state, rows, i, list + start[i]);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      W[i * n + j] = W[j * n + i] = product(forest, list + start[i], list + start[i + 1],
                                            list + start[j], list + start[j + 1]);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
