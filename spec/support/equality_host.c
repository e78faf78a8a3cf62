/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chance.h"
#include "core/graph/equality.h"

/* The factor of bilateral rows (graph/equality.h) on random blocks between bodies and on ways to the root of a random tree,
** in the plane and in space, some of whose rows are others' over again: with W written out here as a dense matrix,
** impulses that the factor finds to undo W p_0 undo it; a row is told as dependent exactly where it is one over again; and
** what a block beside them has of its own W, once its support has the white numbers, is W_cc - W_cB W_BB^+ W_Bc.
** Prints what is wrong, and "ok" at the end. */

enum { SEEDS = 300, BODIES = 14, NODES = 12, BLOCKS = 40, ROWS = 6 * BLOCKS, NUMBERS = 3 * NODES };

static double J[ROWS][6 * BODIES], Z[ROWS][NUMBERS], weight[NUMBERS], W[ROWS][ROWS];
static int parent[NODES], base[NODES + 1];

static int complain(const char *what, int dim, int seed, double by) {
  printf("%s: %d dimensions, seed %d, %g\n", what, dim, seed, by);
  return 1;
}

/* A tree whose nodes have one to three numbers each, all of them of some weight. */
static void make_tree(void) {
  base[0] = 0;
  for (int i = 0; i < NODES; i++) {
    parent[i] = (int)(uniform() * (i + 1)) - 1;
    if (parent[i] >= i) parent[i] = i - 1;
    base[i + 1] = base[i] + 1 + (int)(uniform() * 3);
  }
  for (int l = 0; l < base[NODES]; l++) weight[l] = between(0.5, 2);
}

/* The ways from two nodes to the root. */
static void add_support(dls_support *on, int d, int row, dls_arena *arena, dls_rows *rows) {
  bool has[NODES] = {false};
  for (int side = 0; side < 2; side++)
    for (int i = (int)(uniform() * NODES); i >= 0; i = parent[i]) has[i] = true;
  int n = 0;
  for (int i = 0; i < NODES; i++) n += has[i] ? base[i + 1] - base[i] : 0;
  if (dls_support_take(rows, on, n, d, arena) != DLS_OK) exit(1);
  int l = 0;
  for (int i = 0; i < NODES; i++)
    for (int number = base[i]; has[i] && number < base[i + 1]; number++, l++) {
      on->at[l] = number;
      for (int k = 0; k < d; k++) {
        Z[row + k][number] = on->z[l * d + k] = within(1);
        on->y[l * d + k] = weight[number] * on->z[l * d + k];
      }
    }
}

/* Row `row` is row `from` over again. */
static void repeat_row(dls_rows *rows, dls_support *on, int d, int k, int from_k, int row, int from) {
  const size_t width = 2 * (size_t)rows->nu;
  memcpy(rows->J + (size_t)row * width, rows->J + (size_t)from * width, width * sizeof(double));
  for (int l = 0; l < on->n; l++) {
    on->z[l * d + k] = on->z[l * d + from_k];
    on->y[l * d + k] = on->y[l * d + from_k];
  }
  memcpy(Z[row], Z[from], sizeof Z[row]);
}

static void make_row(dls_rows *rows, const dls_block *block, int row) {
  const int nu = rows->nu, body[2] = {block->a, block->b};
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < nu; k++) {
      const size_t at = (size_t)row * 2 * (size_t)nu + (size_t)(side * nu + k);
      rows->MJ[at] = rows->inv_mass[body[side]] * rows->J[at];
      if (rows->inv_mass[body[side]] > 0) J[row][nu * body[side] + k] += rows->J[at];
    }
}

static double dense(const dls_rows *rows, int i, int j) {
  double sum = i == j ? rows->gamma[i] : 0;
  for (int k = 0; k < rows->nu * BODIES; k++) sum += rows->inv_mass[k / rows->nu] * J[i][k] * J[j][k];
  for (int l = 0; l < base[NODES]; l++) sum += weight[l] * Z[i][l] * Z[j][l];
  return sum;
}

