/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/supported.h"

#include "core/ladder/newton_step.h"
#include "core/math/dense.h"
#include "core/rows/tree_rows.h"

/* Rows at most, and blocks of the island for each that has a support: a ball on a chain in a wall
** of 60 boxes has 1 to 8 of 100 to 600. */
enum { ROWS_MOST = 72, BLOCKS_EACH = 4 };

bool dls_count_supported(const dls_island *island, int *count, int *n_rows) {
  *count = *n_rows = 0;
  for (int k = 0; k < island->n; k++) {
    const dls_block *block = &island->rows->block[island->blocks[k]];
    if (dls_second_of(island->rows, block)) return false;
    if (island->on[k].n == 0) continue;
    ++*count;
    *n_rows += block->n;
  }
  return true;
}

bool dls_few_supported(const dls_island *island) {
  int count, m;
  return dls_count_supported(island, &count, &m) && m <= ROWS_MOST &&
         BLOCKS_EACH * count <= island->n;
}

static void fill_coupling(const dls_island *island, dls_supported *x) {
  memset(x->T, 0, (size_t)(x->m * x->m) * sizeof(double));
  for (int k = 0; k < x->n; k++)
    for (int l = 0; l < x->n; l++)
      dls_couple_supports(&island->on[x->which[k]], x->first[k + 1] - x->first[k],
                          &island->on[x->which[l]], x->first[l + 1] - x->first[l], x->m,
                          x->T + x->first[k] * x->m + x->first[l]);
}

static void fill_shifts(const dls_island *island, dls_supported *x) {
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &island->rows->block[island->blocks[x->which[k]]];
    const size_t bytes = (size_t)block->n * sizeof(double);
    memcpy(x->own + x->first[k], island->rows->s + block->row, bytes);
    memcpy(x->s + x->first[k], island->rows->s + block->row, bytes);
    memcpy(x->length + x->first[k], island->rows->length + block->row, bytes);
    dls_support_read(block->n, &island->on[x->which[k]], island->x_0, x->s + x->first[k]);
  }
}

void dls_mark_supported(const dls_island *island, bool *late) {
  memset(late, 0, (size_t)island->rows->n_bodies * sizeof *late);
  for (int k = 0; k < island->n; k++) {
    const dls_block *block = &island->rows->block[island->blocks[k]];
    if (island->on[k].n > 0) late[block->a] = late[block->b] = true;
  }
}

/* Numbers of a column. */
static int column_size(const dls_body_graph *graph) {
  return (graph->n - graph->late) * dls_graph_row(graph->nu);
}

dls_status dls_supported_take(const dls_island *island, const dls_body_graph *graph,
                              dls_supported *x) {
  dls_arena *tmp = island->tmp;
  *x = (dls_supported){.on = island->on,
                       .which = DLS_TAKE(tmp, int, island->n),
                       .first = DLS_TAKE(tmp, int, island->n + 1)};
  if (!x->which || !x->first) return dls_want(island->rows, tmp, 0);
  for (int k = 0; k < island->n; k++) {
    if (island->on[k].n == 0) continue;
    x->which[x->n] = k;
    x->first[x->n++] = x->m;
    x->m += island->rows->block[island->blocks[k]].n;
  }
  x->first[x->n] = x->m;
  for (int k = 0; k < x->n; k++) {
    const dls_support *on = &island->on[x->which[k]];
    if (on->at[on->n - 1] >= x->n_shared) x->n_shared = on->at[on->n - 1] + 1;
  }
  const size_t m = (size_t)x->m, wide = (size_t)column_size(graph);
  const size_t all = (size_t)(graph->n * dls_graph_row(graph->nu));
  x->ld = dls_lanes_ld((int)m);
  x->T = DLS_TAKE(tmp, double, m * m);
  x->A = DLS_TAKE(tmp, double, m * x->ld);
  x->S = DLS_TAKE(tmp, double, m * DLS_MOST_ROWS);
  x->own = DLS_TAKE(tmp, double, 6 * m);
  x->column = DLS_TAKE(tmp, double, m * wide);
  x->change = DLS_TAKE(tmp, double, all);
  x->shared = DLS_TAKE(tmp, double, x->n_shared);
  x->pivot = DLS_TAKE(tmp, int, m);
  if (!x->T || !x->A || !x->S || !x->own || !x->column || !x->change || !x->shared || !x->pivot)
    return dls_want(island->rows, tmp,
                    16 * ((m + 16) * (m + wide) + all + (size_t)x->n_shared));
  x->s = x->own + m;
  x->dp = x->s + m;
  x->right = x->dp + m;
  x->even = x->right + m;
  x->length = x->even + m;
  fill_coupling(island, x);
  fill_shifts(island, x);
  return DLS_OK;
}

