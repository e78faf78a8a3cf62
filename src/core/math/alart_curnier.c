/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/alart_curnier.h"

/* X and Y of a part that slides: F = z - mu x_n w, w = x / |x|. */
static void slide_slopes(int n, int at, int rows, double mu, double rho, double x_n,
                         const double *x, double size, double *X, double *Y) {
  const double r = mu * x_n / size, w[2] = {x[0] / size, rows == 2 ? x[1] / size : 0};
  for (int i = 0; i < rows; i++) {
    const int row = (at + i) * n;
    Y[row] = -mu * w[i];
    X[row] = rho * mu * w[i];
    for (int j = 0; j < rows; j++) {
      const double turn = r * ((i == j) - w[i] * w[j]);
      Y[row + at + j] = (i == j) - turn;
      X[row + at + j] = rho * turn;
    }
  }
}

void dls_alart_curnier_slopes(const dls_cone_shape *shape, int n, double lo, double hi, double rho,
                              const double *z, const double *y, double *X, double *Y) {
  memset(X, 0, (size_t)(n * n) * sizeof *X);
  memset(Y, 0, (size_t)(n * n) * sizeof *Y);
  for (int k = 0; shape->n_parts == 0 && k < n; k++) {
    const double x = z[k] - rho * y[k];
    const bool inside = x > lo && x < hi;
    X[k * n + k] = inside ? rho : 0;
    Y[k * n + k] = inside ? 0 : 1;
  }
  if (shape->n_parts == 0) return;
  const double x_n = z[0] - rho * y[0];
  if (!(x_n > 0)) { /* open */
    for (int k = 0; k < n; k++) Y[k * n + k] = 1;
    return;
  }
  X[0] = rho;
  for (int k = 0, at = 1; k < shape->n_parts; at += shape->rows[k], k++) {
    const int rows = shape->rows[k];
    double x[2] = {0, 0};
    for (int i = 0; i < rows; i++) x[i] = z[at + i] - rho * y[at + i];
    const double size = rows == 1 ? fabs(x[0]) : sqrt(x[0] * x[0] + x[1] * x[1]);
    if (size > shape->mu[k] * x_n) {
      slide_slopes(n, at, rows, shape->mu[k], rho, x_n, x, size, X, Y);
    } else {
      for (int i = 0; i < rows; i++) X[(at + i) * (n + 1)] = rho;
    }
  }
}
