/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/dense.h"

#define PANEL 64 /* rows whose update of the rest is one gemm: a multiple of GROUP */
#define STRIP 256 /* rows of that update between two questions to a dls_stop       */
#define GROUP 8  /* rows worked on one by one                                      */

static int lesser(int a, int b) { return a < b ? a : b; }

static double *at(double *A, size_t ld, int i, int j) { return A + (size_t)i * ld + j; }
static const double *see(const double *A, size_t ld, int i, int j) {
  return A + (size_t)i * ld + j;
}

/* --- Cholesky ------------------------------------------------------------------------------- */
/* Rows k0 .. k1-1, at most GROUP of them, already free of the rows above. */
static int factor_group(const dls_lanes *l, int np, int k0, int k1, double *R, size_t ld,
                        double *pivot) {
  for (int k = k0; k < k1; k++) {
    double *row = at(R, ld, k, 0);
    if (!(row[k] > 0.0)) {
      *pivot = row[k];
      return k;
    }
    const double root = sqrt(row[k]), inverse = 1.0 / root;
    for (int j = k0; j < np; j++) row[j] *= inverse;
    row[k] = root;
    for (int i = k + 1; i < k1; i++)
      l->axpy(np - k0, -row[i], row + k0, at(R, ld, i, k0));
  }
  return -1;
}

/* C = A'B taken off the rows and columns from p1 on, in strips: each is one question. */
static bool update_rest(const dls_lanes *l, int n, int p0, int p1, double *R, size_t ld,
                        dls_stop *stop) {
  const int np = dls_lanes_round(n);
  for (int r0 = p1; r0 < n; r0 += STRIP) {
    const int rows = lesser(STRIP, n - r0);
    l->gemm(rows, np - r0, p1 - p0, see(R, ld, p0, r0), 1, ld, see(R, ld, p0, r0), ld,
            at(R, ld, r0, r0), ld, true);
    if (dls_stop_poll(stop, (double)rows * (n - r0) * (p1 - p0))) return false;
  }
  return true;
}

int dls_dense_cholesky(int n, double *R, size_t ld, double *pivot) {
  return dls_dense_cholesky_stop(n, R, ld, pivot, NULL);
}

int dls_dense_cholesky_stop(int n, double *R, size_t ld, double *pivot, dls_stop *stop) {
  const dls_lanes *l = dls_lanes_best();
  const int np = dls_lanes_round(n);
  for (int p0 = 0; p0 < n; p0 += PANEL) {
    const int p1 = lesser(p0 + PANEL, n);
    for (int k0 = p0; k0 < p1; k0 += GROUP) {
      const int k1 = lesser(k0 + GROUP, n);
      l->gemm(k1 - k0, np - k0, k0 - p0, see(R, ld, p0, k0), 1, ld, see(R, ld, p0, k0), ld,
              at(R, ld, k0, k0), ld, false);
      const int bad = factor_group(l, np, k0, k1, R, ld, pivot);
      if (bad >= 0) return bad;
    }
    if (!update_rest(l, n, p0, p1, R, ld, stop)) return n;
  }
  return -1;
}

/* --- triangular solves ---------------------------------------------------------------------- */
void dls_dense_forward(int n, const double *R, size_t ld, double *b) {
  const dls_lanes *l = dls_lanes_best();
  for (int k0 = 0; k0 < n; k0 += GROUP) {
    const int k1 = lesser(k0 + GROUP, n);
    double less[GROUP];
    for (int k = k0; k < k1; k++) {
      const double *row = see(R, ld, k, 0);
      b[k] /= row[k];
      less[k - k0] = -b[k];
      for (int j = k + 1; j < k1; j++) b[j] -= b[k] * row[j];
    }
    l->gemv_t(k1 - k0, n - k1, see(R, ld, k0, k1), ld, less, b + k1);
  }
}

