/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/block_factor.h"

#include "core/math/elementary.h"

#define SINGULAR 1e-12 /* of the diagonal: a pivot below is round-off */

/* --- memory --------------------------------------------------------------------------------- */
static int changes_for(int n) { return dls_lanes_round(n / 4 + 8); }

size_t dls_block_factor_bytes(int n) {
  const size_t m = (size_t)n, c = (size_t)changes_for(n), ldy = c + 8;
  size_t bytes = dls_arena_bytes(dls_bytes(m, dls_lanes_ld(n)), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(dls_bytes(m, ldy), sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(dls_bytes(c, ldy), sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(2 * m + 2 * c, sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(2 * m + 2 * c, sizeof(int)));
  return dls_bytes_add(bytes, dls_arena_bytes(m, 1));
}

dls_status dls_block_factor_take(dls_block_factor *f, int n, const double *M, dls_arena *tmp) {
  const size_t mark = dls_arena_mark(tmp), m = (size_t)n;
  memset(f, 0, sizeof *f);
  f->n = n;
  f->M = M;
  f->n_base = -1;
  f->n_change_max = changes_for(n);
  const size_t c = (size_t)f->n_change_max;
  f->ld = dls_lanes_ld(n);
  f->ldy = c + 8;
  f->R = DLS_TAKE(tmp, double, m * f->ld);
  f->Y = DLS_TAKE(tmp, double, m * f->ldy);
  f->T = DLS_TAKE(tmp, double, c * f->ldy);
  f->x = DLS_TAKE(tmp, double, 2 * m + 2 * c);
  f->base = DLS_TAKE(tmp, int, 2 * m + 2 * c);
  f->is_changed = DLS_TAKE(tmp, unsigned char, m);
  if (!f->R || !f->Y || !f->T || !f->x || !f->base || !f->is_changed) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  f->c = f->x + n;
  f->t = f->c + n;
  f->place = f->base + n;
  f->change = f->place + n;
  f->perm = f->change + c;
  return DLS_OK;
}

static double entry(const dls_block_factor *f, int i, int j) {
  return f->M[(size_t)i * (size_t)f->n + (size_t)j];
}

/* --- the base ------------------------------------------------------------------------------- */
/* The upper triangle of M_BB; the few places left of it that the kernels touch are zero. */
static void gather(dls_block_factor *f) {
  const int k = f->n_base, kp = dls_lanes_round(k);
  for (int a = 0; a < k; a++) {
    const double *row = f->M + (size_t)f->base[a] * (size_t)f->n;
    double *r = f->R + (size_t)a * f->ld;
    for (int b = a & ~15; b < a; b++) r[b] = 0.0;
    for (int b = a; b < k; b++) r[b] = row[f->base[b]];
    for (int b = k; b < kp; b++) r[b] = 0.0;
    r[a] += f->shift;
  }
}

static bool start_anew(dls_block_factor *f, const unsigned char *S) {
  double pivot;
  int k = 0;
  for (int i = 0; i < f->n; i++) {
    f->place[i] = S[i] ? k : -1;
    if (S[i]) f->base[k++] = i;
  }
  f->n_base = k;
  f->n_change = 0;
  memset(f->is_changed, 0, (size_t)f->n);
  gather(f);
  bool good = dls_dense_cholesky_stop(k, f->R, f->ld, &pivot, f->stop) < 0;
  for (int a = 0; a < k && good; a++) {
    const double r = f->R[(size_t)a * f->ld + (size_t)a];
    good = r * r > SINGULAR * (entry(f, f->base[a], f->base[a]) + f->shift);
  }
  if (!good) f->n_base = -1;
  return good;
}

/* --- the changes ---------------------------------------------------------------------------- */
/* Columns whose index is back where the base has it go; the others close up. */
static void drop_stale(dls_block_factor *f, const unsigned char *S) {
  int kept = 0;
  for (int a = 0; a < f->n_change; a++) {
    const int i = f->change[a];
    if ((S[i] != 0) == (f->place[i] >= 0)) {
      f->is_changed[i] = 0;
      continue;
    }
    if (kept != a)
      for (int r = 0; r < f->n_base; r++) {
        double *row = f->Y + (size_t)r * f->ldy;
        row[kept] = row[a];
      }
    f->change[kept++] = i;
  }
  f->n_change = kept;
}

/* Columns of M for indices that came, of units for those that went, as large as M is there: T is of
** one unit. */
static void add_fresh(dls_block_factor *f, const unsigned char *S) {
  const int k = f->n_base, first = f->n_change;
  for (int i = 0; i < f->n; i++) {
    if ((S[i] != 0) == (f->place[i] >= 0) || f->is_changed[i]) continue;
    f->is_changed[i] = 1;
    f->change[f->n_change++] = i;
  }
  const int fresh = f->n_change - first;
  if (fresh == 0) return;
  for (int r = 0; r < k; r++) {
    double *row = f->Y + (size_t)r * f->ldy + first;
    for (int a = 0; a < fresh; a++) {
      const int i = f->change[first + a];
      row[a] = S[i] ? entry(f, i, f->base[r])
                    : (r == f->place[i] ? dls_unit_below(entry(f, i, i)) : 0.0);
    }
    for (int a = fresh; a < dls_lanes_round(fresh); a++) row[a] = 0.0;
  }
  dls_dense_forward_many(k, f->R, f->ld, fresh, f->Y + first, f->ldy);
}

/* T = D - Y'Y, factored. */
static bool correct(dls_block_factor *f, const unsigned char *S) {
  const int c = f->n_change, cp = dls_lanes_round(c);
  for (int a = 0; a < c; a++) {
    double *row = f->T + (size_t)a * f->ldy;
    memset(row, 0, (size_t)cp * sizeof *row);
    if (!S[f->change[a]]) continue;
    for (int b = 0; b < c; b++)
      if (S[f->change[b]]) row[b] = entry(f, f->change[a], f->change[b]);
    row[a] += f->shift;
  }
  for (int r = 0; r < f->n_base; r++)
    for (int a = c; a < cp; a++) f->Y[(size_t)r * f->ldy + (size_t)a] = 0.0;
  dls_lanes_best()->gemm(c, cp, f->n_base, f->Y, 1, f->ldy, f->Y, f->ldy, f->T, f->ldy, false);
  return dls_dense_lu_stop(c, f->T, f->ldy, f->perm, f->stop) < 0;
}

bool dls_block_factor_set(dls_block_factor *f, const unsigned char *S) {
  int n_differ = 0;
  if (f->n_base < 0) return start_anew(f, S);
  for (int i = 0; i < f->n; i++) n_differ += (S[i] != 0) != (f->place[i] >= 0);
  if (n_differ > f->n_change_max || n_differ > f->n_base / 4 + 4) return start_anew(f, S);
  drop_stale(f, S);
  add_fresh(f, S);
  return f->n_change == 0 || correct(f, S) || start_anew(f, S);
}

bool dls_block_factor_solve(dls_block_factor *f, const unsigned char *S, const double *b,
                            double *x) {
  const dls_lanes *l = dls_lanes_best();
  const int k = f->n_base, c = f->n_change;
  double *y = f->x, *t = f->t, *rhs = f->c;
  if (k < 0) return false;
  for (int a = 0; a < k; a++) y[a] = S[f->base[a]] ? b[f->base[a]] : 0.0;
  dls_dense_forward(k, f->R, f->ld, y);
  if (c > 0) {
    memset(rhs, 0, (size_t)c * sizeof *rhs);
    l->gemv_t(k, c, f->Y, f->ldy, y, rhs);
    for (int a = 0; a < c; a++) rhs[a] = (S[f->change[a]] ? b[f->change[a]] : 0.0) - rhs[a];
    dls_dense_lu_solve(c, f->T, f->ldy, f->perm, rhs, t);
    l->gemv(k, c, f->Y, f->ldy, t, rhs);
    for (int a = 0; a < k; a++) y[a] -= rhs[a];
  }
  dls_dense_backward(k, f->R, f->ld, y);
  memset(x, 0, (size_t)f->n * sizeof *x);
  for (int a = 0; a < k; a++)
    if (S[f->base[a]]) x[f->base[a]] = y[a];
  for (int a = 0; a < c; a++)
    if (S[f->change[a]]) x[f->change[a]] = t[a];
  return true;
}
