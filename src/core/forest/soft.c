/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/soft.h"

#include "core/base/fast.h"

#include "core/forest/block.h"
#include "core/forest/joint.h"

#include "core/forest/fast_one.inc.h"

/* --- the factor ------------------------------------------------------------------------------- */

/* The bias of the factor alone is zero all the way: only inertias go up. */
static bool soften_screw(sums *above, const dls_node *node, dls_node_state *s, sums *own,
                         double soft) {
  const double a = node->a, b = node->b, more = node->rotor + soft;
  double U[6], *W = s->f;
  image_of_screw(&own->A, a, b, U);
  const double D = a * U[2] + b * U[5] + more;
  W[6] = 1 / D;
  for (int k = 0; k < 6; k++) W[k] = U[k] * W[6];
  s->y[0] = 0;
  if (!(D > 0) || above == NULL) return D > 0;
  take_out(&own->A, U, W);
  artic *A = &own->A;
  if (b == 0) {
    const double left = more * W[6] / a;
    A->J[2] = left * U[0], A->J[4] = left * U[1], A->J[5] = left * U[2];
    for (int k = 0; k < 3; k++) A->H[6 + k] = left * U[3 + k];
  } else if (a == 0) {
    const double left = more * W[6] / b;
    A->M[2] = left * U[3], A->M[4] = left * U[4], A->M[5] = left * U[5];
    for (int k = 0; k < 3; k++) A->H[3 * k + 2] = left * U[k];
  }
  pass_up(above, s, own);
  return true;
}

/* W: angular part 1 - G soft = G J row by row in f[15 ..], linear part X = G H in f[0 ..], G = D^-1
** in f[9 ..]. */
static bool soften_ball(sums *above, dls_node_state *s, sums *own, double soft) {
  const double *J = own->A.J, *H = own->A.H;
  const double D[6] = {J[0] + soft, J[1], J[2], J[3] + soft, J[4], J[5] + soft};
  const double full[9] = {J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]};
  double *X = s->f, *G = s->f + 9, *turn = s->f + 15;
  if (!regular(invert_sym(G, D), D)) return false;
  for (int j = 0; j < 3; j++) {
    double in[3] = {H[j], H[3 + j], H[6 + j]}, out[3];
    sym_vec(out, G, in);
    for (int l = 0; l < 3; l++) X[3 * l + j] = out[l];
    for (int l = 0; l < 3; l++) in[l] = full[3 * l + j];
    sym_vec(out, G, in);
    for (int l = 0; l < 3; l++) turn[3 * l + j] = out[l];
  }
  s->soft = true;
  zero3(s->y);
  if (above == NULL) return true;
  artic left; /* J - J G J = soft G J, and so on */
  for (int l = 0, k = 0; l < 3; l++)
    for (int j = l; j < 3; j++) left.J[k++] = 0.5 * soft * (turn[3 * l + j] + turn[3 * j + l]);
  for (int k = 0; k < 9; k++) left.H[k] = soft * X[k];
  for (int l = 0, k = 0; l < 3; l++)
    for (int j = l; j < 3; j++, k++)
      left.M[k] = own->A.M[k] - (H[l] * X[j] + H[3 + l] * X[3 + j] + H[6 + l] * X[6 + j]);
  own->A = left;
  pass_up(above, s, own);
  return true;
}

/* A ball that turns about e alone: U = M* (e; 0), d = e' J e + soft, D^-1 = e e'/d. */
static bool soften_axis(sums *above, dls_node_state *s, sums *own, const double *e, double soft) {
  const double *J = own->A.J;
  double *X = s->f, *G = s->f + 9, *turn = s->f + 15, U[6], W[6];
  sym_vec(U, J, e);
  mat_t_vec(U + 3, own->A.H, e);
  const double d = dot3(e, U) + soft;
  if (!(d > SINGULAR * (J[0] + J[3] + J[5]))) return false;
  for (int k = 0; k < 6; k++) W[k] = U[k] / d;
  for (int l = 0, k = 0; l < 3; l++)
    for (int j = 0; j < 3; j++) {
      turn[3 * l + j] = e[l] * W[j];
      X[3 * l + j] = e[l] * W[3 + j];
      if (j >= l) G[k++] = e[l] * (e[j] / d);
    }
  s->soft = true;
  zero3(s->y);
  if (above == NULL) return true;
  take_out(&own->A, U, W);
  pass_up(above, s, own);
  return true;
}

