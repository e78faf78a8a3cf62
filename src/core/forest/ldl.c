/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/ldl.h"

#include "core/forest/block.h"

/* Shimanovskiy's block L' D L and Vereshchagin's sweep, as published, in 6 x 6 blocks. They differ
** in one place only: what is taken out of C' M* C when a joint is eliminated,
**
**   ldl    V' V  with  V = L_U^-T A' M* C         (a factor: V, L_U serve further right sides)
**   sweep  C' (M* A)(A' M* A)^-1 (M* A)' C        (the projection P_j M*_j)
**
** and both compute one triangle. Formed in full, P_j M*_j C loses all digits within a hundred
** ball joints (EQUATIONS C.3). */

typedef struct block {
  double M[36]; /* M*                                     */
  double F[6];  /* F*                                     */
  double C[36]; /* C_i                                    */
  double A[36]; /* columns of A_i                         */
  double V[36]; /* ldl: V, rows of 6; sweep: rows A' M*   */
  double L[36]; /* Cholesky factor of A' M* A             */
  double x[6];  /* ldl: x; sweep: A' (F* - M* w*) + Q     */
  double S[6];  /* diagonal of M* before what joints took */
} block;

#define SHARE 1e-14 /* a pivot below this share of what was added up for it is rounding */

size_t dls_forest_ldl_bytes(const dls_forest *forest) {
  return dls_arena_bytes((size_t)forest->n_nodes, sizeof(block));
}

/* A' M* A + rotor and its factor. */
static bool factor_joint(const dls_node *node, block *b, double AM[36], dls_fault *fault) {
  const int n = node->nu;
  for (int k = 0; k < n; k++) dls_block_apply(b->M, b->A + 6 * k, AM + 6 * k);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) b->L[6 * i + j] = dls_block_dot(b->A + 6 * i, AM + 6 * j);
  for (int i = 0; i < n; i++) {
    const double *a = b->A + 6 * i;
    double scale = 0;
    for (int k = 0; k < 6; k++) scale += a[k] * a[k] * b->S[k];
    b->L[7 * i] += node->rotor;
    fault->value = b->L[7 * i];
    if (!(b->L[7 * i] > SHARE * scale)) return false;
  }
  return dls_block_cholesky(b->L, n, SHARE, &fault->value) < 0;
}

/* Adds the diagonal of C' M* C to the parent's scale. */
static void add_scale(block *above, const block *b) {
  for (int i = 0; i < 6; i++) {
    double column[6], image[6];
    for (int k = 0; k < 6; k++) column[k] = b->C[6 * k + i];
    dls_block_apply(b->M, column, image);
    above->S[i] += dls_block_dot(column, image);
  }
}

/* What the joint leaves of node i goes to its parent. W0 = F* - M* w*. */
static void pass_up_ldl(block *above, block *b, int n, const double W0[6]) {
  double up[6];
  dls_block_congruent(b->C, b->M, above->M);
  dls_block_apply_t(b->C, W0, up);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 6; i++) {
      up[i] -= b->V[6 * k + i] * b->x[k];
      for (int j = i; j < 6; j++) {
        const double part = b->V[6 * k + i] * b->V[6 * k + j];
        above->M[6 * i + j] -= part;
        if (j > i) above->M[6 * j + i] -= part;
      }
    }
  for (int i = 0; i < 6; i++) above->F[i] += up[i];
}

static void pass_up_sweep(block *above, block *b, int n, const double W0[6]) {
  double PM[36], rest[6], y[6], up[6];
  memcpy(PM, b->M, sizeof PM);
  memcpy(rest, W0, sizeof rest);
  for (int j = 0; j < 6; j++) { /* column j of M* - (M* A)(A' M* A)^-1 (A' M*) */
    for (int k = 0; k < n; k++) y[k] = b->V[6 * k + j];
    dls_block_forward(b->L, n, y);
    dls_block_backward(b->L, n, y);
    for (int i = 0; i <= j; i++) {
      for (int k = 0; k < n; k++) PM[6 * i + j] -= b->V[6 * k + i] * y[k];
      PM[6 * j + i] = PM[6 * i + j];
    }
  }
  memcpy(y, b->x, sizeof y);
  dls_block_forward(b->L, n, y);
  dls_block_backward(b->L, n, y);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < n; k++) rest[i] -= b->V[6 * k + i] * y[k];
  dls_block_congruent(b->C, PM, above->M);
  dls_block_apply_t(b->C, rest, up);
  for (int i = 0; i < 6; i++) above->F[i] += up[i];
}

