/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SWEEPS_SWEEP_GROUPS_H
#define DLS_SWEEPS_SWEEP_GROUPS_H

#include "core/sweeps/groups_2.h"
#include "core/sweeps/groups_3.h"

/* Sweeps of contacts in lanes, accelerated (accelerate.h): in single precision while that can tell,
** where `coarse`; each time the sweeps are quiet, one in double, judged; `fine`: so many in double
** at most. From sweep number `done` on, max_iterations at most. limit: of the residual, m/s. Unless
** `strict`, the answer in space may rest on a residual in single precision. DLS_FULL. */
dls_status dls_sweep_groups_2(dls_rows *rows, const int *blocks, int n, dls_groups_2 *G,
                              double limit, bool coarse, int done, int max_iterations,
                              dls_arena *tmp, int *iterations, bool *converged);
dls_status dls_sweep_groups_3(dls_rows *rows, const int *blocks, int n, dls_groups_3 *G,
                              double limit, bool strict, bool coarse, int done, int max_iterations,
                              int fine, dls_arena *tmp, int *iterations, bool *converged);

#endif