static int test(int dim, int seed, dls_arena *arena) {
  static bool again[ROWS];
  dls_rows rows;
  state = (uint64_t)seed * 7919 + (uint64_t)dim;
  for (int k = 0; k < 8; k++) (void)uniform();
  dls_arena_release(arena, 0);
  if (dls_rows_take(&rows, arena, dim, BODIES, BLOCKS, ROWS) != DLS_OK) return complain("no room", dim, seed, 0);
  memset(J, 0, sizeof J), memset(Z, 0, sizeof Z), memset(again, 0, sizeof again);
  make_tree();
  for (int i = 0; i < BODIES; i++) rows.inv_mass[i] = uniform() < 0.2 ? 0 : between(0.5, 2);
  const int n = 2 + (int)(uniform() * (BLOCKS - 2)), n_equal = n - 1 - (int)(uniform() * (n - 1) / 3);
  const bool trees = uniform() < 0.7, repeats = uniform() < 0.5, soft = uniform() < 0.3;
  dls_block_graph graph = {.n = n, .n_equal = n_equal, .n_x = trees ? base[NODES] : 0};
  graph.block = DLS_TAKE(arena, int, n);
  graph.on = DLS_TAKE(arena, dls_support, n);
  for (int k = 0; k < n; k++) graph.on[k] = (dls_support){0};
  rows.n_rows = 0;
  for (int k = 0; k < n; k++) {
    /* all of them together may be moved on their own: no more rows than there are freedoms, but those over again */
    const int d = rows.n_rows > 10 ? 1 : 1 + (int)(uniform() * rows.nb), row = rows.n_rows;
    dls_block *block = &rows.block[k];
    *block = (dls_block){.kind = k < n_equal ? DLS_ROW_BILATERAL : DLS_ROW_UNILATERAL, .n = (unsigned char)d, .row = row,
                         .a = (int)(uniform() * BODIES), .b = (int)(uniform() * BODIES)};
    if (block->a == block->b) block->b = (block->a + 1) % BODIES;
    rows.n_rows += d;
    graph.block[k] = k;
    if (trees && uniform() < 0.7) add_support(&graph.on[k], d, row, arena, &rows);
    for (int i = 0; i < 2 * rows.nu * d; i++) rows.J[row * 2 * rows.nu + i] = within(1);
    if (repeats && d > 1 && uniform() < 0.3) {
      repeat_row(&rows, &graph.on[k], d, d - 1, 0, row + d - 1, row);
      again[row + d - 1] = true;
    }
    for (int i = 0; i < d; i++) {
      rows.length[row + i] = 1;
      rows.gamma[row + i] = soft ? between(0.01, 0.1) : 0;
      make_row(&rows, block, row + i);
    }
  }
  for (int i = 0; i < rows.n_rows; i++)
    for (int j = 0; j < rows.n_rows; j++) W[i][j] = dense(&rows, i, j);
  dls_equality E;
  dls_equality_walk walk;
  if (dls_block_graph_join(&rows, &graph, arena) != DLS_OK) return complain("no graph", dim, seed, 0);
  if (dls_equality_plan(&rows, &graph, arena, &E) != DLS_OK) return complain("no plan", dim, seed, 0);
  if (dls_equality_walk_take(&rows, &graph, &E, arena, &walk) != DLS_OK) return complain("no walk", dim, seed, 0);
  dls_equality_factor(&rows, &graph, &E);

  static double p_0[ROWS], p[ROWS], r[6 * BLOCKS], q[6 * BLOCKS], t[ROWS];
  const int m = rows.block[n_equal - 1].row + rows.block[n_equal - 1].n;
  for (int i = 0; i < m; i++) p_0[i] = within(1);
  double condition = 1; /* about: sizes of impulses that undo what those of size 1 do */
  for (int turn = 0; turn < 2; turn++) { /* W p_0; then a row of W_Bc */
    const dls_block *other = n > n_equal ? &rows.block[n_equal] : NULL;
    if (turn == 1 && !other) break;
    for (int k = 0; k < n_equal; k++) {
      const dls_block *block = &rows.block[E.which[k]];
      for (int i = 0; i < block->n; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++) sum += W[block->row + i][j] * p_0[j];
        r[k * rows.nb + i] = turn == 0 ? sum : W[block->row + i][other->row];
      }
    }
    dls_equality_forward(&rows, &E, r, t);
    double squares = 0;
    for (int l = 0; l < E.white[n_equal]; l++) squares += t[l] * t[l];
    dls_equality_backward(&rows, &E, t, q);
    for (int k = 0; k < n_equal; k++)
      for (int i = 0; i < rows.block[E.which[k]].n; i++) {
        p[rows.block[E.which[k]].row + i] = q[k * rows.nb + i];
        condition = dls_max(condition, fabs(q[k * rows.nb + i]));
      }
    for (int k = 0; k < n_equal; k++) {
      const dls_block *block = &rows.block[E.which[k]];
      for (int i = 0; i < block->n; i++) {
        double sum = -r[k * rows.nb + i];
        for (int j = 0; j < m; j++) sum += W[block->row + i][j] * p[j];
        if (!(fabs(sum) <= 1e-9 * condition)) return complain("rows are not undone", dim, seed, sum);
        const bool free = dls_equality_is_independent(&rows, &E, k, i);
        if (turn == 0 && !soft && condition < 1e3 && again[block->row + i] && free && E.rank[k] == block->n)
          return complain("a row over again counts", dim, seed, block->row + i);
        if (!free && p[block->row + i] != 0) return complain("a dependent row has an impulse", dim, seed, i);
      }
    }
    if (turn == 0) continue;
    double own[36];
    if (dls_equality_support(&rows, &graph, &E, n_equal, &walk, arena) != DLS_OK)
      return complain("no support", dim, seed, 0);
    dls_couple(&rows, other, &graph.on[n_equal], other, &graph.on[n_equal], own);
    const double left = W[other->row][other->row] - rows.gamma[other->row] - squares;
    if (!(fabs(own[0] - left) <= 1e-9 * condition)) return complain("own W of a block beside", dim, seed, own[0] - left);
  }
  return 0;
}

int main(void) {
  const dls_alloc alloc = dls_alloc_libc();
  dls_arena arena;
  if (dls_arena_create(&arena, &alloc, 1 << 22) != DLS_OK) return 1;
  for (int dim = 2; dim <= 3; dim++)
    for (int seed = 1; seed <= SEEDS; seed++)
      if (test(dim, seed, &arena)) return 1;
  dls_arena_destroy(&arena, &alloc);
  puts("ok");
  return 0;
}
