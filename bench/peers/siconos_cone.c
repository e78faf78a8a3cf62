/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One frictional contact problem by a solver of Siconos numerics, for bench/cone.lua:
**
**     siconos_cone FILE SOLVER TOLERANCE MOST_ITERATIONS  ->  seconds iterations info, then the impulses
**
** SOLVER is nsgs, nsn_ac, nsn_fb, admm (space) or nsgs, cpg, lemke (plane). Debian: libsiconos-numerics-dev.
** cc -O2 -I/usr/include/siconos -I/usr/include/siconos/numerics siconos_cone.c -lsiconos_numerics */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int solver_of(const char *name, int dimension) {
  if (strcmp(name, "nsgs") == 0) return dimension == 3 ? SICONOS_FRICTION_3D_NSGS : SICONOS_FRICTION_2D_NSGS;
  if (strcmp(name, "nsn_ac") == 0) return SICONOS_FRICTION_3D_NSN_AC;
  if (strcmp(name, "nsn_fb") == 0) return SICONOS_FRICTION_3D_NSN_FB;
  if (strcmp(name, "admm") == 0) return SICONOS_FRICTION_3D_ADMM;
  if (strcmp(name, "cpg") == 0) return SICONOS_FRICTION_2D_CPG;
  return SICONOS_FRICTION_2D_LEMKE;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  FrictionContactProblem *problem = frictionContact_new_from_filename(argv[1]);
  if (problem == NULL) return 3;
  int n = problem->dimension * problem->numberOfContacts;
  double *impulse = calloc((size_t)n, sizeof(double)), *velocity = calloc((size_t)n, sizeof(double));
  SolverOptions *options = solver_options_create(solver_of(argv[2], problem->dimension));
  options->dparam[SICONOS_DPARAM_TOL] = atof(argv[3]);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = atoi(argv[4]);
  double start = now();
  int info = problem->dimension == 3 ? fc3d_driver(problem, impulse, velocity, options)
                                     : fc2d_driver(problem, impulse, velocity, options);
  double seconds = now() - start;
  printf("%.9g %d %d\n", seconds, options->iparam[SICONOS_IPARAM_ITER_DONE], info);
  for (int i = 0; i < n; i++) printf("%.17g\n", impulse[i]);
  return 0;
}
