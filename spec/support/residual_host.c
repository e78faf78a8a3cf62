/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#ifdef SPATIAL
enum { D = 3, NU = 6, NB = 6 };
#else
enum { D = 2, NU = 3, NB = 3 };
#endif
#include "core/base/dim.h"
#include "core/rows/impulses.h"
#include "core/rows/residual.h"
#include "core/cone/cone.h"

/* The residual of rows against that of the same block written down as a cone problem (cone/cone.c, which has specs of
** its own), at impulses that solve nothing: blocks of every kind between the ground and a body, random Jacobians,
** arms, lengths, shifts and compliances. Prints what is wrong, and "ok" at the end. */

static uint64_t seed_state;
static double uniform(void) {
  seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed_state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

static const struct {
  int rows, cone, n;
} kinds[] = {{DLS_ROW_BILATERAL, DLS_CONE_BILATERAL, 1}, {DLS_ROW_UNILATERAL, DLS_CONE_UNILATERAL, 1},
             {DLS_ROW_BOX, DLS_CONE_BOX, 1},
             {DLS_ROW_CONE, D == 2 ? DLS_CONE_PLANAR : DLS_CONE_SPATIAL, D},
             {DLS_ROW_ROLLING, D == 2 ? DLS_CONE_ROLLING_PLANAR : DLS_CONE_ROLLING, NB}};

static double W_of(const dls_rows *rows, const double *J, const double *K) {
  double sum = 0;
  for (int k = 0; k < D; k++) sum += J[k] * K[k] * rows->inv_mass[1];
  for (int i = 0; i < NU - D; i++)
    for (int k = 0; k < NU - D; k++)
      sum += J[D + i] * rows->inv_inertia[(NU - D) * (NU - D) + (NU - D) * i + k] * K[D + k];
  return sum;
}

/* A block of one kind; answers by how much the two differ, as a share of the larger. */
static double compare(dls_arena *arena, int kind, int seed) {
  dls_rows rows;
  double W[NB * NB], b[NB] = {0}, v[NB], natural;
  seed_state = (uint64_t)seed * 7919 + (uint64_t)kind;
  for (int k = 0; k < 8; k++) (void)uniform();
  dls_arena_release(arena, 0);
  if (dls_rows_take(&rows, arena, D, 2, 1, NB) != DLS_OK) return 1;
  const int n = kinds[kind].n;
  for (int i = 0; i < 2; i++) {
    rows.inv_mass[i] = i * (0.5 + uniform());
    for (int k = 0; k < (NU - D) * (NU - D); k++)
      rows.inv_inertia[i * (NU - D) * (NU - D) + k] = k % (NU - D + 1) == 0 ? i * (2 + uniform()) : 0;
    for (int k = 0; k < NU; k++) rows.u_free[i * NU + k] = i * within(1);
  }
  rows.block[0] = (dls_block){.kind = (unsigned char)kinds[kind].rows, .a = 0, .b = 1, .n = (unsigned char)n};
  dls_cone_group group = {.kind = (dls_cone_kind)kinds[kind].cone, .row = 0};
  if (kinds[kind].rows == DLS_ROW_BOX) {
    rows.block[0].lo = group.lo = -uniform();
    rows.block[0].hi = group.hi = uniform();
  } else {
    for (int k = 0; k < 3; k++) rows.block[0].mu[k] = group.mu[k] = 0.1 + uniform();
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2 * NU; k++) rows.J[2 * NU * i + k] = within(1);
    rows.s[i] = within(0.1);
    rows.gamma[i] = uniform() < 0.5 ? 0 : 0.1 * uniform();
    rows.length[i] = n > 1 && i < D ? 1 : 0.2 + uniform(); /* one row alone may be a turn */
    rows.p[i] = within(1);
  }
  rows.n_blocks = 1, rows.n_rows = n;
  dls_rows_prepare(&rows, false);
  dls_rows_islands(&rows);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) W[n * i + j] = W_of(&rows, rows.J + 2 * NU * i + NU, rows.J + 2 * NU * j + NU);
    for (int k = 0; k < NU; k++) b[i] += rows.J[2 * NU * i + NU + k] * rows.u_free[NU + k];
  }
  const dls_cone_problem problem = {.n_rows = n, .n_groups = 1, .groups = &group, .W = W, .b = b,
                                    .compliance = rows.gamma, .shift = rows.s, .length = rows.length};
  (void)dls_cone_residual(&problem, rows.p, v, &natural, NULL);
  const double other = dls_rows_residual(&rows);
  return fabs(other - natural) / dls_max(1e-12, dls_max(other, natural));
}

int main(void) {
  const dls_alloc alloc = dls_alloc_libc();
  dls_arena arena;
  if (dls_arena_create(&arena, &alloc, 1 << 20) != DLS_OK) return 1;
  for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); kind++)
    for (int seed = 1; seed <= 200; seed++) {
      const double apart = compare(&arena, kind, seed);
      if (apart <= 1e-12) continue; /* round-off of a few sums */
      printf("kind %d, seed %d: the residuals differ by %g of the larger\n", kind, seed, apart);
      return 1;
    }
  dls_arena_destroy(&arena, &alloc);
  printf("ok\n");
  return 0;
}
