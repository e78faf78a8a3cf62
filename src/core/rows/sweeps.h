/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_SWEEPS_H
#define DLS_ROWS_SWEEPS_H

#include "core/base/arena.h"
#include "core/rows/island.h"

/* Sweeps so often at most, contacts of disks in single precision alone; velocities follow. */
dls_status dls_sweep_first(dls_rows *rows, const int *blocks, int n, double limit, int most, bool round, dls_arena *tmp,
                           int *iterations, bool *converged);

#endif
