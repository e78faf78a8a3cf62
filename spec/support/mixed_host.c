/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Mixed complementarity problems W = J J', b = J u with rows that depend on each other, which all have a solution (u
** taken away again):
**   mixed_host laws N      the law by W p + b computed here, and the velocities by the cone problem, seeds 1 .. N
**   mixed_host active N    the same of lcp/active_set.h: half of the rows, from nothing; then all, from that; then from all
** prints one line a failure, then "done <count>, failed <count>". */
#include "core/lcp/active_set.h"
#include "core/lcp/mixed.h"
#include "core/cone/cone.h"
#include "lcp_families.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 48 };
static double J[MOST][MOST], W[MOST * MOST], b[MOST], own[MOST], p[MOST], p_cone[MOST], v[MOST], v_cone[MOST];
static bool holds[MOST];
static char memory[1 << 24];
static int n_failed, n_done;

static void fail(const char *what, int seed, double value) {
  if (++n_failed <= 20) printf("failed: %s, seed %d: %g\n", what, seed, value);
}

/* n rows on m coordinates; every fourth row is a sum of two others or one of them again. */
static int make(int seed, double *size) {
  family_rng r = {(uint64_t)seed};
  const int n = 2 + seed % (MOST - 2), m = 1 + (int)(uniform(&r) * 1.5 * n) % MOST;
  double u[MOST];
  for (int k = 0; k < m; k++) u[k] = normal(&r);
  *size = 0;
  for (int i = 0; i < n; i++) {
    const int x = i > 0 ? (int)(uniform(&r) * i) : 0, y = i > 0 ? (int)(uniform(&r) * i) : 0;
    const bool again = i > 1 && uniform(&r) < 0.25, twice = uniform(&r) < 0.5;
    for (int k = 0; k < m; k++) J[i][k] = again ? J[x][k] + (twice ? 0 : J[y][k]) : uniform(&r) < 0.5 ? normal(&r) : 0;
    holds[i] = uniform(&r) < 0.5;
  }
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    for (int k = 0; k < m; k++) b[i] += J[i][k] * u[k];
    *size = dls_max(*size, fabs(b[i]));
    for (int j = 0; j < n; j++) {
      W[i * n + j] = 0;
      for (int k = 0; k < m; k++) W[i * n + j] += J[i][k] * J[j][k];
    }
    own[i] = W[i * n + i];
  }
  return n;
}

/* The largest violation of the law by p; v = W p + b. */
static double violation(int n, const double *impulse, double *velocity) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    velocity[i] = b[i];
    for (int j = 0; j < n; j++) velocity[i] += W[i * n + j] * impulse[j];
    if (holds[i]) most = dls_max(most, fabs(velocity[i]));
    else most = dls_max(most, dls_max(-velocity[i], dls_max(-impulse[i], dls_min(fabs(velocity[i]), fabs(impulse[i]) * own[i]))));
  }
  return most;
}

static bool by_cone(int n) {
  static dls_cone_group groups[MOST];
  for (int i = 0; i < n; i++)
    groups[i] = (dls_cone_group){.kind = holds[i] ? DLS_CONE_BILATERAL : DLS_CONE_UNILATERAL, .row = i};
  const dls_cone_problem problem = {.n_rows = n, .n_groups = n, .groups = groups, .W = W, .b = b};
  dls_cone_opts opts = dls_cone_opts_default();
  dls_cone_report report;
  dls_arena tmp = dls_arena_over(memory, sizeof memory);
  return dls_cone_solve(&problem, &opts, &tmp, p_cone, v_cone, &report) == DLS_OK && report.outcome == DLS_SOLVED;
}

/* All rows of a unit diagonal; those of zeros take no part. */
static void make_unit(int n) {
  for (int i = 0; i < n; i++) {
    const double unit = own[i] > 0 ? 1 / sqrt(own[i]) : 0;
    b[i] *= unit;
    for (int j = 0; j < n; j++) W[i * n + j] *= unit, W[j * n + i] *= unit;
  }
  for (int i = 0; i < n; i++) holds[i] = holds[i] && own[i] > 0, own[i] = 1;
}

static bool by_active_set(int n, double tolerance) {
  static double start[MOST];
  dls_active_set s;
  dls_arena tmp = dls_arena_over(memory, dls_active_set_bytes(MOST));
  if (!dls_active_set_take(MOST, &tmp, &s)) return false;
  for (int turn = 0; turn < 3; turn++) {
    for (int k = s.n; k < (turn == 0 ? n / 2 : n); k++) {
      dls_active_set_add(&s);
      s.b[k] = b[k];
      s.holds[k] = holds[k];
      for (int j = 0; j < k; j++) dls_active_set_row(&s, k)[j] = dls_active_set_row(&s, j)[k] = W[k * n + j];
    }
    for (int k = 0; k < n; k++) start[k] = turn == 2 ? 1 : turn == 1 && k < n / 2 ? s.z[k] : 0;
    dls_active_set_start(&s, start);
    if (!dls_active_set_solve(&s, tolerance, 20 * n)) return false;
  }
  memcpy(p, s.z, (size_t)n * sizeof *p);
  return true;
}

static void check_active_set(int seed, int *n_unsolved) {
  double size = 0;
  const int n = make(seed, &size);
  make_unit(n);
  for (int i = 0; i < n; i++) size = dls_max(i > 0 ? size : 0, fabs(b[i]));
  if (!by_active_set(n, 1e-12 * size)) {
    ++*n_unsolved;
    return;
  }
  const double left = violation(n, p, v);
  if (!(left <= 1e-9 * dls_max(size, 1e-300))) fail("law", seed, left / size);
  if (!by_cone(n)) return;
  for (int i = 0; i < n; i++)
    if (!(fabs(v[i] - v_cone[i]) <= 1e-7 * size)) fail("velocity", seed, (v[i] - v_cone[i]) / size);
}

int main(int argc, char **argv) {
  const int seeds = argc > 2 ? atoi(argv[2]) : 0;
  int n_unsolved = 0;
  for (int seed = 1; seed <= seeds; seed++, n_done++) {
    if (strcmp(argv[1], "active") == 0) {
      check_active_set(seed, &n_unsolved);
      continue;
    }
    double size;
    bool solved;
    const int n = make(seed, &size);
    const double limit = 1e-9 * dls_max(size, 1e-300);
    dls_arena tmp = dls_arena_over(memory, dls_mixed_lcp_bytes(n));
    if (dls_mixed_lcp(n, holds, own, W, b, NULL, 1e-10, &tmp, p, &solved) != DLS_OK) fail("status", seed, n);
    n_unsolved += !solved;
    if (!solved) continue;
    const double left = violation(n, p, v);
    if (!(left <= limit)) fail("law", seed, left / size);
    if (!by_cone(n)) continue;
    for (int i = 0; i < n; i++)
      if (!(fabs(v[i] - v_cone[i]) <= 1e-7 * size)) fail("velocity", seed, (v[i] - v_cone[i]) / size);
  }
  if (n_unsolved > seeds / 20) fail("unsolved", 0, n_unsolved);
  printf("done %d, failed %d\n", n_done, n_failed);
  return 0;
}
