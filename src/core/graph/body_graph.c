/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/body_graph.h"

#include "core/math/sparse_order.h"
#include "core/graph/elimination.h"

static bool joins(const dls_rows *rows, const dls_block *block) {
  return block->a != block->b && dls_moves(rows, block->a) && dls_moves(rows, block->b);
}

/* Neighbours of each body, ascending, each once. */
static void fill_neighbours(const dls_rows *rows, const int *blocks, int n,
                            const dls_body_graph *graph, int *start, int *col) {
  memset(start, 0, (size_t)(graph->n + 1) * sizeof(int));
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (!joins(rows, block)) continue;
    start[graph->place[block->a] + 1]++;
    start[graph->place[block->b] + 1]++;
  }
  for (int i = 0; i < graph->n; i++) start[i + 1] += start[i];
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (!joins(rows, block)) continue;
    int a = graph->place[block->a], b = graph->place[block->b];
    col[start[a]++] = b;
    col[start[b]++] = a;
  }
  for (int i = graph->n; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
  int kept = 0;
  for (int i = 0, from = 0; i < graph->n; i++) {
    int to = start[i + 1], first = kept;
    dls_sort_ints(col + from, to - from);
    for (int e = from; e < to; e++)
      if (kept == first || col[kept - 1] != col[e]) col[kept++] = col[e];
    from = to;
    start[i + 1] = kept;
  }
}

/* Late ones to the end of the order, as they follow each other; where they begin. body: by node. */
static int put_late(const bool *late, const int *body, int n, int *order, int *room) {
  int kept = 0, behind = 0;
  for (int k = 0; k < n; k++) {
    if (late[body[order[k]]]) room[behind++] = order[k];
    else order[kept++] = order[k];
  }
  memcpy(order + kept, room, (size_t)behind * sizeof(int));
  return kept;
}

dls_status dls_body_graph_build(dls_rows *rows, const int *blocks, int n, const bool *late,
                                dls_arena *tmp, dls_body_graph *graph) {
  const size_t size = (size_t)dls_graph_size(rows->nu);
  rows->need = tmp->size + ((size_t)n * 40 + (size_t)rows->n_bodies) * size * sizeof(double);
  *graph = (dls_body_graph){.nu = rows->nu, .place = DLS_TAKE(tmp, int, rows->n_bodies)};
  if (!graph->place) return DLS_FULL;
  graph->n = dls_number_bodies(rows, blocks, n, graph->place, NULL);
  size_t m = (size_t)graph->n;
  graph->body = DLS_TAKE(tmp, int, m);
  graph->start = DLS_TAKE(tmp, int, m + 1);
  graph->d = DLS_TAKE(tmp, double, m * size);
  if (!graph->d || !graph->start || !graph->body) return DLS_FULL;
  size_t mark = dls_arena_mark(tmp);
  int *ints = DLS_TAKE(tmp, int, 6 * m + 1), *col = DLS_TAKE(tmp, int, 2 * n);
  if (!ints || !col) return DLS_FULL;
  int *start = ints, *order = ints + m + 1, *to_place = order + m;
  fill_neighbours(rows, blocks, n, graph, start, col);
  dls_sparse A = {.n_rows = graph->n, .n_cols = graph->n, .start = start, .col = col};
  dls_status status = dls_sparse_order(&A, order, tmp);
  if (status != DLS_OK) return status;
  dls_number_bodies(rows, blocks, n, graph->place, graph->body);
  graph->late = late ? put_late(late, graph->body, graph->n, order, to_place) : graph->n;
  for (int k = 0; k < graph->n; k++) to_place[order[k]] = k;
  size_t left = (tmp->size - tmp->used) / sizeof(int);
  int room = left > 64 ? (int)dls_min((double)(left - 64), 1e9) : 0, fill = -1;
  graph->col = DLS_TAKE(tmp, int, room);
  if (graph->col)
    fill =
        dls_elimination_patterns(&A, order, to_place, graph->start, graph->col, room, to_place + m);
  if (fill < 0) return DLS_FULL;
  for (int k = 0; k < graph->n; k++) to_place[order[k]] = graph->body[order[k]];
  for (int k = 0; k < graph->n; k++) graph->body[k] = to_place[order[k]];
  for (int k = 0; k < graph->n; k++) graph->place[graph->body[k]] = k;
  /* The patterns move to the front, over what is no longer needed. */
  int *front = (int *)(tmp->base + mark);
  dls_arena_cut(tmp, mark, (size_t)fill, sizeof(int));
  memmove(front, graph->col, (size_t)fill * sizeof(int));
  graph->col = front;
  graph->up = DLS_TAKE(tmp, double, (size_t)fill * size);
  graph->low = DLS_TAKE(tmp, double, (size_t)fill * size);
  return graph->up && graph->low ? DLS_OK : DLS_FULL;
}
