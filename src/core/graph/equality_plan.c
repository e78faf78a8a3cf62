/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/equality.h"

#include "core/graph/elimination.h"
#include "core/math/sparse_order.h"
#include "core/rows/island.h"

/* Which bilateral blocks meet which: start (n + 1), col. */
static dls_status meeting_pattern(dls_rows *rows, const dls_block_graph *graph, dls_arena *tmp,
                                  int **start_out, int **col_out) {
  const int n = graph->n_equal;
  int *start = DLS_TAKE(tmp, int, n + 1), *mark = DLS_TAKE(tmp, int, graph->n);
  int *list = DLS_TAKE(tmp, int, graph->n);
  if (!start || !mark || !list) return dls_want(rows, tmp, 3 * (size_t)graph->n * sizeof(int));
  for (int k = 0; k < graph->n; k++) mark[k] = -1;
  start[0] = 0;
  for (int k = 0; k < n; k++)
    start[k + 1] = start[k] + dls_block_graph_meeting(graph, k, 0, n, mark, list);
  int *col = DLS_TAKE(tmp, int, start[n]);
  if (!col) return dls_want(rows, tmp, (size_t)start[n] * sizeof(int));
  for (int k = 0; k < graph->n; k++) mark[k] = -1;
  for (int k = 0; k < n; k++) dls_block_graph_meeting(graph, k, 0, n, mark, col + start[k]);
  *start_out = start;
  *col_out = col;
  return DLS_OK;
}

/* The order, and which later places each fills. */
static dls_status plan_order(dls_rows *rows, const dls_block_graph *graph, dls_arena *tmp,
                             dls_equality *E) {
  const int n = E->n;
  int *start = NULL, *col = NULL;
  dls_status status = meeting_pattern(rows, graph, tmp, &start, &col);
  if (status != DLS_OK) return status;
  E->which = DLS_TAKE(tmp, int, n);
  E->place = DLS_TAKE(tmp, int, n);
  E->start = DLS_TAKE(tmp, int, n + 1);
  int *more = DLS_TAKE(tmp, int, 3 * (size_t)n);
  if (!E->which || !E->place || !E->start || !more) return dls_want(rows, tmp, (size_t)n * 32);
  const dls_sparse A = {.n_rows = n, .n_cols = n, .start = start, .col = col};
  /* any order is as good as another */
  const bool all_meet = (size_t)start[n] == (size_t)n * ((size_t)n - 1);
  for (int k = 0; k < n; k++) E->which[k] = k;
  if (!all_meet) status = dls_sparse_order(&A, E->which, tmp);
  if (status != DLS_OK)
    return dls_want(rows, tmp, dls_sparse_order_bytes((size_t)n, (size_t)start[n]));
  for (int k = 0; k < n; k++) E->place[E->which[k]] = k;
  const size_t left = tmp->size - tmp->used;
  const int room = left > 4096 ? (int)dls_min((double)(left - 4096) / sizeof(int), 1e9) : 0;
  const size_t mark = dls_arena_mark(tmp);
  E->col = DLS_TAKE(tmp, int, room);
  const int fill =
      E->col ? dls_elimination_patterns(&A, E->which, E->place, E->start, E->col, room, more) : -1;
  if (fill < 0) return dls_want(rows, tmp, tmp->size);
  dls_arena_cut(tmp, mark, (size_t)fill, sizeof(int));
  return DLS_OK;
}

/* The columns of a place behind those of a row so far: how many runs they are then. */
static int add_columns(const dls_equality *E, int place, int *run, int n) {
  return dls_runs_add(E->column[place], E->column[place + 1] - E->column[place], run, n);
}

/* Columns of the blocks, and the rows of B' as runs of them. */
static dls_status plan_rows(dls_rows *rows, const dls_block_graph *graph, dls_arena *tmp,
                            dls_equality *E) {
  const int n = E->n, fill = E->start[n];
  E->column = DLS_TAKE(tmp, int, n + 1);
  E->run_start = DLS_TAKE(tmp, int, n + 1);
  E->run = DLS_TAKE(tmp, int, 2 * fill);
  E->at = DLS_TAKE(tmp, size_t, n + 1);
  if (!E->column || !E->run_start || !E->run || !E->at)
    return dls_want(rows, tmp, (size_t)(2 * n + fill) * 16);
  E->column[0] = E->run_start[0] = 0;
  E->at[0] = 0;
  for (int k = 0; k < n; k++)
    E->column[k + 1] = E->column[k] + rows->block[graph->block[E->which[k]]].n;
  for (int k = 0; k < n; k++) {
    int *run = E->run + 2 * E->run_start[k], n_runs = 0;
    for (int e = E->start[k]; e < E->start[k + 1]; e++)
      n_runs = add_columns(E, E->col[e], run, n_runs);
    E->run_start[k + 1] = E->run_start[k] + n_runs;
    E->at[k + 1] =
        E->at[k] + (size_t)(E->column[k + 1] - E->column[k]) * dls_runs_width(run, n_runs);
  }
  E->ld = (size_t)dls_lanes_round(E->column[n] + 4);
  E->B = DLS_TAKE(tmp, double, E->at[n]);
  E->work = DLS_TAKE(tmp, double, (size_t)rows->nb * E->ld);
  return E->B && E->work
             ? DLS_OK
             : dls_want(rows, tmp, (E->at[n] + (size_t)rows->nb * E->ld) * 2 * sizeof(double));
}