double dls_supported_cost(const dls_supported *x, const dls_body_graph *graph) {
  const double m = x->m, nu = graph->nu, n_late = graph->n - graph->late;
  const double fill = graph->start[graph->n], late = fill - graph->start[graph->late];
  return (m * (2 * late + n_late) + fill + graph->n) * nu * nu + m * m * m / 3;
}

void dls_supported_shift(dls_rows *rows, const int *blocks, const dls_supported *x) {
  memset(x->shared, 0, (size_t)x->n_shared * sizeof(double));
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[blocks[x->which[k]]];
    dls_support_move(block->n, &x->on[x->which[k]], rows->p + block->row, x->shared);
  }
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[blocks[x->which[k]]];
    double *s = rows->s + block->row;
    memcpy(s, x->s + x->first[k], (size_t)block->n * sizeof(double));
    dls_support_read(block->n, &x->on[x->which[k]], x->shared, s);
  }
}

void dls_supported_end(dls_rows *rows, const int *blocks, const dls_supported *x) {
  for (int k = 0; k < x->n; k++)
    memcpy(rows->s + rows->block[blocks[x->which[k]]].row, x->own + x->first[k],
           (size_t)(x->first[k + 1] - x->first[k]) * sizeof(double));
}

/* --- a step ----------------------------------------------------------------------------------- */

/* The moving sides of a block: their places, -1 where there is none. */
static void places_of(const dls_rows *rows, const dls_block *block, const dls_body_graph *graph,
                      int *at) {
  at[0] = dls_moves(rows, block->a) ? graph->place[block->a] : -1;
  at[1] = dls_moves(rows, block->b) ? graph->place[block->b] : -1;
}

/* J M^-1 y of a row, y by places, the first of which is `first`. */
static double row_answer(const dls_rows *rows, int row, const int *at, int first, const double *y) {
  const int nu = rows->nu;
  const double *MJ = rows->MJ + (size_t)(row * 2 * nu);
  double sum = 0;
  for (int e = 0; e < 2; e++)
    if (at[e] >= 0) sum += dls_dot_u(nu, MJ + e * nu, y + (at[e] - first) * dls_graph_row(nu));
  return sum;
}

/* y += J' p of a row, y by places, the first of which is `first`. */
static void add_row(const dls_rows *rows, int row, const int *at, int first, double p, double *y) {
  const int nu = rows->nu;
  for (int e = 0; e < 2; e++)
    if (at[e] >= 0)
      dls_add_u(nu, y + (at[e] - first) * dls_graph_row(nu), p,
                rows->J + (size_t)((2 * row + e) * nu));
}

static void fill_columns(const dls_rows *rows, const int *blocks, const dls_body_graph *graph,
                         const dls_supported *x) {
  const int first = graph->late, wide = column_size(graph);
  memset(x->column, 0, (size_t)x->m * (size_t)wide * sizeof(double));
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[blocks[x->which[k]]];
    int at[2];
    places_of(rows, block, graph, at);
    for (int i = 0; i < block->n; i++) {
      double *column = x->column + (size_t)(x->first[k] + i) * (size_t)wide;
      add_row(rows, block->row + i, at, first, 1, column);
      if (at[0] >= 0 || at[1] >= 0) dls_body_graph_solve_late(graph, column);
    }
  }
}

/* y += K^-1 J' dp. */
static void add_change(const dls_rows *rows, const int *blocks, const dls_body_graph *graph,
                       const dls_supported *x, double *y) {
  const int all = graph->n * dls_graph_row(graph->nu);
  memset(x->change, 0, (size_t)all * sizeof(double));
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[blocks[x->which[k]]];
    int at[2];
    places_of(rows, block, graph, at);
    for (int i = 0; i < block->n; i++)
      add_row(rows, block->row + i, at, 0, x->dp[x->first[k] + i], x->change);
  }
  dls_body_graph_spread_late(graph, x->change);
  for (int i = 0; i < all; i++) y[i] += x->change[i];
}

