/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/union_find.h"
#include "core/rows/rows.h"

/* Bodies joined through blocks, found by union and find: parent[] is body_island until the last
** stage. */

/* Nothing here can be predicted, so that the common cases, few levels, joined or not, have no
** branches. */
static inline void join(int *parent, int a, int b) {
  int i = parent[parent[a]], j = parent[parent[b]];
  if (parent[i] != i) i = dls_root_of(parent, i);
  if (parent[j] != j) j = dls_root_of(parent, j);
  const int root = i < j ? i : j;
  parent[i] = parent[j] = root;
  parent[a] = parent[b] = root;
}

static inline bool moves(const dls_rows *rows, int i) {
  return rows->inv_mass[i] > 0 || (rows->tree && rows->tree[i] >= 0);
}

/* What a block's bodies are joined to by the two others it acts on. */
static void join_second(const dls_rows *rows, const dls_block *block, int own, int *parent) {
  const dls_second *s = &rows->second[block->second - 1];
  if (moves(rows, s->c)) join(parent, own, s->c);
  if (moves(rows, s->d)) join(parent, own, s->d);
}

/* Fills parent[] with roots, and of each block a body that moves (b where none does). */
static void join_all(const dls_rows *rows, int *parent, int *own) {
  const int *tree = rows->tree;
  for (int i = 0; i < rows->n_bodies; i++) parent[i] = i;
  for (int i = 0; tree && i < rows->n_bodies; i++)
    if (tree[i] >= 0) join(parent, i, tree[i]);
  for (int k = 0, n = rows->n_blocks; k < n; k++) {
    const dls_block *block = &rows->block[k];
    const int a = block->a, b = block->b;
    const bool moves_a = moves(rows, a);
    own[k] = moves_a ? a : b;
    if (moves_a && moves(rows, b)) join(parent, a, b);
    if (block->second > 0) join_second(rows, block, own[k], parent);
  }
  for (int i = 0; i < rows->n_bodies; i++) parent[i] = parent[parent[i]];
}

/* Numbers the islands by their first block: parent[root] = -1 - number. own[]: bodies in, islands
** out; start[] counts blocks. Answers how many islands. */
static int number(int n_blocks, int *parent, int *own, int *start) {
  /* most blocks are of the island of the one before: its count is not in memory */
  int n = 0, island = -1, count = 0;
  for (int k = 0; k < n_blocks; k++) {
    const int body = own[k], up = parent[body], root = up < 0 ? body : up;
    if (parent[root] >= 0) {
      parent[root] = -1 - n;
      start[n++] = 0;
    }
    own[k] = -1 - parent[root];
    if (own[k] != island) {
      if (island >= 0) start[island] += count;
      island = own[k];
      count = 0;
    }
    count++;
  }
  if (island >= 0) start[island] += count;
  return n;
}

/* Blocks in the order of their islands; start[]: where each begins, out: where it ends. */
static void share_out(int n_blocks, const int *of, int *start, int *blocks) {
  for (int k = 0; k < n_blocks;) {
    const int island = of[k];
    int at = start[island];
    for (; k < n_blocks && of[k] == island; k++) blocks[at++] = k;
    start[island] = at;
  }
}

void dls_rows_islands(dls_rows *rows) {
  int *parent = rows->body_island, *start = rows->island_start, *of = rows->block_island;
  join_all(rows, parent, of);
  const int n = rows->n_islands = number(rows->n_blocks, parent, of, start);
  for (int i = 0, sum = 0; i <= n; i++) {
    const int count = i < n ? start[i] : 0;
    start[i] = sum;
    sum += count;
  }
  share_out(rows->n_blocks, of, start, rows->island_block);
  for (int i = n; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

void dls_rows_body_islands(dls_rows *rows) {
  int *parent = rows->body_island;
  for (int i = rows->n_bodies - 1; i >= 0; i--) { /* roots after all that they are roots of */
    const int up = parent[i], code = parent[up < 0 ? i : up];
    parent[i] = code < 0 ? -1 - code : -1;
  }
}