/* Places of the bilateral blocks that have a number of trees, ascending; how many. */
static int places_at(const dls_block_graph *graph, const dls_equality *E, int number, int *out) {
  const int node = graph->n_bodies + number;
  int n = 0;
  for (int f = graph->node_start[node]; f < graph->node_start[node + 1]; f++)
    if (graph->at_node[f] < graph->n_equal) out[n++] = E->place[graph->at_node[f]];
  dls_sort_ints(out, n);
  return n;
}

/* Groups of numbers that bilateral blocks have, and their rows. */
static dls_status plan_shared(dls_rows *rows, const dls_block_graph *graph, dls_arena *tmp,
                              dls_equality *E) {
  dls_shared_numbers *s = &E->shared;
  const int n_x = graph->n_x;
  size_t entries = 0;
  for (int k = 0; k < E->n; k++) entries += (size_t)graph->on[k].n;
  s->group = DLS_TAKE(tmp, int, n_x);
  s->size = DLS_TAKE(tmp, int, n_x);
  s->run_start = DLS_TAKE(tmp, int, n_x + 1);
  s->run = DLS_TAKE(tmp, int, 2 * entries);
  s->at = DLS_TAKE(tmp, size_t, n_x + 1);
  s->spot = DLS_TAKE(tmp, dls_runs_place, n_x);
  int *list = DLS_TAKE(tmp, int, E->n);
  if (!s->group || !s->size || !s->run_start || !s->run || !s->at || !s->spot || !list)
    return dls_want(rows, tmp, ((size_t)n_x + entries) * 64);
  s->run_start[0] = 0;
  s->at[0] = 0;
  for (int l = 0, size; l < n_x; l += size) {
    for (size = 1; l + size < n_x && size < DLS_MOST_ROWS &&
                   graph->repeats[graph->n_bodies + l + size];)
      size++;
    for (int i = 0; i < size; i++) s->group[l + i] = -1;
    const int n = places_at(graph, E, l, list);
    if (n == 0) continue;
    int *run = s->run + 2 * s->run_start[s->n], n_runs = 0;
    for (int i = 0; i < n; i++) n_runs = add_columns(E, list[i], run, n_runs);
    s->group[l] = s->n;
    s->size[s->n] = size;
    s->run_start[s->n + 1] = s->run_start[s->n] + n_runs;
    s->at[s->n + 1] = s->at[s->n] + (size_t)size * dls_runs_width(run, n_runs);
    s->n++;
  }
  s->y = DLS_TAKE(tmp, double, s->at[s->n]);
  return s->y ? DLS_OK : dls_want(rows, tmp, s->at[s->n] * sizeof(double));
}

dls_status dls_equality_plan(dls_rows *rows, const dls_block_graph *graph, dls_arena *tmp,
                             dls_equality *E) {
  const size_t square = (size_t)(rows->nb * rows->nb);
  const int n = graph->n_equal;
  *E = (dls_equality){.n = n};
  dls_status status = plan_order(rows, graph, tmp, E);
  if (status == DLS_OK) status = plan_rows(rows, graph, tmp, E);
  if (status == DLS_OK) status = plan_shared(rows, graph, tmp, E);
  if (status != DLS_OK) return status;
  E->rank = DLS_TAKE(tmp, int, n);
  E->white = DLS_TAKE(tmp, int, n + 1);
  E->F = DLS_TAKE(tmp, double, (size_t)n * square);
  E->head = DLS_TAKE(tmp, int, 4 * (size_t)n);
  E->spot = DLS_TAKE(tmp, dls_runs_place, n);
  if (!E->rank || !E->white || !E->F || !E->head || !E->spot)
    return dls_want(rows, tmp, (size_t)n * (square + 8) * 16);
  E->next = E->head + n;
  E->entry = E->next + n;
  E->mark = E->entry + n;
  return DLS_OK;
}
