/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_PRINCIPAL_H
#define DLS_MATH_PRINCIPAL_H

#include <math.h>

/* Turns of the axes p, q of a symmetric matrix until they are principal (Jacobi). */
static inline void dls_turn_axes(double A[3][3], double V[3][3], int p, int q) {
  if (A[p][q] == 0) return;
  const double x = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const double t = (x < 0 ? -1 : 1) / (fabs(x) + sqrt(x * x + 1)), c = 1 / sqrt(t * t + 1),
               s = t * c;
  for (int k = 0; k < 3; k++) {
    const double u = A[k][p], v = A[k][q];
    A[k][p] = c * u - s * v, A[k][q] = s * u + c * v;
  }
  for (int k = 0; k < 3; k++) {
    const double u = A[p][k], v = A[q][k], x_p = V[k][p], x_q = V[k][q];
    A[p][k] = c * u - s * v, A[q][k] = s * u + c * v;
    V[k][p] = c * x_p - s * x_q, V[k][q] = s * x_p + c * x_q;
  }
  A[p][q] = A[q][p] = 0;
}

/* Symmetric A <- its principal values, on the diagonal; V <- its axes, as columns. */
static inline void dls_principal(double A[3][3], double V[3][3]) {
  enum { TURNS = 12 };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) V[i][j] = i == j;
  for (int n = 0; n < TURNS && (A[0][1] != 0 || A[1][2] != 0 || A[0][2] != 0); n++)
    dls_turn_axes(A, V, 0, 1), dls_turn_axes(A, V, 1, 2), dls_turn_axes(A, V, 0, 2);
}

#endif
