/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Checks of contact sweeps in lanes that Lua cannot reach: prints one line a failure, then "done <count>".
**   cone_host paths N       every path of this processor: the same bits, seeds 1 .. N
**   cone_host visits N      a sweep in lanes does what group after group does in its order */
#include "core/cone/sweep.h"
#include "lcp_families.h"

#include <stdio.h>
#include <stdlib.h>

enum { GROUPS = 120, ROWS = 3 * GROUPS, BODIES = 70 };
static double W[ROWS * ROWS], b[ROWS], J[ROWS][2][6];
static int bodies[ROWS][2];
static dls_cone_group groups[GROUPS];
static char memory[1 << 26];
static int n_failed, n_done;

static void fail(const char *what, int seed, int at) {
  if (++n_failed <= 20) printf("failed: %s, seed %d, %d\n", what, seed, at);
}

/* Random contacts between random pairs of bodies; some rows alone, some contacts without friction or with much of it,
** some with a normal that is felt by no body. */
static dls_cone_problem make(int seed, int d) {
  family_rng r = {(uint64_t)seed};
  static const dls_cone_kind single[] = {DLS_CONE_UNILATERAL, DLS_CONE_BILATERAL,
                                         DLS_CONE_BOX};
  int n = 0, m = 40 + seed % (GROUPS - 40), mixed = seed % 3 == 0;
  for (int g = 0; g < m; g++) {
    int rows = mixed && uniform(&r) < 0.2 ? 1 : d;
    groups[g] = (dls_cone_group){.kind = rows == 1 ? single[(int)(3 * uniform(&r)) % 3]
                                         : d == 3  ? DLS_CONE_SPATIAL
                                                   : DLS_CONE_PLANAR,
                                 .row = n,
                                 .lo = -0.1,
                                 .hi = 0.2};
    if (rows > 1)
      groups[g].mu[0] = seed % 5 == 0 && g % 7 == 0 ? 0 : 2 * uniform(&r) * uniform(&r);
    for (int side = 0; side < 2; side++) {
      int body = (int)(BODIES * uniform(&r)) % BODIES;
      for (int i = 0; i < rows; i++) {
        bodies[n + i][side] = body;
        for (int k = 0; k < 6; k++) J[n + i][side][k] = normal(&r);
      }
      if (seed % 4 == 0 && g % 11 == 3)
        for (int k = 0; k < 6; k++) J[n][side][k] = 0;
    }
    n += rows;
  }
  for (int i = 0; i < n; i++) {
    b[i] = normal(&r) - 0.5;
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int side = 0; side < 4; side++)
        for (int k = 0; k < 6 && bodies[i][side / 2] == bodies[j][side % 2]; k++)
          sum += J[i][side / 2][k] * J[j][side % 2][k];
      W[i * n + j] = sum;
    }
  }
  return (dls_cone_problem){.n_rows = n, .n_groups = m, .groups = groups, .W = W, .b = b};
}

/* 30 sweeps with momentum in between by one path; numbers in z. */
static int run(const dls_cone_problem *pr, int path, double *z) {
  dls_arena tmp = dls_arena_over(memory, sizeof memory);
  dls_cone_system sys;
  dls_cone_pack pack;
  dls_fault fault;
  if (dls_cone_system_build(pr, &tmp, &sys, &fault) != DLS_OK) return 0;
  dls_cone_local *locals = DLS_TAKE(&tmp, dls_cone_local, sys.n_groups);
  for (int g = 0; g < sys.n_groups; g++) dls_cone_local_make(&sys, g, &locals[g]);
  if (dls_cone_pack_make(&sys, locals, path, &tmp, &pack) != DLS_OK || !pack.ready)
    return 0;
  double *y = DLS_TAKE(&tmp, double, pack.n + 24),
         *x = DLS_TAKE(&tmp, double, pack.n + 24);
  double *w = DLS_TAKE(&tmp, double, pack.n + 24);
  memset(y, 0, (size_t)(pack.n + 24) * sizeof *y);
  memset(x, 0, (size_t)(pack.n + 24) * sizeof *y);
  for (int k = 0; k < 30; k++) {
    memcpy(w, y, (size_t)pack.n * sizeof *y);
    double moved = dls_cone_pack_sweep(&pack, y);
    double turn = pack.lanes->turn(pack.n, w, y, x);
    pack.lanes->leap(pack.n, turn > 0 ? 0 : dls_min(moved, 0.5), y, x);
  }
  dls_cone_pack_unload(&pack, x, z);
  return 1;
}

static void paths(int seed) {
  static double first[ROWS], now[ROWS];
  dls_cone_problem pr = make(seed, 2 + seed % 2);
  if (!run(&pr, 0, first)) {
    fail("no packs", seed, pr.n_groups);
    return;
  }
  for (int path = 1; dls_cone_lanes_at(path); path++) {
    if (!run(&pr, path, now)) fail("no packs on path", seed, path);
    if (memcmp(first, now, (size_t)pr.n_rows * sizeof *now) != 0)
      fail("other bits on path", seed, path);
  }
}

/* One sweep from random impulses against the exact solver of one group, in the order of the lanes. */
static void visits(int seed) {
  dls_cone_problem pr = make(seed, 2 + seed % 2);
  family_rng r = {(uint64_t)seed + 1000};
  dls_arena tmp = dls_arena_over(memory, sizeof memory);
  dls_cone_system sys;
  dls_cone_pack pack;
  dls_fault fault;
  static double z[ROWS], got[ROWS];
  dls_cone_system_build(&pr, &tmp, &sys, &fault);
  dls_cone_local *locals = DLS_TAKE(&tmp, dls_cone_local, sys.n_groups);
  for (int g = 0; g < sys.n_groups; g++) dls_cone_local_make(&sys, g, &locals[g]);
  dls_cone_pack_make(&sys, locals, -1, &tmp, &pack);
  if (!pack.ready) {
    fail("no packs", seed, pr.n_groups);
    return;
  }
  for (int i = 0; i < sys.n; i++) z[i] = normal(&r);
  for (int g = 0; g < sys.n_groups; g++)
    dls_cone_system_admit(&sys, g, z + groups[g].row);
  double *y = DLS_TAKE(&tmp, double, pack.n + 24), size = 1;
  memset(y, 0, (size_t)(pack.n + 24) * sizeof *y);
  dls_cone_pack_load(&pack, z, y);
  dls_cone_pack_sweep(&pack, y);
  dls_cone_pack_unload(&pack, y, got);
  int seen = 0;
  for (int l = 0; l < 8 * pack.n_packs; l++) {
    int g = pack.group[l];
    double off[DLS_CONE_ROWS];
    if (g < 0) continue;
    seen++;
    dls_cone_system_off(&sys, g, z, off);
    dls_cone_local_solve(&sys, g, &locals[g], off, z + groups[g].row);
  }
  if (seen != sys.n_groups) fail("groups are missing", seed, seen);
  for (int i = 0; i < sys.n; i++) size = dls_max(size, fabs(z[i]));
  for (int i = 0; i < sys.n; i++)
    if (!(fabs(z[i] - got[i]) <= 1e-10 * size)) fail("another impulse", seed, i);
}

int main(int argc, char **argv) {
  int n = argc > 2 ? atoi(argv[2]) : 1;
  for (int seed = 1; seed <= n; seed++, n_done++) {
    if (strcmp(argv[1], "paths") == 0)
      paths(seed);
    else
      visits(seed);
  }
  printf("done %d, failed %d\n", n_done, n_failed);
  return 0;
}
