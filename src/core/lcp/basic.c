/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/basic.h"

#define REFINEMENTS 2 /* each gains what double precision of the residual can give */

double dls_lu_factor(int k, double *A, int ld, int *perm) {
  const size_t n = (size_t)k, m = (size_t)ld;
  double smallest = DLS_INF;
  for (size_t j = 0; j < n; j++) {
    size_t best = j;
    for (size_t i = j + 1; i < n; i++)
      if (fabs(A[i * m + j]) > fabs(A[best * m + j])) best = i;
    perm[j] = (int)best;
    if (best != j) {
      for (size_t l = 0; l < n; l++) {
        const double t = A[j * m + l];
        A[j * m + l] = A[best * m + l];
        A[best * m + l] = t;
      }
    }
    const double pivot = A[j * m + j];
    if (!(fabs(pivot) > 0.0)) return 0.0;
    smallest = dls_min(smallest, fabs(pivot));
    for (size_t i = j + 1; i < n; i++) {
      const double f = A[i * m + j] / pivot;
      A[i * m + j] = f;
      if (f == 0.0) continue;
      const double *restrict from = A + j * m;
      double *restrict to = A + i * m;
      for (size_t l = j + 1; l < n; l++) to[l] -= f * from[l];
    }
  }
  return smallest;
}

void dls_lu_solve(int k, const double *LU, int ld, const int *perm, double *b) {
  const size_t n = (size_t)k, m = (size_t)ld;
  for (size_t i = 0; i < n; i++) {
    const size_t other = (size_t)perm[i];
    const double t = b[i];
    b[i] = b[other];
    b[other] = t;
  }
  for (size_t i = 1; i < n; i++) {
    double s = b[i];
    for (size_t l = 0; l < i; l++) s -= LU[i * m + l] * b[l];
    b[i] = s;
  }
  for (size_t i = n; i-- > 0;) {
    double s = b[i];
    for (size_t l = i + 1; l < n; l++) s -= LU[i * m + l] * b[l];
    b[i] = s / LU[i * m + i];
  }
}

size_t dls_lcp_basic_bytes(int k) {
  const size_t n = (size_t)k;
  size_t bytes = dls_arena_bytes(dls_bytes(n, n), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(int)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(double)));
  return dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(double)));
}

/* b = -q_S - M_SS x */
static void residual(const dls_lcp *p, const int *set, int k, const double *x, double *b) {
  for (int a = 0; a < k; a++) {
    const double *row = p->M + (size_t)set[a] * (size_t)p->n;
    double s = -p->q[set[a]];
    for (int c = 0; c < k; c++) s -= row[set[c]] * x[c];
    b[a] = s;
  }
}

dls_status dls_lcp_basic(const dls_lcp *p, const int *set, int k, dls_arena *tmp, double *z) {
  const size_t mark = dls_arena_mark(tmp), n = (size_t)k;
  double *A = DLS_TAKE(tmp, double, n * n), *x = DLS_TAKE(tmp, double, n);
  double *b = DLS_TAKE(tmp, double, n);
  int *perm = DLS_TAKE(tmp, int, n);
  dls_status status = DLS_FULL;
  if (A == NULL || x == NULL || b == NULL || perm == NULL) goto done;
  for (int a = 0; a < k; a++) {
    for (int c = 0; c < k; c++)
      A[(size_t)a * n + (size_t)c] = p->M[(size_t)set[a] * (size_t)p->n + (size_t)set[c]];
    x[a] = 0.0;
  }
  status = DLS_SINGULAR;
  if (k > 0 && dls_lu_factor(k, A, k, perm) == 0.0) goto done;
  for (int round = 0; round <= REFINEMENTS; round++) {
    residual(p, set, k, x, b);
    dls_lu_solve(k, A, k, perm, b);
    for (int a = 0; a < k; a++) x[a] += b[a];
  }
  for (int a = 0; a < k; a++)
    if (!dls_is_finite(x[a])) goto done;
  for (int i = 0; i < p->n; i++) z[i] = 0.0;
  for (int a = 0; a < k; a++) z[set[a]] = x[a];
  status = DLS_OK;
done:
  dls_arena_release(tmp, mark);
  return status;
}
