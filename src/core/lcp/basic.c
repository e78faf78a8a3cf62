/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/basic.h"

#include "core/math/dense.h"

#define REFINEMENTS 2 /* each gains what double precision of the residual can give */

size_t dls_lcp_basic_bytes(int k) {
  const size_t n = (size_t)k;
  size_t bytes = dls_arena_bytes(dls_bytes(n, dls_lanes_ld(k)), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(int)));
  for (int i = 0; i < 3; i++) bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(double)));
  return bytes;
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

static void gather(const dls_lcp *p, const int *set, int k, double *A, size_t ld) {
  memset(A, 0, (size_t)k * ld * sizeof *A);
  for (int a = 0; a < k; a++)
    for (int c = 0; c < k; c++)
      A[(size_t)a * ld + (size_t)c] = p->M[(size_t)set[a] * (size_t)p->n + (size_t)set[c]];
}

dls_status dls_lcp_basic(const dls_lcp *p, const int *set, int k, dls_arena *tmp, double *z) {
  const size_t mark = dls_arena_mark(tmp), n = (size_t)k, ld = dls_lanes_ld(k);
  double *A = DLS_TAKE(tmp, double, n * ld), *x = DLS_TAKE(tmp, double, n);
  double *b = DLS_TAKE(tmp, double, n), *step = DLS_TAKE(tmp, double, n);
  int *perm = DLS_TAKE(tmp, int, n);
  dls_status status = DLS_FULL;
  if (A == NULL || x == NULL || b == NULL || step == NULL || perm == NULL) goto done;
  status = DLS_SINGULAR;
  gather(p, set, k, A, ld);
  if (dls_dense_lu(k, A, ld, perm) >= 0) goto done;
  for (int a = 0; a < k; a++) x[a] = 0.0;
  for (int round = 0; round <= REFINEMENTS; round++) {
    residual(p, set, k, x, b);
    dls_dense_lu_solve(k, A, ld, perm, b, step);
    for (int a = 0; a < k; a++) x[a] += step[a];
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
