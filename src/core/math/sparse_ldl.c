/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/sparse_ldl.h"

static bool takes_part(const unsigned char *S, int i) { return S == NULL || S[i] != 0; }

/* The pattern of row k of L, from the tree: pattern[top .. n-1], children before their parents.
** Answers top. Parents met for the first time are set. */
static int row_pattern(dls_sparse_ldl *f, const unsigned char *S, int k) {
  const dls_sparse *A = f->A;
  const int i = f->order[k];
  int top = f->n;
  f->mark[k] = k;
  f->parent[k] = -1;
  for (int e = A->start[i]; e < A->start[i + 1]; e++) {
    int j = f->place[A->col[e]];
    if (j >= k || !takes_part(S, A->col[e])) continue;
    int length = 0;
    for (; f->mark[j] != k; j = f->parent[j]) {
      if (f->parent[j] < 0) f->parent[j] = k;
      f->mark[j] = k;
      f->pattern[length++] = j;
    }
    while (length > 0) f->pattern[--top] = f->pattern[--length];
  }
  return top;
}

/* Lengths of the columns, and from them their starts; answers the number of entries, -1 where an
** int cannot count them. */
static int count_columns(dls_sparse_ldl *f, const unsigned char *S) {
  for (int k = 0; k < f->n; k++) {
    f->used[k] = 0;
    f->mark[k] = -1;
  }
  for (int k = 0; k < f->n; k++) {
    f->parent[k] = -1;
    if (!takes_part(S, f->order[k])) continue;
    for (int m = row_pattern(f, S, k); m < f->n; m++) f->used[f->pattern[m]]++;
  }
  long long total = 0;
  for (int k = 0; k < f->n; k++) total += f->used[k];
  if (total > 0x7fffffff) return -1;
  f->start[0] = 0;
  for (int k = 0; k < f->n; k++) {
    f->start[k + 1] = f->start[k] + f->used[k];
    f->used[k] = 0;
    f->mark[k] = -1;
  }
  return f->start[f->n];
}

size_t dls_sparse_ldl_plan_bytes(size_t n, size_t nnz) {
  size_t bytes = dls_arena_bytes(7 * n + 1, sizeof(int));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(2 * n, sizeof(double)));
  return dls_bytes_add(bytes, dls_sparse_order_bytes(n, nnz));
}

static double work_of(const dls_sparse_ldl *f) {
  double work = 0.0;
  for (int k = 0; k < f->n; k++) {
    const double length = f->start[k + 1] - f->start[k];
    work += length * length;
  }
  return work;
}

dls_status dls_sparse_ldl_plan(dls_sparse_ldl *f, const dls_sparse *A, dls_arena *tmp) {
  const size_t mark = dls_arena_mark(tmp), n = (size_t)A->n_rows;
  memset(f, 0, sizeof *f);
  f->A = A;
  f->n = A->n_rows;
  int *ints = DLS_TAKE(tmp, int, 7 * n + 1);
  f->d = DLS_TAKE(tmp, double, 2 * n);
  dls_status status = ints == NULL || f->d == NULL ? DLS_FULL : DLS_OK;
  if (status == DLS_OK) status = dls_sparse_order(A, ints, tmp);
  if (status != DLS_OK) {
    dls_arena_release(tmp, mark);
    return status;
  }
  f->order = ints;
  f->place = f->order + n;
  f->parent = f->place + n;
  f->used = f->parent + n;
  f->pattern = f->used + n;
  f->mark = f->pattern + n;
  f->start = f->mark + n;
  f->x = f->d + n;
  for (int k = 0; k < f->n; k++) f->place[f->order[k]] = k;
  f->n_fill = count_columns(f, NULL);
  if (f->n_fill < 0) {
    dls_arena_release(tmp, mark);
    return DLS_TOOBIG;
  }
  f->work = work_of(f);
  return DLS_OK;
}

dls_status dls_sparse_ldl_room(dls_sparse_ldl *f, dls_arena *tmp) {
  f->row = DLS_TAKE(tmp, int, f->n_fill);
  f->value = DLS_TAKE(tmp, double, f->n_fill);
  return f->row == NULL || f->value == NULL ? DLS_FULL : DLS_OK;
}

dls_status dls_sparse_ldl_take(dls_sparse_ldl *f, const dls_sparse *A, dls_arena *tmp) {
  const size_t mark = dls_arena_mark(tmp);
  dls_status status = dls_sparse_ldl_plan(f, A, tmp);
  if (status == DLS_OK) status = dls_sparse_ldl_room(f, tmp);
  if (status != DLS_OK) dls_arena_release(tmp, mark);
  return status;
}

/* Row k of L and d_k: the triangular solve L x = a over the pattern of the row. */
static double factor_row(dls_sparse_ldl *f, const unsigned char *S, int k, double shift) {
  const dls_sparse *A = f->A;
  const int i = f->order[k], top = row_pattern(f, S, k);
  double pivot = shift, *x = f->x;
  for (int m = top; m < f->n; m++) x[f->pattern[m]] = 0.0;
  for (int e = A->start[i]; e < A->start[i + 1]; e++) {
    const int j = f->place[A->col[e]];
    if (j == k) pivot += A->value[e];
    else if (j < k && takes_part(S, A->col[e])) x[j] = A->value[e];
  }
  for (int m = top; m < f->n; m++) {
    const int j = f->pattern[m], first = f->start[j], last = first + f->used[j];
    const double xj = x[j], l = xj / f->d[j];
    for (int e = first; e < last; e++) x[f->row[e]] -= f->value[e] * xj;
    pivot -= l * xj;
    f->row[last] = k;
    f->value[last] = l;
    f->used[j]++;
  }
  return pivot;
}

/* The multiplications of a row are counted where its column is: the sums over all are the same. */
static double row_work(const dls_sparse_ldl *f, int k) {
  const double length = f->start[k + 1] - f->start[k];
  return 20.0 + length * length;
}

int dls_sparse_ldl_factor(dls_sparse_ldl *f, const unsigned char *S, double shift, double tol) {
  (void)count_columns(f, S);
  for (int k = 0; k < f->n; k++) {
    const int i = f->order[k];
    if (!takes_part(S, i)) continue;
    f->d[k] = factor_row(f, S, k, shift);
    if (dls_stop_poll(f->stop, row_work(f, k))) return i;
    if (!(f->d[k] > tol * (dls_sparse_at(f->A, i, i) + shift))) return i;
  }
  return -1;
}

void dls_sparse_ldl_solve(dls_sparse_ldl *f, const unsigned char *S, const double *b, double *x) {
  double *y = f->x;
  for (int k = 0; k < f->n; k++) y[k] = takes_part(S, f->order[k]) ? b[f->order[k]] : 0.0;
  for (int k = 0; k < f->n; k++)
    for (int e = f->start[k]; e < f->start[k + 1]; e++) y[f->row[e]] -= f->value[e] * y[k];
  for (int k = f->n - 1; k >= 0; k--) {
    if (!takes_part(S, f->order[k])) continue;
    y[k] /= f->d[k];
    for (int e = f->start[k]; e < f->start[k + 1]; e++) y[k] -= f->value[e] * y[f->row[e]];
  }
  for (int k = 0; k < f->n; k++) x[f->order[k]] = y[k];
}
