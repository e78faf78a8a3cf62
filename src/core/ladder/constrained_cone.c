/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/constrained.h"

#include "core/lcp/block.h"
#include "core/rows/island.h"
#include "core/ladder/to_cone.h"

/* The inequalities of a constrained island as a friction-cone problem with the sparse matrix
** W_kl = J_k M^-1 J_l' + z_k' y_l (rows/support.h), for a method of core/cone. */

/* W of the inequalities as a sparse matrix. */
typedef struct inequality_matrix {
  int m;         /* rows */
  dls_cone_size size; /* entries by kind */
  int *row;      /* n_inequal + 1: first row of each block */
  int *start, *col; /* m + 1; start[m], ascending in a row */
  double *value; /* start[m] */
} inequality_matrix;

static bool supports_overlap(const dls_support *x, const dls_support *y) {
  for (int k = 0, l = 0; k < x->n && l < y->n;) {
    if (x->at[k] == y->at[l]) return true;
    if (x->at[k] < y->at[l]) k++;
    else l++;
  }
  return false;
}

/* Bits of the ranges of numbers that a support has some of: supports without a common bit share
** no number. */
static uint64_t ranges_of(const dls_constrained *b, int k) {
  uint64_t bits = 0;
  for (int l = 0; l < b->on[k].n; l++)
    bits |= (uint64_t)1 << ((int64_t)b->on[k].at[l] * 64 / b->n_x);
  return bits;
}

static bool are_coupled(const dls_rows *rows, const dls_constrained *b, const uint64_t *ranges,
                        int k, int l) {
  const dls_block *x = &rows->block[b->inequal[k]], *y = &rows->block[b->inequal[l]];
  const double *m = rows->inv_mass;
  if ((x->a == y->a || x->a == y->b) && m[x->a] > 0) return true;
  if ((x->b == y->a || x->b == y->b) && m[x->b] > 0) return true;
  return (ranges[k] & ranges[l]) != 0 && supports_overlap(&b->on[k], &b->on[l]);
}

/* The pattern of W by blocks, of n_inequal: the blocks that each is coupled to, ascending, itself
** included. */
static dls_status inequality_pattern(dls_rows *rows, const dls_constrained *b, dls_arena *tmp,
                                     int **start, int **coupled) {
  const int n = b->n_inequal;
  *start = DLS_TAKE(tmp, int, n + 1);
  uint64_t *ranges = DLS_TAKE(tmp, uint64_t, n);
  size_t left = (tmp->size - tmp->used) / sizeof(int);
  const int room = left > 1024 ? (int)dls_min((double)(left - 1024), 1e9) : 0;
  const size_t mark = dls_arena_mark(tmp);
  *coupled = DLS_TAKE(tmp, int, room);
  if (!*start || !ranges || !*coupled) return dls_want(rows, tmp, tmp->size);
  for (int k = 0; k < n; k++) ranges[k] = ranges_of(b, k);
  int at = 0;
  for (int k = 0; k < n; k++) {
    (*start)[k] = at;
    for (int l = 0; l < n; l++) {
      if (l != k && !are_coupled(rows, b, ranges, k, l)) continue;
      if (at == room) return dls_want(rows, tmp, tmp->size);
      (*coupled)[at++] = l;
    }
  }
  (*start)[n] = at;
  dls_arena_cut(tmp, mark, (size_t)at, sizeof(int));
  return DLS_OK;
}

/* What stands below the diagonal stands above it, to the bit. */
static dls_status mirror(dls_rows *rows, const inequality_matrix *M, dls_arena *tmp) {
  int *next =
      DLS_TAKE(tmp, int, M->m); /* by row: the first of what stands above, not yet written */
  if (!next) return dls_want(rows, tmp, (size_t)M->m * sizeof(int));
  for (int i = 0; i < M->m; i++) {
    next[i] = M->start[i];
    while (next[i] < M->start[i + 1] && M->col[next[i]] <= i) next[i]++;
  }
  for (int i = 0; i < M->m; i++)
    for (int e = M->start[i]; e < M->start[i + 1] && M->col[e] < i; e++)
      M->value[next[M->col[e]]++] = M->value[e];
  return DLS_OK;
}

