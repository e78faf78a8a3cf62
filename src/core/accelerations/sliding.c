/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/sliding.h"

#include "core/lcp/enumerate.h"
#include "core/lcp/lemke.h"
#include "core/math/dense.h"

typedef struct reduced {
  int n, m, n_held;      /* rows; unknowns z; bilateral rows                       */
  int *held;             /* n: those                                               */
  int *row, *part;       /* n: of unknown k its row; 0 force, 1 and 2 of friction  */
  double *C;             /* n x m                                                  */
  double *W, *b;         /* n x n, n: W~ and b~                                    */
  double *R;             /* n x ld: factor of W_BB with unit diagonal, pivoted     */
  double *unit, *y;      /* ld each                                                */
  int *perm, rank;       /* of it                                                  */
  double *M, *q, *z, *w; /* m x m; m each                                          */
  double *x;             /* n: forces of another solution                          */
  size_t ld;
} reduced;

static bool slides(const dls_acc_row *row, int joint) { return joint < 0 && row->kind == DLS_ROW_BOX; }

bool dls_sliding_is(int dim, int n, const dls_acc_row *row, const int *joint) {
  bool some = false;
  for (int i = 0; i < n; i++) {
    const int kind = row[i].kind;
    some = some || slides(&row[i], joint[i]);
    if (kind == DLS_ROW_BILATERAL || kind == DLS_ROW_UNILATERAL || slides(&row[i], joint[i])) continue;
    if (kind != DLS_ROW_CONE || dim != 2) return false;
  }
  return some;
}

/* Unknowns and C; mu of a resting contact is in arm[0]. */
static void list(const dls_acc_row *row, const int *joint, reduced *r) {
  const int n = r->n, m_room = 2 * n;
  for (int i = 0; i < n; i++) {
    if (row[i].kind == DLS_ROW_BILATERAL) r->held[r->n_held++] = i;
    if (row[i].kind != DLS_ROW_UNILATERAL && row[i].kind != DLS_ROW_CONE) continue;
    const int parts = row[i].kind == DLS_ROW_CONE ? 3 : 1;
    for (int k = 0; k < parts; k++) {
      r->row[r->m] = i;
      r->part[r->m] = k;
      r->m++;
    }
    double *C = r->C + r->m - parts; /* columns; rows m_room apart */
    C[(size_t)i * (size_t)m_room] = 1;
    if (parts == 3) {
      C[(size_t)(i + 1) * (size_t)m_room] = row[i].arm[0];
      C[(size_t)(i + 1) * (size_t)m_room + 1] = -1;
    }
    for (int s = i + 1; s < n && (row[s].kind == DLS_ROW_CONE || slides(&row[s], joint[s])); s++)
      if (slides(&row[s], joint[s]) && s - row[s].back == i) C[(size_t)s * (size_t)m_room] = -row[s].arm[0];
    if (parts == 3) i++;
  }
}

/* R of W_BB. */
static void factor_held(const double *W, reduced *r) {
  static const double DEPENDENT = 1e-12; /* of the diagonal */
  const size_t n = (size_t)r->n;
  memset(r->R, 0, n * r->ld * sizeof *r->R);
  for (int i = 0; i < r->n_held; i++) {
    const double own = W[(size_t)r->held[i] * n + (size_t)r->held[i]];
    r->unit[i] = own > 0 ? 1 / sqrt(own) : 0;
  }
  for (int i = 0; i < r->n_held; i++)
    for (int j = 0; j < r->n_held; j++)
      r->R[(size_t)i * r->ld + (size_t)j] = r->unit[i] * r->unit[j] * W[(size_t)r->held[i] * n + (size_t)r->held[j]];
  r->rank = dls_dense_cholesky_pivoted(r->n_held, r->R, r->ld, DEPENDENT * (double)(r->n_held + 1), r->perm);
}

