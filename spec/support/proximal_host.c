/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* proximal_host N: towers of boxes on faces, seeds 1 .. N, more corners than carry them, whose free velocities leave the
** range of W by 1e-11 to 1e-9. Prints a line a seed,
**
**     seed  factors and residual of exact points  factors and residual of inexact ones  the same with convex ones
**
** the residuals from W, b and p alone, in long double. */
#include "core/cone/proximal.h"
#include "tower_problems.h"

#include <stdio.h>

#define TOLERANCE 5e-11
#define FIRST_SWEEPS 5
#define FACTORS 300

static char memory[1 << 25];

static bool solve(const dls_cone_problem *pr, double near, bool convex, int *factors, double *p) {
  static double z[ROWS], u[ROWS];
  dls_arena tmp = dls_arena_over(memory, sizeof memory);
  dls_cone_system sys;
  dls_cone_newton_work newton;
  dls_fault fault;
  int sweeps = 0;
  if (dls_cone_system_build(pr, &tmp, &sys, &fault) != DLS_OK) return false;
  if (dls_cone_newton_take(&sys, &tmp, 0, &newton) != DLS_OK) return false;
  dls_cone_system_start(&sys, NULL, z);
  dls_cone_sweeps(&newton.sweeper, TOLERANCE, FIRST_SWEEPS, z, u, &sweeps);
  dls_cone_proximal_steps(&sys, &newton, TOLERANCE, near, FACTORS, convex, z, u, factors);
  dls_cone_system_finish(&sys, z, p);
  return true;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1;
  for (int seed = 1; seed <= n; seed++) {
    static const double PART[3] = {0, DLS_CONE_NEAR, DLS_CONE_NEAR};
    static double p[ROWS];
    printf("%d", seed);
    for (int k = 0; k < 3; k++) {
      const dls_cone_problem pr = make(seed, -11);
      int factors = 0;
      if (!solve(&pr, PART[k], k == 2, &factors, p)) return 1;
      printf(" %d %.3Le", factors, residual_of(&pr, p));
    }
    printf("\n");
  }
  return 0;
}
