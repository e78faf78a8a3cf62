/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_BLOCK_H
#define DLS_FOREST_BLOCK_H

#include "core/forest/joint.h"

/* The 6 x 6 blocks of EQUATIONS C in node coordinates, for the methods that work with them as they
** are published (ldl, sweep, dense). All row-major. */

static inline void dls_block_add(double *M, int i, int j, const double *A3, double sign) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) M[6 * (3 * i + r) + 3 * j + c] = sign * A3[3 * r + c];
}

/* C_i = [ E', 0 ; -E' r~, E' ] */
static inline void dls_block_C(const dls_node_state *s, double C[36]) {
  const dls_mat3 E = dls_m3_load(s->E), Et = dls_m3_transpose(&E);
  const dls_mat3 skew = dls_m3_skew(dls_v3_load(s->r)), low = dls_m3_mul(&Et, &skew);
  memset(C, 0, 36 * sizeof(double));
  dls_block_add(C, 0, 0, Et.m, 1);
  dls_block_add(C, 1, 0, low.m, -1);
  dls_block_add(C, 1, 1, Et.m, 1);
}

/* M_i = [ J, m r~ ; -m r~, m E ] */
static inline void dls_block_M(const dls_inertia *in, double M[36]) {
  const double *J = in->J;
  const double full[9] = {J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]};
  const dls_mat3 skew = dls_m3_skew(dls_v3_load(in->mc)), mass = dls_m3_diag(in->m, in->m, in->m);
  dls_block_add(M, 0, 0, full, 1);
  dls_block_add(M, 0, 1, skew.m, 1);
  dls_block_add(M, 1, 0, skew.m, -1);
  dls_block_add(M, 1, 1, mass.m, 1);
}

/* Columns of A_i, one after another: A[6 k ..]. */
static inline void dls_block_A(const dls_node *node, const dls_node_state *s, double A[36]) {
  for (int k = 0; k < node->nu; k++) {
    double unit[6] = {0};
    unit[k] = 1;
    dls_sp_store(A + 6 * k, dls_node_motion(node, s, unit));
  }
}

/* y = M x, 6 x 6 */
static inline void dls_block_apply(const double M[36], const double x[6], double y[6]) {
  double out[6];
  for (int i = 0; i < 6; i++) {
    const double *m = M + 6 * i;
    out[i] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + m[3] * x[3] + m[4] * x[4] + m[5] * x[5];
  }
  memcpy(y, out, sizeof out);
}
/* y = M' x */
static inline void dls_block_apply_t(const double M[36], const double x[6], double y[6]) {
  double out[6];
  for (int i = 0; i < 6; i++)
    out[i] = M[i] * x[0] + M[6 + i] * x[1] + M[12 + i] * x[2] + M[18 + i] * x[3] +
             M[24 + i] * x[4] + M[30 + i] * x[5];
  memcpy(y, out, sizeof out);
}
/* out += C' M C for a symmetric M: one triangle computed, the other copied. */
static inline void dls_block_congruent(const double C[36], const double M[36], double out[36]) {
  double T[36];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += M[6 * i + k] * C[6 * k + j];
      T[6 * i + j] = sum;
    }
  for (int i = 0; i < 6; i++)
    for (int j = i; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += C[6 * k + i] * T[6 * k + j];
      out[6 * i + j] += sum;
      if (j > i) out[6 * j + i] += sum;
    }
}
static inline double dls_block_dot(const double *x, const double *y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5];
}

/* Cholesky factor L of the n x n matrix U (n <= 6, rows of 6): U = L L', in place, lower.
** Returns the row whose pivot is not above `share` of its diagonal entry, or -1. */
static inline int dls_block_cholesky(double U[36], int n, double share, double *pivot) {
  for (int i = 0; i < n; i++) {
    const double diagonal = U[6 * i + i];
    for (int j = 0; j <= i; j++) {
      double sum = U[6 * i + j];
      for (int k = 0; k < j; k++) sum -= U[6 * i + k] * U[6 * j + k];
      if (j < i) {
        U[6 * i + j] = sum / U[6 * j + j];
      } else {
        *pivot = sum;
        if (!(sum > share * diagonal) || !(sum > 0)) return i;
        U[6 * i + i] = sqrt(sum);
      }
    }
  }
  return -1;
}
/* x <- L^-1 x and x <- L^-T x */
static inline void dls_block_forward(const double L[36], int n, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[6 * i + k] * x[k];
    x[i] /= L[6 * i + i];
  }
}
static inline void dls_block_backward(const double L[36], int n, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= L[6 * k + i] * x[k];
    x[i] /= L[6 * i + i];
  }
}

/* Motion of node i's parent, gravity taken off: what C_i multiplies. */
static inline void dls_block_parent(const dls_forest *forest, const dls_forest_state *state, int i,
                                    double w[6]) {
  const int k = forest->nodes[i].parent;
  const double root[6] = {0, 0, 0, -state->gravity[0], -state->gravity[1], -state->gravity[2]};
  memcpy(w, k >= 0 ? state->node[k].w : root, sizeof root);
}

#endif