/* y of W_BB y = y, in place, by held rows; dependent ones get none. */
static void solve_held(reduced *r, double *y) {
  double *t = r->y;
  memset(t, 0, r->ld * sizeof *t);
  for (int i = 0; i < r->rank; i++) t[i] = r->unit[r->perm[i]] * y[r->perm[i]];
  dls_dense_forward(r->rank, r->R, r->ld, t);
  dls_dense_backward(r->rank, r->R, r->ld, t);
  memset(y, 0, (size_t)r->n_held * sizeof *y);
  for (int i = 0; i < r->rank; i++) y[r->perm[i]] = r->unit[r->perm[i]] * t[i];
}

/* W~ and b~, column by column; y: n_held, scratch. */
static void eliminate(const double *W, const double *b, reduced *r, double *y) {
  const size_t n = (size_t)r->n;
  memcpy(r->W, W, n * n * sizeof *W);
  memcpy(r->b, b, n * sizeof *b);
  if (r->n_held == 0) return;
  for (size_t j = 0; j <= n; j++) {
    for (int k = 0; k < r->n_held; k++) y[k] = j < n ? W[(size_t)r->held[k] * n + j] : b[r->held[k]];
    solve_held(r, y);
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < r->n_held; k++) sum += W[i * n + (size_t)r->held[k]] * y[k];
      if (j < n) r->W[i * n + j] -= sum;
      else r->b[i] -= sum;
    }
  }
}

/* M and q. */
static void write_problem(const dls_acc_row *row, reduced *r) {
  const size_t n = (size_t)r->n, m = (size_t)r->m, room = 2 * n;
  for (size_t k = 0; k < m; k++) {
    double *M = r->M + k * m;
    memset(M, 0, m * sizeof *M);
    r->q[k] = 0;
    if (r->part[k] == 2) { /* mu x_N + x_T */
      M[k - 2] = 2 * row[r->row[k]].arm[0];
      M[k - 1] = -1;
      continue;
    }
    const size_t i = (size_t)r->row[k] + (size_t)r->part[k];
    const double sign = r->part[k] == 1 ? -1 : 1; /* v_N; v_T+ - v_T */
    for (size_t l = 0; l < m; l++)
      for (size_t j = 0; j < n; j++) M[l] += sign * r->W[i * n + j] * r->C[j * room + l];
    r->q[k] = sign * r->b[i];
    if (r->part[k] == 1) M[k + 1] += 1;
  }
}

/* x of z. */
static void forces_of(const double *W, const double *b, reduced *r, const double *z, double *x) {
  const size_t n = (size_t)r->n, room = 2 * n;
  for (size_t i = 0; i < n; i++) {
    x[i] = 0;
    for (int k = 0; k < r->m; k++) x[i] += r->C[i * room + (size_t)k] * z[k];
  }
  double *y = r->w; /* n_held: the room of w is 2 n */
  for (int k = 0; k < r->n_held; k++) {
    y[k] = b[r->held[k]];
    for (size_t j = 0; j < n; j++) y[k] += W[(size_t)r->held[k] * n + j] * x[j];
  }
  solve_held(r, y);
  for (int k = 0; k < r->n_held; k++) x[r->held[k]] = -y[k];
}

/* Whether the accelerations of x and y differ: (x - y)' W (x - y), the square of M^1/2 times that. */
static bool differ(size_t n, const double *W, const double *x, const double *y) {
  static const double SAME = 1e-12; /* squared */
  double apart = 0, size = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      apart += (x[i] - y[i]) * W[i * n + j] * (x[j] - y[j]);
      size += x[i] * W[i * n + j] * x[j] + y[i] * W[i * n + j] * y[j];
    }
  return apart > SAME * size;
}

