/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/graph/body_graph.h"

/* The graph of an island's bodies and its block LU (graph/body_graph.h), in the plane and in space: every two bodies that
** a block joins have an entry in the pattern, bodies that do not move have no place, and what is solved solves the
** equations that were factored, written out here as a dense matrix. Prints what is wrong, and "ok" at the end. */

static uint64_t seed_state;
static double uniform(void) {
  seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed_state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 200, BODIES = 24, BLOCKS = 40, MOST = 6 * BODIES };

static double K[MOST][MOST], y[2 * MOST], r[MOST]; /* y: dls_graph_row a body */

static int complain(const char *what, int dim, int seed, double by) {
  printf("%s: %d dimensions, seed %d, %g\n", what, dim, seed, by);
  return 1;
}

/* Random numbers in a block of the factor, and at (i, j) of the dense matrix. */
static void fill(const dls_body_graph *graph, double *block, int i, int j, double size) {
  const int nu = graph->nu;
  for (int a = 0; a < nu; a++)
    for (int b = 0; b < nu; b++) {
      double *x = &block[a * dls_graph_down(nu) + b * dls_graph_across(nu)];
      *x += within(size);
      K[nu * i + a][nu * j + b] = *x;
    }
}

/* With right sides of late places alone the rest is zero: these places' answers, and all. */
static int test_late(const dls_body_graph *graph, int seed) {
  static double whole[BODIES * 8], last[BODIES * 8], all[BODIES * 8];
  const int row = dls_graph_row(6), first = row * graph->late, n = row * graph->n;
  for (int i = 0; i < n; i++) whole[i] = i >= first && i % row < 6 ? within(1) : 0;
  memcpy(last, whole + first, (size_t)(n - first) * sizeof *last);
  memcpy(all, whole, (size_t)n * sizeof *all);
  dls_body_graph_solve(graph, whole);
  dls_body_graph_solve_late(graph, last);
  dls_body_graph_spread_late(graph, all);
  for (int i = 0; i < n; i++) {
    const double tiny = 1e-12 * (1 + fabs(whole[i]));
    if (i >= first && !(fabs(last[i - first] - whole[i]) <= tiny)) return complain("late places", 3, seed, i);
    if (!(fabs(all[i] - whole[i]) <= tiny)) return complain("all places", 3, seed, i);
  }
  return 0;
}

static int test(int dim, int seed, dls_arena *arena) {
  dls_rows rows;
  dls_body_graph graph;
  int blocks[BLOCKS];
  seed_state = (uint64_t)seed * 7919 + (uint64_t)dim;
  for (int k = 0; k < 8; k++) (void)uniform();
  dls_arena_release(arena, 0);
  if (dls_rows_take(&rows, arena, dim, BODIES, BLOCKS, BLOCKS) != DLS_OK) return complain("no room", dim, seed, 0);
  for (int i = 0; i < BODIES; i++) rows.inv_mass[i] = uniform() < 0.1 ? 0 : 1 + uniform();
  rows.n_blocks = 1 + (int)(uniform() * BLOCKS);
  for (int k = 0; k < rows.n_blocks; k++) {
    rows.block[k] = (dls_block){.kind = DLS_ROW_UNILATERAL, .n = 1, .a = (int)(uniform() * BODIES),
                                .b = (int)(uniform() * BODIES)};
    blocks[k] = k;
  }
  bool late[BODIES];
  for (int i = 0; i < BODIES; i++) late[i] = uniform() < 0.25;
  const bool some = uniform() < 0.5;
  if (dls_body_graph_build(&rows, blocks, rows.n_blocks, some ? late : NULL, arena, &graph) != DLS_OK)
    return complain("not built", dim, seed, 0);
  if (!some && graph.late != graph.n) return complain("none is to come last", dim, seed, graph.late);
  for (int k = 0; k < graph.n && some; k++)
    if (late[graph.body[k]] != (k >= graph.late)) return complain("who comes last", dim, seed, k);
  for (int k = 0; k < rows.n_blocks; k++) {
    const dls_block *block = &rows.block[k];
    if (!dls_moves(&rows, block->a) || !dls_moves(&rows, block->b) || block->a == block->b) continue;
    const int i = graph.place[block->a], j = graph.place[block->b], lo = i < j ? i : j, hi = i < j ? j : i;
    const int e = dls_body_graph_entry(&graph, lo, hi);
    if (e >= graph.start[lo + 1] || graph.col[e] != hi) return complain("a pair without an entry", dim, seed, k);
  }
  const int nu = graph.nu, row = dls_graph_row(nu), size = dls_graph_size(nu);
  memset(K, 0, sizeof K);
  dls_body_graph_clear(&graph);
  for (int k = 0; k < graph.n; k++) {
    if (!(rows.inv_mass[graph.body[k]] > 0) || graph.place[graph.body[k]] != k)
      return complain("a wrong place", dim, seed, k);
    fill(&graph, graph.d + k * size, k, k, 0.3);
    for (int e = graph.start[k]; e < graph.start[k + 1]; e++) {
      fill(&graph, graph.up + e * size, k, graph.col[e], 0.1);
      fill(&graph, graph.low + e * size, graph.col[e], k, 0.1);
    }
  }
  memset(y, 0, sizeof y);
  for (int i = 0; i < graph.n; i++)
    for (int a = 0; a < nu; a++) y[row * i + a] = r[nu * i + a] = within(1);
  dls_body_graph_factor(&graph);
  dls_body_graph_solve(&graph, y);
  double worst = 0, most = 1;
  for (int i = 0; i < nu * graph.n; i++) {
    double sum = -r[i];
    for (int j = 0; j < nu * graph.n; j++) {
      sum += K[i][j] * y[row * (j / nu) + j % nu];
      most = dls_max(most, fabs(y[row * (j / nu) + j % nu]));
    }
    worst = dls_max(worst, fabs(sum));
  }
  if (!(worst <= 1e-10 * most)) return complain("the equations do not hold", dim, seed, worst);
  return dim == 3 ? test_late(&graph, seed) : 0;
}

int main(void) {
  const dls_alloc alloc = dls_alloc_libc();
  dls_arena arena;
  if (dls_arena_create(&arena, &alloc, 1 << 20) != DLS_OK) return 1;
  for (int dim = 2; dim <= 3; dim++)
    for (int seed = 1; seed <= SEEDS; seed++)
      if (test(dim, seed, &arena)) return 1;
  dls_arena_destroy(&arena, &alloc);
  puts("ok");
  return 0;
}