static bool eliminate(const dls_forest *forest, dls_forest_state *state, bool sweep, block *blocks,
                      int i, dls_fault *fault) {
  const dls_node *node = &forest->nodes[i];
  const dls_node_state *s = &state->node[i];
  block *b = &blocks[i];
  const int n = node->nu;
  double w_star[6], W0[6], AM[36];
  dls_sp_store(w_star, dls_node_w_star(s));
  dls_block_apply(b->M, w_star, W0);
  for (int k = 0; k < 6; k++) W0[k] = b->F[k] - W0[k];
  if (n > 0 && !factor_joint(node, b, AM, fault)) return false;
  for (int k = 0; k < n; k++)
    b->x[k] = dls_block_dot(b->A + 6 * k, W0) + state->tau[node->iu + k];
  if (sweep) {
    memcpy(b->V, AM, sizeof b->V);
    if (node->up >= 0) add_scale(&blocks[node->up], b);
    if (node->up >= 0) pass_up_sweep(&blocks[node->up], b, n, W0);
    return true;
  }
  for (int k = 0; k < n; k++) dls_block_apply_t(b->C, AM + 6 * k, b->V + 6 * k);
  for (int j = 0; j < 6; j++) {
    double column[6];
    for (int k = 0; k < n; k++) column[k] = b->V[6 * k + j];
    dls_block_forward(b->L, n, column);
    for (int k = 0; k < n; k++) b->V[6 * k + j] = column[k];
  }
  dls_block_forward(b->L, n, b->x);
  if (node->up >= 0) add_scale(&blocks[node->up], b);
  if (node->up >= 0) pass_up_ldl(&blocks[node->up], b, n, W0);
  return true;
}

/* udot, w and R of node i from its parent's w. */
static void follow(const dls_forest *forest, dls_forest_state *state, bool sweep, block *b, int i) {
  const dls_node *node = &forest->nodes[i];
  dls_node_state *s = &state->node[i];
  const int n = node->nu;
  double w_k[6], w_star[6], udot[6] = {0};
  dls_block_parent(forest, state, i, w_k);
  if (node->kind == DLS_NODE_GIVEN) {
    dls_sp_store(s->w, dls_node_given(state, node, s));
  } else {
    dls_sp_store(w_star, dls_node_w_star(s));
    dls_block_apply(b->C, w_k, s->w);
    for (int k = 0; k < n; k++)
      udot[k] = b->x[k] - dls_block_dot(b->V + 6 * k, sweep ? s->w : w_k);
    if (sweep) dls_block_forward(b->L, n, udot);
    dls_block_backward(b->L, n, udot);
    for (int j = 0; j < 6; j++) {
      s->w[j] += w_star[j];
      for (int k = 0; k < n; k++) s->w[j] += b->A[6 * k + j] * udot[k];
    }
    for (int k = 0; k < n; k++) state->udot[node->iu + k] = udot[k];
  }
  dls_block_apply(b->M, s->w, s->R);
  for (int j = 0; j < 6; j++) s->R[j] -= b->F[j];
}

dls_status dls_forest_ldl(const dls_forest *forest, dls_forest_state *state, bool sweep,
                          dls_arena *tmp, dls_fault *fault) {
  const size_t mark = dls_arena_mark(tmp);
  block *blocks = DLS_TAKE(tmp, block, forest->n_nodes);
  if (blocks == NULL) return DLS_FULL;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    block *b = &blocks[i];
    dls_block_M(&node->M, b->M);
    dls_block_C(&state->node[i], b->C);
    dls_block_A(node, &state->node[i], b->A);
    dls_sp_store(b->F, dls_sp_scale(-1, dls_node_bias(forest, state, i)));
    for (int k = 0; k < 6; k++) b->S[k] = b->M[7 * k];
  }
  dls_status status = DLS_OK;
  for (int i = forest->n_nodes - 1; i >= 0 && status == DLS_OK; i--)
    if (!eliminate(forest, state, sweep, blocks, i, fault)) {
      fault->index = forest->nodes[i].link;
      status = DLS_SINGULAR;
    }
  for (int i = 0; i < forest->n_nodes && status == DLS_OK; i++)
    follow(forest, state, sweep, &blocks[i], i);
  for (int i = forest->n_nodes - 1; i >= 0 && status == DLS_OK; i--) { /* what holds given bodies */
    const dls_node *node = &forest->nodes[i];
    if (node->up >= 0 || node->parent < 0) continue;
    double *R = state->node[node->parent].R;
    const dls_spatial up = dls_node_up(&state->node[i], dls_sp_load(state->node[i].R));
    dls_sp_store(R, dls_sp_add(dls_sp_load(R), up));
  }
  dls_arena_release(tmp, mark);
  return status;
}
