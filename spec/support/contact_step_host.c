/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/ladder/contact_step.h"
#include "core/ladder/newton_step.h"
#include "core/rows/impulses.h"

/* Newton's step of contacts (ladder/contact_step.h) beside the general one: islands of random contacts that are open,
** stick and slip, half of them with spinning and rolling friction, with and without compliance, about a centre and about themselves, damped
** unequally. Prints what is wrong, and "ok" at the end. */

static uint64_t seed_state;
static double uniform(void) {
  seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed_state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 400, BODIES = 8, BLOCKS = 20, ROWS = 6 * BLOCKS };

static int states[3], turning[3];

static int complain(const char *what, int seed, double by) {
  printf("%s: seed %d, %g\n", what, seed, by);
  return 1;
}

static void fill(dls_rows *rows) {
  const int n = 1 + (int)(uniform() * BLOCKS);
  for (int i = 0; i < BODIES; i++) {
    rows->inv_mass[i] = uniform() < 0.2 ? 0 : 0.5 + uniform();
    for (int k = 0; k < 9; k++) rows->inv_inertia[9 * i + k] = k % 4 == 0 && rows->inv_mass[i] > 0 ? 1 + uniform() : 0;
    for (int k = 0; k < 6; k++) rows->u[6 * i + k] = rows->u_free[6 * i + k] = within(1);
  }
  rows->n_blocks = n;
  rows->n_rows = 0;
  for (int k = 0; k < n; k++) {
    dls_block *block = &rows->block[k];
    const bool rolls = uniform() < 0.5;
    const double radius = 0.05 + uniform();
    *block = (dls_block){.kind = rolls ? DLS_ROW_ROLLING : DLS_ROW_CONE, .n = rolls ? 6 : 3, .row = rows->n_rows,
                         .a = (int)(uniform() * BODIES), .mu = {uniform(), radius * uniform(), radius * uniform()}};
    rows->n_rows += block->n;
    block->b = (block->a + 1 + (int)(uniform() * (BODIES - 1))) % BODIES;
    const double soft = uniform() < 0.3 ? 0.1 : 0, normal = soft * uniform(), across = soft * uniform();
    for (int i = block->row; i < block->row + block->n; i++) {
      const bool turns = i >= block->row + 3;
      for (int j = 0; j < 12; j++) rows->J[12 * i + j] = turns && j % 6 < 3 ? 0 : within(1);
      rows->s[i] = within(0.2);
      rows->gamma[i] = i == block->row ? normal : across;
      rows->length[i] = turns ? radius : 1;
      rows->p[i] = i == block->row ? 2 * uniform() - 0.5 : within(0.3) * rows->length[i];
    }
    dls_prepare_rows(rows, block, block->n);
  }
}

static double largest_difference(const double *x, const double *y, int n) {
  double most = 0, size = 1;
  for (int i = 0; i < n; i++) {
    most = dls_max(most, fabs(x[i] - y[i]));
    size = dls_max(size, fabs(y[i]));
  }
  return most / size;
}

static int test(int seed, dls_arena *arena) {
  dls_rows rows;
  dls_newton N;
  int blocks[BLOCKS];
  double centre[6 * BLOCKS], step[6 * BLOCKS], general[6 * BLOCKS], merits[2][2], pushed[2][6 * BODIES];
  seed_state = (uint64_t)seed * 7919;
  for (int k = 0; k < 8; k++) (void)uniform();
  dls_arena_release(arena, 0);
  if (dls_rows_take(&rows, arena, 3, BODIES, BLOCKS, ROWS) != DLS_OK) return complain("no room", seed, 0);
  rows.special = NULL, rows.second = NULL, rows.tree = NULL, rows.stop = NULL;
  fill(&rows);
  const int n = rows.n_blocks;
  for (int k = 0; k < n; k++) blocks[k] = k;
  for (int k = 0; k < 6 * BLOCKS; k++) centre[k] = within(1);
  if (dls_newton_take(&rows, blocks, n, NULL, arena, &N) != DLS_OK) return complain("not taken", seed, 0);
  N.damp = exp(within(5)) * 1e-2;
  N.times = exp(within(3)) * 10;
  if (uniform() < 0.5) N.centre = centre;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 2; i++) N.law[k].drag[i] = exp(3 * uniform());
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 0; k < n; k++) {
      if (turn == 0 && !N.law[k].contact) return complain("not a plain contact", seed, k);
      N.law[k].contact = turn == 0;
    }
    dls_newton_pack(&rows, blocks, n, &N);
    dls_newton_push(&rows, blocks, n, &N);
    memcpy(turn == 0 ? pushed[0] : pushed[1], rows.u, sizeof pushed[0]);
    merits[turn][0] = dls_newton_linearise(&rows, blocks, n, &N);
    for (int k = 0; turn == 0 && k < n; k++)
      states[!N.plain[k].S.acts ? 0 : N.plain[k].S.slips ? 1 : 2]++;
    for (int k = 0; turn == 0 && k < N.n_turning; k++)
      turning[!N.turned[k].S.acts ? 0 : N.turned[k].S.slips ? 1 : 2]++;
    dls_newton_step(&rows, blocks, n, &N);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < 6; i++) (turn == 0 ? step : general)[6 * k + i] = i < rows.block[k].n ? N.dp[6 * k + i] : 0;
    dls_newton_follow(&rows, blocks, n, &N);
    merits[turn][1] = dls_newton_merit(&rows, blocks, n, 0.5, &N);
    const double at_start = dls_newton_merit(&rows, blocks, n, 0, &N);
    if (!(fabs(at_start - merits[turn][0]) <= 1e-12 * at_start)) return complain("two merits", seed, at_start);
  }
  for (int k = 0; k < 2; k++)
    if (!(fabs(merits[0][k] - merits[1][k]) <= 1e-8 * merits[1][k])) return complain("merit", seed, fabs(merits[0][k] - merits[1][k]) / merits[1][k]);
  if (!(largest_difference(pushed[0], pushed[1], 6 * BODIES) < 1e-12)) return complain("push", seed, largest_difference(pushed[0], pushed[1], 6 * BODIES));
  const double off = largest_difference(step, general, 6 * n);
  return off < 1e-8 ? 0 : complain("step", seed, off);
}

int main(void) {
  const size_t size = (size_t)4 << 20;
  void *memory = malloc(size);
  dls_arena arena = dls_arena_over(memory, size);
  int wrong = 0;
  for (int seed = 1; seed <= SEEDS; seed++) wrong += test(seed, &arena);
  for (int k = 0; k < 3; k++)
    if (states[k] < 100 || turning[k] < 100) wrong += complain("a state that is seldom met", k, states[k]);
  if (wrong == 0) printf("ok\n");
  free(memory);
  return wrong > 0;
}
