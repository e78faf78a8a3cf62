/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/block.h"
#include "core/forest/ldl.h"

/* System (5): unknowns (udot_i, R_i, w_i) of each node, w_i the true acceleration,
**
**   diagonal block  [ rotor A' 0 ; A 0 -E ; 0 -E M ],   row R_j, column w_k:  C_j  and transposed,
**   right side      ( Q_i, -w*_i - C_i w_0 (children of the inertial frame, at rest: nothing), F_i )
**
** with gravity inside F_i. A given node has only the rows -w_i = -w_0, and R_i what holds it. */

static size_t unknowns(const dls_forest *forest) {
  return (size_t)forest->nu + 12 * (size_t)forest->n_nodes;
}

size_t dls_forest_dense_bytes(const dls_forest *forest) {
  const size_t n = unknowns(forest);
  return dls_bytes_add(dls_arena_bytes(dls_bytes(n, n), sizeof(double)),
                       dls_arena_bytes(n, sizeof(double)));
}

/* x <- K^-1 x, K destroyed. Returns the column without a pivot, or -1. */
static long eliminate(double *K, double *x, size_t n) {
  for (size_t j = 0; j < n; j++) {
    size_t best = j;
    for (size_t i = j + 1; i < n; i++)
      if (fabs(K[i * n + j]) > fabs(K[best * n + j])) best = i;
    if (!(fabs(K[best * n + j]) > 1e-14)) return (long)j;
    if (best != j) {
      for (size_t k = j; k < n; k++) {
        const double t = K[j * n + k];
        K[j * n + k] = K[best * n + k];
        K[best * n + k] = t;
      }
      const double t = x[j];
      x[j] = x[best];
      x[best] = t;
    }
    for (size_t i = j + 1; i < n; i++) {
      if (K[i * n + j] == 0) continue;
      const double f = K[i * n + j] / K[j * n + j];
      for (size_t k = j + 1; k < n; k++) K[i * n + k] -= f * K[j * n + k];
      x[i] -= f * x[j];
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) x[i] -= K[i * n + k] * x[k];
    x[i] /= K[i * n + i];
  }
  return -1;
}

/* F_i with gravity as a force at the centre of mass. */
static dls_spatial force_of(const dls_forest *forest, const dls_forest_state *state, int i) {
  const dls_inertia *M = &forest->nodes[i].M;
  const dls_mat3 R = dls_m3_load(state->node[i].R_w);
  const dls_vec3 g = dls_m3_apply_t(&R, dls_v3_load(state->gravity));
  const dls_spatial weight = {dls_v3_cross(dls_v3_load(M->mc), g), dls_v3_scale(M->m, g)};
  return dls_sp_sub(weight, dls_node_bias(forest, state, i));
}

/* Rows of node i; at: its first unknown, above: its parent's (n: none). */
static void assemble(const dls_forest *forest, const dls_forest_state *state, int i, double *K,
                     double *x, size_t n, size_t at, size_t above) {
  const dls_node *node = &forest->nodes[i];
  const dls_node_state *s = &state->node[i];
  const size_t nu = (size_t)node->nu, R = at + nu, w = R + 6;
  double A[36], C[36], M[36], part[6];
  dls_block_A(node, s, A);
  dls_block_C(s, C);
  dls_block_M(&node->M, M);
  for (size_t k = 0; k < nu; k++) {
    x[at + k] = state->tau[node->iu + (int)k];
    K[(at + k) * n + at + k] = node->rotor;
    for (size_t j = 0; j < 6; j++)
      K[(at + k) * n + R + j] = K[(R + j) * n + at + k] = A[6 * k + j];
  }
  dls_spatial w_star = dls_node_w_star(s);
  if (node->kind == DLS_NODE_GIVEN) {
    const dls_mat3 turn = dls_m3_load(s->R_w);
    const dls_given *in = &state->given[node->input];
    w_star = (dls_spatial){dls_m3_apply_t(&turn, dls_v3_load(in->eps)),
                           dls_m3_apply_t(&turn, dls_v3_load(in->a))};
  }
  dls_sp_store(part, w_star);
  for (size_t j = 0; j < 6; j++) {
    x[R + j] = -part[j];
    K[(R + j) * n + w + j] = K[(w + j) * n + R + j] = -1;
    for (size_t k = 0; k < 6; k++) {
      K[(w + j) * n + w + k] = M[6 * j + k];
      if (above < n) K[(R + j) * n + above + k] = K[(above + k) * n + R + j] = C[6 * j + k];
    }
  }
  dls_sp_store(part, force_of(forest, state, i));
  for (size_t j = 0; j < 6; j++) x[w + j] = part[j];
}

dls_status dls_forest_dense(const dls_forest *forest, dls_forest_state *state, dls_arena *tmp,
                            dls_fault *fault) {
  const size_t n = unknowns(forest), mark = dls_arena_mark(tmp);
  double *K = DLS_TAKE(tmp, double, n *n), *x = DLS_TAKE(tmp, double, n);
  if (K == NULL || x == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  memset(K, 0, n * n * sizeof(double));
  size_t at = 0;
  for (int i = 0; i < forest->n_nodes; i++) { /* scratch keeps where each node's w stands */
    const dls_node *node = &forest->nodes[i];
    const size_t above = node->parent >= 0 ? (size_t)state->scratch[node->parent] : n;
    assemble(forest, state, i, K, x, n, at, above);
    at += (size_t)node->nu + 12;
    state->scratch[i] = (double)(at - 6);
  }
  const long missing = eliminate(K, x, n);
  if (missing >= 0) {
    int i = 0;
    while (i < forest->n_nodes - 1 && state->scratch[i] + 6 <= (double)missing) i++;
    *fault = (dls_fault){forest->nodes[i].link, 0};
    dls_arena_release(tmp, mark);
    return DLS_SINGULAR;
  }
  at = 0;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    const dls_mat3 turn = dls_m3_load(s->R_w);
    memcpy(state->udot + node->iu, x + at, (size_t)node->nu * sizeof(double));
    at += (size_t)node->nu;
    memcpy(s->R, x + at, sizeof s->R);
    memcpy(s->w, x + at + 6, sizeof s->w);
    const dls_vec3 g = dls_m3_apply_t(&turn, dls_v3_load(state->gravity));
    dls_v3_store(s->w + 3, dls_v3_sub(dls_v3_load(s->w + 3), g));
    at += 12;
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
