/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/rows.h"

/* Bodies joined through blocks, found by union and find: parent[] is body_island until the last
** stage; the root of a tree is its smallest body, so that nothing depends on the order of unions. */
static int root_of(int *parent, int i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

static void join(int *parent, int a, int b) {
  if (parent[a] == parent[b]) return;
  int i = root_of(parent, a), j = root_of(parent, b);
  if (i < j) parent[j] = i;
  else parent[i] = j;
}

void dls_rows_islands(dls_rows *rows) {
  int *parent = rows->body_island, *start = rows->island_start;
  const double *inv_mass = rows->inv_mass;
  const int *tree = rows->tree;
#define MOVES(body) (inv_mass[body] > 0 || (tree && tree[body] >= 0))
  for (int i = 0; i < rows->n_bodies; i++) parent[i] = i;
  for (int i = 0; tree && i < rows->n_bodies; i++)
    if (tree[i] >= 0) join(parent, i, tree[i]);
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (MOVES(block->a) && MOVES(block->b)) join(parent, block->a, block->b);
    if (block->second == 0) continue;
    const dls_second *s = &rows->second[block->second - 1];
    const int own = MOVES(block->a) ? block->a : block->b;
    if (MOVES(s->c)) join(parent, own, s->c);
    if (MOVES(s->d)) join(parent, own, s->d);
  }
  for (int i = 0; i < rows->n_bodies; i++) parent[i] = root_of(parent, i);

  /* Number the islands by their first block: parent[root] = -1 - number. start[] counts blocks. */
  int n = 0;
  for (int k = 0; k < rows->n_blocks; k++) {
    dls_block *block = &rows->block[k];
    const int body = MOVES(block->a) ? block->a : block->b, root = parent[body] < 0 ? body : parent[body];
    if (parent[root] >= 0) {
      parent[root] = -1 - n;
      start[n++] = 0;
    }
    block->island = -1 - parent[root];
    start[block->island]++;
  }
  for (int i = 0; i < rows->n_bodies; i++) {
    int root = parent[i];
    if (root < 0) parent[i] = -1 - root;
    else parent[i] = root < i ? parent[root] : -1;
  }
  rows->n_islands = n;
  int sum = 0;
  for (int i = 0; i < n; i++) {
    int count = start[i];
    start[i] = sum;
    sum += count;
  }
  start[n] = sum;
  for (int k = 0; k < rows->n_blocks; k++)
    rows->island_block[start[rows->block[k].island]++] = k;
  for (int i = n; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}
