/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "core/rows/rows.h"

/* Islands of random blocks between bodies that move, bodies that do not, trees and gears: those found here by passing
** the least number on from neighbour to neighbour until nothing changes. Prints what is wrong, and "ok" at the end. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static int below(int n) { return (int)(n * uniform()); }

enum { SEEDS = 2000, BODIES = 60, BLOCKS = 80 };
static dls_block block[BLOCKS];
static dls_second second[BLOCKS];
static double inv_mass[BODIES];
static int tree[BODIES], label[BODIES], seen[BODIES];
static int body_island[BODIES], start[BLOCKS + 1], list[BLOCKS], of[BLOCKS];

static bool moves(const dls_rows *rows, int i) { return inv_mass[i] > 0 || (rows->tree && tree[i] >= 0); }

static void make(dls_rows *rows) {
  const bool trees = uniform() < 0.3, gears = uniform() < 0.3;
  *rows = (dls_rows){.n_bodies = 2 + below(BODIES - 2), .n_blocks = below(BLOCKS + 1), .block = block, .second = second,
                     .inv_mass = inv_mass, .tree = trees ? tree : NULL, .body_island = body_island,
                     .island_start = start, .island_block = list, .block_island = of};
  const int n = rows->n_bodies;
  for (int i = 0; i < n; i++) {
    inv_mass[i] = uniform() < 0.2 ? 0 : 1;
    tree[i] = uniform() < 0.3 ? below(i + 1) : -1;
    if (trees && tree[i] >= 0 && tree[tree[i]] < 0) tree[i] = i; /* the first of a tree names itself */
    if (trees && tree[i] >= 0) tree[i] = tree[tree[i]], inv_mass[i] = 0;
  }
  for (int k = 0; k < rows->n_blocks; k++) {
    block[k] = (dls_block){.a = below(n), .b = below(n), .second = gears && uniform() < 0.2 ? k + 1 : 0};
    second[k] = (dls_second){.c = below(n), .d = below(n)};
  }
}

static bool pass(const dls_rows *rows, int a, int b) {
  if (!moves(rows, a) || !moves(rows, b) || label[a] == label[b]) return false;
  label[a] = label[b] = label[a] < label[b] ? label[a] : label[b];
  return true;
}

static int own_of(const dls_rows *rows, int k) { return moves(rows, block[k].a) ? block[k].a : block[k].b; }

static void find(const dls_rows *rows) {
  for (int i = 0; i < rows->n_bodies; i++) label[i] = i;
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; rows->tree && i < rows->n_bodies; i++)
      if (tree[i] >= 0) more = pass(rows, i, tree[i]) || more;
    for (int k = 0; k < rows->n_blocks; k++) {
      const int own = own_of(rows, k);
      more = pass(rows, block[k].a, block[k].b) || more;
      if (block[k].second == 0 || !moves(rows, own)) continue;
      more = pass(rows, own, second[k].c) || more;
      more = pass(rows, own, second[k].d) || more;
    }
  }
}

static int complain(const char *what, int seed, int k) {
  printf("%s: seed %d, %d\n", what, seed, k);
  return 1;
}

static int test(int seed) {
  dls_rows rows;
  make(&rows);
  for (int k = 0; k < rows.n_blocks; k++) /* a gear has a body of its own that moves */
    if (block[k].second > 0 && !moves(&rows, own_of(&rows, k))) block[k].second = 0;
  find(&rows);
  dls_rows_islands(&rows);
  dls_rows_body_islands(&rows);
  int n = 0, at = 0;
  for (int i = 0; i < rows.n_bodies; i++) seen[i] = -1;
  for (int k = 0; k < rows.n_blocks; k++) {
    int *island = &seen[label[own_of(&rows, k)]];
    if (*island < 0) *island = n++;
    if (of[k] != *island) return complain("a block is of another island", seed, k);
  }
  if (n != rows.n_islands) return complain("another number of islands", seed, rows.n_islands);
  for (int i = 0; i < rows.n_bodies; i++)
    if (body_island[i] != seen[label[i]]) return complain("a body is of another island", seed, i);
  for (int i = 0; i < n; i++) {
    if (start[i] != at) return complain("an island starts elsewhere", seed, i);
    for (int k = 0; k < rows.n_blocks; k++)
      if (of[k] == i && list[at++] != k) return complain("the list is not island by island", seed, k);
  }
  return start[n] == at ? 0 : complain("the list ends elsewhere", seed, at);
}

int main(void) {
  for (int seed = 1; seed <= SEEDS; seed++) {
    state = (uint64_t)seed;
    for (int i = 0; i < 10; i++) (void)uniform();
    if (test(seed) != 0) return 1;
  }
  printf("ok\n");
  return 0;
}