static dls_status fill_matrix(dls_rows *rows, const dls_constrained *b, dls_arena *tmp,
                              inequality_matrix *M) {
  int *first, *coupled;
  dls_status status = inequality_pattern(rows, b, tmp, &first, &coupled);
  if (status != DLS_OK) return status;
  const int n = b->n_inequal;
  size_t total = 0;
  M->size = (dls_cone_size){.blocks = (size_t)(first[n] - n)};
  for (int k = 0; k < n; k++) {
    const int d = rows->block[b->inequal[k]].n;
    M->size.diag += (size_t)(d * d);
    for (int e = first[k]; e < first[k + 1]; e++)
      total += (size_t)(d * rows->block[b->inequal[coupled[e]]].n);
  }
  M->size.values = total - M->size.diag;
  M->m = dls_count_rows(rows, b->inequal, n);
  M->row = DLS_TAKE(tmp, int, n + 1);
  M->start = DLS_TAKE(tmp, int, M->m + 1);
  M->col = DLS_TAKE(tmp, int, total);
  M->value = DLS_TAKE(tmp, double, total);
  if (!M->row || !M->start || !M->col || !M->value) return dls_want(rows, tmp, 32 * total);
  M->row[0] = 0;
  for (int k = 0; k < n; k++) M->row[k + 1] = M->row[k] + rows->block[b->inequal[k]].n;
  int at = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *x = &rows->block[b->inequal[k]];
    int width = 0;
    for (int e = first[k]; e < first[k + 1]; e++) width += rows->block[b->inequal[coupled[e]]].n;
    for (int i = 0; i < x->n; i++) M->start[M->row[k] + i] = at + i * width;
    for (int e = first[k], off = 0; e < first[k + 1]; e++) {
      const int l = coupled[e];
      const dls_block *y = &rows->block[b->inequal[l]];
      double W[DLS_MOST_ROWS * DLS_MOST_ROWS];
      if (l <= k) dls_couple(rows, x, &b->on[k], y, &b->on[l], W);
      else memset(W, 0, (size_t)(x->n * y->n) * sizeof *W); /* mirrored below */
      for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++) {
          M->col[at + i * width + off + j] = M->row[l] + j;
          M->value[at + i * width + off + j] = W[i * y->n + j];
        }
      off += y->n;
    }
    at += x->n * width;
  }
  M->start[M->m] = at;
  return mirror(rows, M, tmp);
}