void dls_dense_backward(int n, const double *R, size_t ld, double *b) {
  const dls_lanes *l = dls_lanes_best();
  for (int k0 = (n - 1) / GROUP * GROUP; k0 >= 0 && n > 0; k0 -= GROUP) {
    const int k1 = lesser(k0 + GROUP, n);
    double sum[GROUP];
    l->gemv(k1 - k0, n - k1, see(R, ld, k0, k1), ld, b + k1, sum);
    for (int k = k1 - 1; k >= k0; k--) {
      const double *row = see(R, ld, k, 0);
      double value = b[k] - sum[k - k0];
      for (int j = k + 1; j < k1; j++) value -= row[j] * b[j];
      b[k] = value / row[k];
    }
  }
}

void dls_dense_forward_many(int n, const double *R, size_t ld, int m, double *B, size_t ldb) {
  const dls_lanes *l = dls_lanes_best();
  const int mp = dls_lanes_round(m);
  for (int k0 = 0; k0 < n; k0 += GROUP) {
    const int k1 = lesser(k0 + GROUP, n);
    l->gemm(k1 - k0, mp, k0, see(R, ld, 0, k0), 1, ld, B, ldb, at(B, ldb, k0, 0), ldb, false);
    for (int k = k0; k < k1; k++) {
      const double *row = see(R, ld, k, 0);
      double *b = at(B, ldb, k, 0);
      for (int j = 0; j < mp; j++) b[j] /= row[k];
      for (int i = k + 1; i < k1; i++) l->axpy(mp, -row[i], b, at(B, ldb, i, 0));
    }
  }
}

/* --- definiteness --------------------------------------------------------------------------- */
#define ALLOWED 1e-10 /* of a diagonal: what a semidefinite matrix may be below zero by round-off */

/* A zero diagonal must have zeros beside it. */
static bool lonely(int n, const double *row, int i, dls_fault *fault) {
  for (int j = 0; j < n; j++)
    if (row[j] != 0.0 && j != i) {
      *fault = (dls_fault){i, row[j]};
      return false;
    }
  return true;
}

bool dls_dense_semidefinite(int n, const double *A, size_t lda, double *R, size_t ld,
                            dls_stop *stop, dls_fault *fault) {
  const int np = dls_lanes_round(n);
  for (int i = 0; i < n; i++) {
    const double *row = see(A, lda, i, 0);
    memcpy(at(R, ld, i, 0), row, (size_t)n * sizeof *row);
    for (int j = n; j < np; j++) *at(R, ld, i, j) = 0.0;
    *at(R, ld, i, i) = row[i] == 0.0 ? 1.0 : row[i] * (1.0 + ALLOWED);
    if (row[i] == 0.0 && !lonely(n, row, i, fault)) return false;
  }
  double pivot = 0.0;
  const int bad = dls_dense_cholesky_stop(n, R, ld, &pivot, stop);
  if (bad >= 0) *fault = (dls_fault){bad, pivot};
  return bad < 0;
}

/* --- LU ------------------------------------------------------------------------------------- */
/* Row of the largest |A_ik|, i >= k; -1 where all are zero or one is not finite. */
static int largest(int n, const double *A, size_t ld, int k) {
  int best = -1;
  double most = 0.0;
  for (int i = k; i < n; i++) {
    const double size = fabs(*see(A, ld, i, k));
    if (!dls_is_finite(size)) return -1;
    if (size > most) {
      most = size;
      best = i;
    }
  }
  return best;
}

static void swap_rows(int np, double *A, size_t ld, int *perm, int i, int j) {
  if (i == j) return;
  double *a = at(A, ld, i, 0), *b = at(A, ld, j, 0);
  for (int k = 0; k < np; k++) {
    const double t = a[k];
    a[k] = b[k];
    b[k] = t;
  }
  const int t = perm[i];
  perm[i] = perm[j];
  perm[j] = t;
}

/* Columns p0 .. p1-1, the rest of each row being left to the caller. */
static int factor_panel(int n, int np, int p0, int p1, double *A, size_t ld, int *perm) {
  const dls_lanes *l = dls_lanes_best();
  for (int k = p0; k < p1; k++) {
    const int best = largest(n, A, ld, k);
    if (best < 0) return k;
    swap_rows(np, A, ld, perm, k, best);
    const double *row = see(A, ld, k, 0);
    for (int i = k + 1; i < n; i++) {
      double *other = at(A, ld, i, 0);
      other[k] /= row[k];
      if (other[k] != 0.0) l->axpy(p1 - k - 1, -other[k], row + k + 1, other + k + 1);
    }
  }
  return -1;
}

