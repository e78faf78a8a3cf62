/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/ranked.h"

/* pivots of the equilibrated matrix below this are round-off of dependent rows */
#define RANK 1e-11

#define AT(i, j) A[(size_t)(i) * (size_t)m + (size_t)(j)]

static void swap(double *a, double *b) {
  const double kept = *a;
  *a = *b, *b = kept;
}

/* Largest pivot left comes to (k, k); whether there is one. */
static bool bring_pivot(int m, double *A, double *b, int *perm, int k) {
  int r = k, s = k;
  for (int i = k; i < m; i++)
    for (int j = k; j < m; j++)
      if (fabs(AT(i, j)) > fabs(AT(r, s))) r = i, s = j;
  if (!(fabs(AT(r, s)) > RANK)) return false;
  for (int j = k; j < m; j++) swap(&AT(k, j), &AT(r, j));
  for (int i = 0; i < m; i++) swap(&AT(i, k), &AT(i, s));
  swap(&b[k], &b[r]);
  const int place = perm[k];
  perm[k] = perm[s], perm[s] = place;
  return true;
}

static int eliminate(int m, double *A, double *b, const double *scale, int *perm) {
  for (int i = 0; i < m; i++) {
    perm[i] = i;
    b[i] *= scale[i];
    for (int j = 0; j < m; j++) AT(i, j) *= scale[i] * scale[j];
  }
  int rank = 0;
  for (; rank < m && bring_pivot(m, A, b, perm, rank); rank++)
    for (int i = rank + 1; i < m; i++) {
      const double factor = AT(i, rank) / AT(rank, rank);
      for (int j = rank; j < m; j++) AT(i, j) -= factor * AT(rank, j);
      b[i] -= factor * b[rank];
    }
  return rank;
}

/* x of the upper triangle of `rank` rows with right side c[i] for row i, c stride apart. */
static void substitute(int m, const double *A, int rank, const int *perm, const double *c,
                       size_t stride, double sign, double *x) {
  for (int i = rank - 1; i >= 0; i--) {
    double sum = sign * c[(size_t)i * stride];
    for (int j = i + 1; j < rank; j++) sum -= AT(i, j) * x[perm[j]];
    x[perm[i]] = sum / AT(i, i);
  }
}

static double inner(int m, const double *scale, const double *share, const double *x,
                    const double *y) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += scale[i] * scale[i] / share[i] * x[i] * y[i];
  return sum;
}

/* x less its parts along the kernel. */
static void leave_kernel(int m, const double *A, const double *scale, const double *share,
                         const int *perm, int rank, double *kernel, double *x) {
  for (int f = rank; f < m; f++) {
    double *n = kernel + (size_t)(f - rank) * (size_t)m;
    for (int i = 0; i < m; i++) n[i] = 0;
    n[perm[f]] = 1;
    substitute(m, A, rank, perm, &AT(0, f), (size_t)m, -1, n);
    for (int k = 0; k <= f - rank; k++) { /* Gram and Schmidt; its own length at last */
      const double *other = kernel + (size_t)k * (size_t)m;
      const double part = inner(m, scale, share, n, other);
      if (k < f - rank)
        for (int i = 0; i < m; i++) n[i] -= part * other[i];
      else
        for (int i = 0; i < m; i++) n[i] /= part > 0 ? sqrt(part) : 1;
    }
    const double along = inner(m, scale, share, x, n);
    for (int i = 0; i < m; i++) x[i] -= along * n[i];
  }
}

int dls_ranked_solve_shared(int m, double *A, double *b, const double *scale, const double *share,
                            int *perm, double *kernel, double *x) {
  const int rank = eliminate(m, A, b, scale, perm);
  for (int i = 0; i < m; i++) x[i] = 0;
  substitute(m, A, rank, perm, b, 1, 1, x);
  if (share != NULL && rank < m) leave_kernel(m, A, scale, share, perm, rank, kernel, x);
  for (int i = 0; i < m; i++) x[i] *= scale[i];
  return rank;
}

int dls_ranked_solve(int m, double *A, double *b, const double *scale, int *perm, double *x) {
  return dls_ranked_solve_shared(m, A, b, scale, NULL, perm, NULL, x);
}
#undef AT
