/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/sparse.h"

void dls_sparse_times(const dls_sparse *A, const double *x, double *y) {
  for (int i = 0; i < A->n_rows; i++) {
    double sum = 0.0;
    for (int e = A->start[i]; e < A->start[i + 1]; e++) sum += A->value[e] * x[A->col[e]];
    y[i] = sum;
  }
}

double dls_sparse_at(const dls_sparse *A, int i, int j) {
  int lo = A->start[i], hi = A->start[i + 1];
  while (lo < hi) {
    const int mid = lo + (hi - lo) / 2;
    if (A->col[mid] < j) lo = mid + 1;
    else hi = mid;
  }
  return lo < A->start[i + 1] && A->col[lo] == j ? A->value[lo] : 0.0;
}
