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

/* --- few rows: on the stack of the processor -------------------------------------------------- */
enum { FEW = 8 };

typedef struct few {
  double A[FEW][FEW]; /* the basis, then its factors */
  int perm[FEW]; /* of the rows */
} few;

/* Row exchanges by the largest entry. */
static bool factor_few(few *f, int k) {
  for (int c = 0; c < k; c++) {
    int best = c;
    for (int r = c + 1; r < k; r++)
      if (fabs(f->A[r][c]) > fabs(f->A[best][c])) best = r;
    f->perm[c] = best;
    if (!(fabs(f->A[best][c]) > 0.0)) return false;
    if (best != c)
      for (int j = 0; j < k; j++) {
        const double t = f->A[c][j];
        f->A[c][j] = f->A[best][j];
        f->A[best][j] = t;
      }
    for (int r = c + 1; r < k; r++) {
      const double l = f->A[r][c] /= f->A[c][c];
      for (int j = c + 1; j < k; j++) f->A[r][j] -= l * f->A[c][j];
    }
  }
  return true;
}

/* b becomes A^-1 b. */
static void solve_few(const few *f, int k, double *b) {
  for (int c = 0; c < k; c++) {
    const double t = b[f->perm[c]];
    b[f->perm[c]] = b[c];
    b[c] = t;
  }
  for (int r = 1; r < k; r++)
    for (int j = 0; j < r; j++) b[r] -= f->A[r][j] * b[j];
  for (int r = k; r-- > 0;) {
    for (int j = r + 1; j < k; j++) b[r] -= f->A[r][j] * b[j];
    b[r] /= f->A[r][r];
  }
}

static dls_status basic_few(const dls_lcp *p, const int *set, int k, double *z) {
  few f;
  double x[FEW] = {0.0}, step[FEW];
  for (int a = 0; a < k; a++)
    for (int c = 0; c < k; c++) f.A[a][c] = p->M[set[a] * p->n + set[c]];
  if (!factor_few(&f, k)) return DLS_SINGULAR;
  for (int round = 0; round < 2; round++) {
    residual(p, set, k, x, step);
    solve_few(&f, k, step);
    for (int a = 0; a < k; a++) x[a] += step[a];
  }
  for (int a = 0; a < k; a++)
    if (!dls_is_finite(x[a])) return DLS_SINGULAR;
  for (int i = 0; i < p->n; i++) z[i] = 0.0;
  for (int a = 0; a < k; a++) z[set[a]] = x[a];
  return DLS_OK;
}

/* --- any number of rows ---------------------------------------------------------------------- */
dls_status dls_lcp_basic(const dls_lcp *p, const int *set, int k, dls_stop *stop,
                         dls_arena *tmp, double *z) {
  if (k <= FEW) return basic_few(p, set, k, z);
  const size_t mark = dls_arena_mark(tmp), n = (size_t)k, ld = dls_lanes_ld(k);
  double *A = DLS_TAKE(tmp, double, n * ld), *x = DLS_TAKE(tmp, double, n);
  double *b = DLS_TAKE(tmp, double, n), *step = DLS_TAKE(tmp, double, n);
  int *perm = DLS_TAKE(tmp, int, n);
  dls_status status = DLS_FULL;
  if (A == NULL || x == NULL || b == NULL || step == NULL || perm == NULL) goto done;
  status = DLS_SINGULAR;
  gather(p, set, k, A, ld);
  if (dls_dense_lu_stop(k, A, ld, perm, stop) >= 0) goto done;
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