/* One block's rows of the system: those of 1 + S (J M^-1 K^-1 J' + T), impulses over lengths. */
static void fill_system(const dls_rows *rows, const dls_block *block, const dls_body_graph *graph,
                        const dls_supported *x, int k) {
  const int n = block->n, m = x->m, first = graph->late, wide = column_size(graph);
  const double *S = x->S + (size_t)(x->first[k] * DLS_MOST_ROWS);
  int at[2];
  places_of(rows, block, graph, at);
  double *A = x->A + (size_t)x->first[k] * x->ld;
  memset(A, 0, (size_t)n * x->ld * sizeof(double));
  for (int i = 0; i < n; i++) A[(size_t)i * x->ld + (size_t)(x->first[k] + i)] = 1;
  for (int j = 0; j < n; j++)
    for (int c = 0; c < m; c++) {
      const double *column = x->column + (size_t)c * (size_t)wide;
      const double W = row_answer(rows, block->row + j, at, first, column) +
                       x->T[(x->first[k] + j) * m + c];
      for (int i = 0; i < n; i++)
        A[(size_t)i * x->ld + (size_t)c] +=
            x->length[c] / x->length[x->first[k] + i] * S[i * DLS_MOST_ROWS + j] * W;
    }
}

/* Each row by its largest number: those of soft and of hard laws are of different size. */
static void even_rows(const dls_supported *x) {
  const int m = x->m;
  for (int i = 0; i < m; i++) {
    double most = 0, *row = x->A + (size_t)i * x->ld;
    for (int j = 0; j < m; j++) most = dls_max(most, fabs(row[j]));
    x->even[i] = most > 0 ? most : 1;
    if (!(most > 0)) continue;
    for (int j = 0; j < m; j++) row[j] /= most;
  }
}

void dls_supported_factor(const dls_rows *rows, const int *blocks, const dls_body_graph *graph,
                          const dls_supported *x) {
  fill_columns(rows, blocks, graph, x);
  for (int k = 0; k < x->n; k++)
    fill_system(rows, &rows->block[blocks[x->which[k]]], graph, x, k);
  even_rows(x);
  (void)dls_dense_lu(x->m, x->A, x->ld, x->pivot);
}

void dls_supported_solve(const dls_rows *rows, const int *blocks, const dls_body_graph *graph,
                         const dls_supported *x, double *y) {
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[blocks[x->which[k]]];
    const double *S = x->S + (size_t)(x->first[k] * DLS_MOST_ROWS);
    double *right = x->right + x->first[k];
    int at[2];
    places_of(rows, block, graph, at);
    for (int j = 0; j < block->n; j++) {
      const double free = row_answer(rows, block->row + j, at, 0, y);
      for (int i = 0; i < block->n; i++) right[i] -= S[i * DLS_MOST_ROWS + j] * free;
    }
  }
  for (int i = 0; i < x->m; i++) x->right[i] /= x->length[i] * x->even[i];
  dls_dense_lu_solve(x->m, x->A, x->ld, x->pivot, x->right, x->dp);
  for (int i = 0; i < x->m; i++) x->dp[i] *= x->length[i];
  add_change(rows, blocks, graph, x, y);
}

/* S of the laws of Newton's step, and -g, in the units of the rows. */
static void read_laws(const dls_rows *rows, const int *blocks, const dls_newton *N) {
  const dls_supported *x = N->supported;
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[blocks[x->which[k]]];
    const dls_linear_law *law = &N->law[x->which[k]];
    const double *length = rows->length + block->row;
    const int n = block->n;
    for (int i = 0; i < n; i++) {
      x->right[x->first[k] + i] = -law->g[i] * length[i];
      double *S = x->S + (size_t)((x->first[k] + i) * DLS_MOST_ROWS);
      for (int j = 0; j < n; j++)
        S[j] = law->acts ? length[i] * law->S[i * n + j] * length[j] : 0;
    }
  }
}

void dls_supported_step(const dls_rows *rows, const int *blocks, dls_newton *N) {
  const dls_supported *x = N->supported;
  read_laws(rows, blocks, N);
  dls_supported_factor(rows, blocks, &N->graph, x);
  dls_supported_solve(rows, blocks, &N->graph, x, N->y);
  for (int k = 0; k < x->n; k++)
    memcpy(N->dp + (size_t)(x->which[k] * rows->nb), x->dp + x->first[k],
           (size_t)(x->first[k + 1] - x->first[k]) * sizeof(double));
}