dls_status dls_constrained_to_cone(dls_rows *rows, dls_constrained *b,
                                   const dls_cone_method *method, double tolerance, double scale,
                                   dls_budget *budget, double share, dls_arena *tmp,
                                   dls_cone_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  const int n = b->n_inequal, m = dls_count_rows(rows, b->inequal, n),
            n_groups = dls_count_groups(rows, b->inequal, n);
  inequality_matrix M;
  dls_status status = fill_matrix(rows, b, tmp, &M);
  if (status != DLS_OK) return status;
  double *y = DLS_TAKE(tmp, double, (7) * (size_t)m);
  dls_cone_group *laws = DLS_TAKE(tmp, dls_cone_group, n_groups);
  if (!y || !laws) return dls_want(rows, tmp, 128 * (size_t)m);
  double *v_0 = y, *gamma = y + m, *s = y + 2 * m, *length = y + 3 * m, *start = y + 4 * m;
  double *p = y + 5 * m, *v = y + 6 * m;
  dls_fill_groups(rows, b->inequal, n, laws);
  int at = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    for (int i = 0; i < block->n; i++)
      v_0[at + i] = dls_row_speed(rows->nu, rows, block, block->row + i, rows->u_free);
    dls_support_read(block->n, &b->on[k], b->x_0, v_0 + at);
    for (int i = block->row; i < block->row + block->n; i++, at++) {
      gamma[at] = rows->gamma[i];
      s[at] = rows->s[i];
      length[at] = rows->length[i];
      start[at] = rows->p[i];
    }
  }
  const dls_sparse S = {.n_rows = m, .n_cols = m, .start = M.start, .col = M.col, .value = M.value};
  dls_cone_problem problem = {.n_rows = m,
                              .n_groups = n_groups,
                              .groups = laws,
                              .S = &S,
                              .b = v_0,
                              .compliance = gamma,
                              .shift = s,
                              .length = length,
                              .scale = scale,
                              .stop = rows->stop};
  problem.size = &M.size; /* each of them is one group */
  dls_cone_opts opts = dls_cone_opts_default();
  opts.tolerance = tolerance;
  dls_limit_cone(budget, method, share, m, &opts);
  opts.start = start;
  opts.agreed = rows->impacting ? NULL : s; /* what is hard about blows are other things */
  status = method->run(&problem, &opts, tmp, p, v, report);
  if (status == DLS_FULL) return dls_want(rows, tmp, method->bytes(&problem));
  if (status == DLS_OK) dls_pay_cone(budget, method, m, report);
  at = 0;
  for (int k = 0; status == DLS_OK && k < n; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++) {
      rows->p[i] = p[at];
      rows->s[i] = s[at];
    }
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* M and q of z = p/per; a row that the equalities leave nothing of becomes one of the identity
** with q >= 0. */
static void fill_lcp(const dls_rows *rows, const dls_constrained *b, const inequality_matrix *S,
                     const double *per, double *M, double *q) {
  const size_t m = (size_t)S->m;
  double v[DLS_MOST_ROWS];
  memset(M, 0, m * m * sizeof *M);
  for (int k = 0, at = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    for (int i = 0; i < block->n; i++)
      v[i] = dls_row_speed(rows->nu, rows, block, block->row + i, rows->u_free);
    dls_support_read(block->n, &b->on[k], b->x_0, v);
    for (int i = 0; i < block->n; i++, at++) {
      const int row = block->row + i;
      double *of_row = M + (size_t)at * m;
      q[at] = per[row] * (v[i] + rows->s[row]);
      for (int e = S->start[at]; e < S->start[at + 1]; e++) of_row[S->col[e]] = S->value[e];
      of_row[at] += rows->gamma[row];
    }
  }
  for (int k = 0, at = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    for (int i = 0; i < block->n; i++, at++) {
      const int row = block->row + i;
      const bool none =
          !(b->W[(size_t)((k * rows->nb + i) * rows->nb + i)] > 0) && !(rows->gamma[row] > 0);
      for (size_t j = 0; j < m; j++) {
        M[(size_t)at * m + j] *= none ? 0 : per[row];
        M[j * m + (size_t)at] *= none ? 0 : per[row];
      }
      if (!none) continue;
      M[(size_t)at * m + (size_t)at] = 1;
      q[at] = dls_max(q[at], 0);
    }
  }
}

dls_status dls_constrained_settle(dls_rows *rows, dls_constrained *b, const dls_row_lcp *lcp,
                                  dls_arena *tmp, bool *solved) {
  const size_t mark = dls_arena_mark(tmp);
  inequality_matrix S;
  dls_status status = fill_matrix(rows, b, tmp, &S);
  if (status != DLS_OK) return status;
  double *M = DLS_TAKE(tmp, double, (size_t)S.m *(size_t)S.m),
         *q = DLS_TAKE(tmp, double, 3 * (size_t)S.m);
  if (!M || !q) return dls_want(rows, tmp, 16 * (size_t)S.m * (size_t)S.m);
  fill_lcp(rows, b, &S, lcp->per, M, q);
  double *z = q + S.m, *w = z + S.m, size = 0;
  for (int i = 0; i < S.m; i++) size = dls_max(size, fabs(q[i]));
  const dls_lcp problem = {.n = S.m, .M = M, .q = q};
  dls_lcp_opts opts = dls_lcp_opts_default();
  opts.max_pivots = dls_lcp_few_pivots(S.m);
  dls_lcp_report report;
  opts.tolerance = lcp->tolerance * (size > 0 ? dls_max(lcp->scale / size, 1) : 1);
  status = dls_lcp_block(&problem, &opts, tmp, z, w, &report);
  if (status == DLS_FULL) return dls_want(rows, tmp, dls_lcp_block_bytes(&problem));
  *solved = status == DLS_OK && report.outcome == DLS_SOLVED;
  for (int k = 0, at = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    for (int i = block->row; i < block->row + block->n; i++) rows->p[i] = lcp->per[i] * z[at++];
  }
  dls_arena_release(tmp, mark);
  return status;
}