int dls_dense_lu(int n, double *A, size_t ld, int *perm) {
  return dls_dense_lu_stop(n, A, ld, perm, NULL);
}

int dls_dense_lu_stop(int n, double *A, size_t ld, int *perm, dls_stop *stop) {
  enum { COLUMNS = 32 };
  const dls_lanes *l = dls_lanes_best();
  const int np = dls_lanes_round(n);
  for (int i = 0; i < n; i++) perm[i] = i;
  for (int p0 = 0; p0 < n; p0 += COLUMNS) {
    const int p1 = lesser(p0 + COLUMNS, n);
    const int bad = factor_panel(n, np, p0, p1, A, ld, perm);
    if (bad >= 0) return bad;
    if (p1 == n) break;
    for (int k = p0; k < p1; k++)
      for (int i = k + 1; i < p1; i++)
        l->axpy(np - p1, -*see(A, ld, i, k), see(A, ld, k, p1), at(A, ld, i, p1));
    for (int r0 = p1; r0 < n; r0 += STRIP) {
      const int rows = lesser(STRIP, n - r0);
      l->gemm(rows, np - p1, p1 - p0, see(A, ld, r0, p0), ld, 1, see(A, ld, p0, p1), ld,
              at(A, ld, r0, p1), ld, false);
      if (dls_stop_poll(stop, (double)rows * (n - p1) * (p1 - p0))) return n;
    }
  }
  return -1;
}

void dls_dense_lu_solve(int n, const double *LU, size_t ld, const int *perm, const double *b,
                        double *x) {
  const dls_lanes *l = dls_lanes_best();
  for (int i = 0; i < n; i++) x[i] = b[perm[i]] - l->dot(i, see(LU, ld, i, 0), x);
  for (int i = n - 1; i >= 0; i--) {
    const double *row = see(LU, ld, i, 0);
    x[i] = (x[i] - l->dot(n - i - 1, row + i + 1, x + i + 1)) / row[i];
  }
}

/* --- pivoted Cholesky ----------------------------------------------------------------------- */
static void swap_both(int n, int np, double *A, size_t ld, int *perm, int i, int j) {
  if (i == j) return;
  swap_rows(np, A, ld, perm, i, j);
  for (int k = 0; k < n; k++) {
    const double t = *see(A, ld, k, i);
    *at(A, ld, k, i) = *see(A, ld, k, j);
    *at(A, ld, k, j) = t;
  }
}

int dls_dense_cholesky_pivoted(int n, double *A, size_t ld, double tol, int *perm) {
  const dls_lanes *l = dls_lanes_best();
  const int np = dls_lanes_round(n);
  for (int i = 0; i < n; i++) perm[i] = i;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (*see(A, ld, i, i) > *see(A, ld, best, best)) best = i;
    if (!(*see(A, ld, best, best) > tol)) return k;
    swap_both(n, np, A, ld, perm, k, best);
    double *row = at(A, ld, k, 0);
    const double root = sqrt(row[k]);
    for (int j = 0; j < k; j++) row[j] = 0.0;
    for (int j = k + 1; j < np; j++) row[j] /= root;
    row[k] = root;
    for (int i = k + 1; i < n; i++) l->axpy(np - k - 1, -row[i], row + k + 1, at(A, ld, i, k + 1));
  }
  return n;
}

int dls_dense_clear_rank(int n, int rank, const double *R, size_t ld, const double *b,
                         const double *y, double pivot, const double *left) {
  int clear = 0;
  while (clear < rank) {
    const double root = R[(size_t)clear * ld + (size_t)clear];
    if (!(root * root > pivot)) break;
    clear++;
  }
  for (int j = clear; j < n; j++) {
    double more = b[j];
    for (int i = 0; i < clear; i++) more -= R[(size_t)i * ld + (size_t)j] * y[i];
    if (fabs(more) > left[j]) return rank;
  }
  return clear;
}