dls_status dls_forest_factor_soft(const dls_forest *forest, dls_forest_state *state,
                                  const double *soft, dls_fault *fault) {
  sums *sum = (sums *)(void *)state->scratch;
  const lane_run run = {.forest = forest, .node = state->node, .sum = sum, .q = state->q,
                        .u = state->u, .tau = state->tau, .udot = state->udot,
                        .drives = state->drives, .given = state->given, .gravity = state->gravity};
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    set_body(&sum[i].A, node->M.J, node->M.mc, node->M.m);
    if (state->bend != NULL) dls_node_bend(state, i, sum[i].A.J);
    sum[i].P = (bias){{0, 0, 0}, {0, 0, 0}};
    state->node[i].soft = false;
  }
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    sums *above = node->up >= 0 ? &sum[node->up] : NULL;
    const double more = node->nu > 0 && soft != NULL ? soft[node->iu] : 0;
    const double *e = dls_forest_axis(forest, state, i);
    bool good;
    if (e != NULL) good = soften_axis(above, s, &sum[i], e, more);
    else if (more > 0 && node->kind == DLS_NODE_BALL) good = soften_ball(above, s, &sum[i], more);
    else if (more > 0 && node->nu == 1) good = soften_screw(above, node, s, &sum[i], more);
    else good = all_of(lane_up(&run, i));
    if (good) continue;
    *fault = (dls_fault){node->link, 0};
    return DLS_SINGULAR;
  }
  return DLS_OK;
}

/* --- the diagonal of M^-1 --------------------------------------------------------------------- */

/* W and D^-1 of a node with up to three velocities; answers how many. */
static int factor_of(const dls_node *node, const dls_node_state *s, double W[18], double G[9]) {
  const double *f = s->f, *g = NULL;
  switch (node->kind) {
    case DLS_NODE_REVOLUTE:
    case DLS_NODE_SCREW:
      memcpy(W, f, 6 * sizeof *W);
      G[0] = f[6];
      return 1;
    case DLS_NODE_PLANE:
      memcpy(W, f, 18 * sizeof *W);
      g = f + 18;
      break;
    case DLS_NODE_BALL:
      for (int l = 0; l < 3; l++)
        for (int k = 0; k < 3; k++) {
          W[6 * l + k] = s->soft ? f[15 + 3 * l + k] : (l == k ? 1 : 0);
          W[6 * l + 3 + k] = f[3 * l + k];
        }
      g = f + 9;
      break;
    default: return 0;
  }
  const double full[9] = {g[0], g[1], g[2], g[1], g[3], g[4], g[2], g[4], g[5]};
  memcpy(G, full, sizeof full);
  return 3;
}

/* M*^-1 of a free node. */
static void free_response(const dls_node_state *s, double L[36]) {
  const double *X = s->f, *G = s->f + 9, *K = s->f + 15;
  for (int j = 0; j < 6; j++) {
    double y[3], a[3], x[3], t[3], unit[6] = {0};
    unit[j] = 1;
    mat_t_vec(t, X, unit);
    for (int k = 0; k < 3; k++) x[k] = unit[3 + k] - t[k];
    sym_vec(a, K, x);
    sym_vec(y, G, unit);
    mat_vec(t, X, a);
    for (int k = 0; k < 3; k++) {
      L[6 * k + j] = y[k] - t[k];
      L[6 * (3 + k) + j] = a[k];
    }
  }
}

static void spread_response(const dls_node *node, const dls_node_state *s, double T[36],
                            double *diagonal) {
  double W[18], G[9], A[36], V[18], S[9];
  const int n = factor_of(node, s, W, G);
  dls_block_A(node, s, A);
  for (int l = 0; l < n; l++) dls_block_apply(T, W + 6 * l, V + 6 * l);
  for (int l = 0; l < n; l++)
    for (int m = 0; m < n; m++) S[n * l + m] = G[n * l + m] + dls_block_dot(W + 6 * l, V + 6 * m);
  for (int l = 0; l < n; l++) diagonal[l] = S[(n + 1) * l];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int l = 0; l < n; l++) {
        sum -= A[6 * l + i] * V[6 * l + j] + V[6 * l + i] * A[6 * l + j];
        for (int m = 0; m < n; m++) sum += A[6 * l + i] * S[n * l + m] * A[6 * m + j];
      }
      T[6 * i + j] += sum;
    }
}

size_t dls_forest_mobility_bytes(const dls_forest *forest) {
  return dls_arena_bytes((size_t)forest->n_nodes * 36, sizeof(double));
}

dls_status dls_forest_mobility(const dls_forest *forest, const dls_forest_state *state,
                               dls_arena *tmp, double *diagonal) {
  const size_t mark = dls_arena_mark(tmp);
  double *response = DLS_TAKE(tmp, double, (size_t)forest->n_nodes * 36);
  if (response == NULL) return DLS_FULL;
  memset(diagonal, 0, (size_t)forest->nu * sizeof *diagonal);
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    double *T = response + 36 * (size_t)i, C[36], back[36];
    memset(T, 0, 36 * sizeof *T);
    if (node->kind == DLS_NODE_FREE) {
      free_response(s, T);
      continue;
    }
    if (node->up >= 0) {
      dls_block_C(s, C);
      for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) back[6 * r + c] = C[6 * c + r];
      dls_block_congruent(back, response + 36 * (size_t)node->up, T);
    }
    if (node->nu > 0) spread_response(node, s, T, diagonal + node->iu);
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