static dls_status take(dls_arena *tmp, reduced *r) {
  const size_t n = (size_t)r->n;
  r->held = DLS_TAKE(tmp, int, 2 * n);
  r->row = DLS_TAKE(tmp, int, 3 * n);
  r->part = DLS_TAKE(tmp, int, 3 * n);
  r->perm = DLS_TAKE(tmp, int, n);
  r->C = DLS_TAKE(tmp, double, 2 * n * n);
  r->W = DLS_TAKE(tmp, double, n * n);
  r->b = DLS_TAKE(tmp, double, n);
  r->R = DLS_TAKE(tmp, double, n * r->ld);
  r->unit = DLS_TAKE(tmp, double, r->ld);
  r->y = DLS_TAKE(tmp, double, r->ld);
  r->M = DLS_TAKE(tmp, double, 4 * n * n);
  r->q = DLS_TAKE(tmp, double, 2 * n);
  r->z = DLS_TAKE(tmp, double, 2 * n);
  r->w = DLS_TAKE(tmp, double, 2 * n);
  r->x = DLS_TAKE(tmp, double, n);
  if (!r->held || !r->row || !r->part || !r->perm || !r->C || !r->W || !r->b || !r->R || !r->unit || !r->y ||
      !r->M || !r->q || !r->z || !r->w || !r->x)
    return DLS_FULL;
  memset(r->C, 0, 2 * n * n * sizeof *r->C);
  return DLS_OK;
}

/* All solutions of the small problem: how many differ, at most 2; the first is x. */
static dls_status enumerate(const dls_alloc *alloc, const dls_lcp *p, const double *W, const double *b, reduced *r,
                            double *x, int *n_found, dls_arena *tmp) {
  dls_lcp_solutions all = dls_lcp_solutions_over(*alloc);
  dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_report report;
  opts.solutions = &all;
  dls_status status = dls_lcp_enumerate(p, &opts, tmp, r->z, r->w, &report);
  for (int k = 0; k < all.n_found && status == DLS_OK; k++) {
    forces_of(W, b, r, all.z + (size_t)k * (size_t)r->m, k == 0 ? x : r->x);
    if (k == 0 || differ((size_t)r->n, W, x, r->x)) ++*n_found;
  }
  *n_found = *n_found > 2 ? 2 : *n_found;
  dls_lcp_solutions_destroy(&all);
  return status;
}

dls_status dls_sliding_solve(const dls_alloc *alloc, int n, const dls_acc_row *row, const int *joint, const double *W,
                             const double *b, double *x, int *n_found) {
  reduced r = {.n = n, .ld = dls_lanes_ld(n)};
  const size_t size = (size_t)n;
  dls_arena tmp = {0};
  size_t bytes = dls_arena_bytes(8 * size * size + size * r.ld + 2 * r.ld + 24 * size, sizeof(double)) + 32 * DLS_ALIGN;
  *n_found = 0;
  const dls_lcp largest = {.n = 2 * n};
  bytes = dls_bytes_add(bytes, dls_lcp_lemke_bytes(&largest));
  if (2 * n <= DLS_LCP_ENUMERATE_MAX) bytes = dls_bytes_add(bytes, dls_lcp_enumerate_bytes(&largest));
  const dls_lcp most = {.n = DLS_SLIDING_ALL};
  bytes = dls_bytes_add(bytes, dls_lcp_enumerate_bytes(&most));
  dls_status status = dls_arena_create(&tmp, alloc, bytes);
  if (status == DLS_OK) status = take(&tmp, &r);
  if (status == DLS_OK) {
    list(row, joint, &r);
    factor_held(W, &r);
    eliminate(W, b, &r, r.z);
    write_problem(row, &r);
    const dls_lcp p = {.n = r.m, .M = r.M, .q = r.q};
    if (r.m <= DLS_SLIDING_ALL) {
      status = enumerate(alloc, &p, W, b, &r, x, n_found, &tmp);
    } else {
      const dls_lcp_opts opts = dls_lcp_opts_default();
      dls_lcp_report report;
      status = dls_lcp_lemke(&p, &opts, &tmp, r.z, r.w, &report);
      *n_found = status == DLS_OK && report.outcome == DLS_SOLVED;
      if (*n_found > 0) forces_of(W, b, &r, r.z, x);
    }
  }
  dls_arena_destroy(&tmp, alloc);
  return status;
}
