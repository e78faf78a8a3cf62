/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_SWEEPS_H
#define DLS_LADDER_SWEEPS_H

#include "core/base/arena.h"
#include "core/rows/island.h"

/* Block Gauss-Seidel on an island (core/sweeps) until its residual holds: one block after the other,
** or coloured in lanes, in single precision first; islands of the special case by sweeps of their
** own. */

/* Sweeps of an island of the special case (special.h) to a rough tolerance, at a time. */
enum { DLS_SPECIAL_SWEEPS = 1500 };

/* Whether an island's sweeps go in lanes: then by colours, in an order of their own. */
bool dls_suits_lanes(const dls_rows *rows, const int *blocks, int n);

/* Sweeps until the residual holds, limit: m/s. It is judged only when the sweeps have become quiet:
** when no visit changed its own velocity by more than `quiet` (accelerate.h). `fine`: sweeps in
** lanes of space in double precision at most, behind those in single. `special`: dls_all_special().
** Unless `strict`, the answer may rest on a residual in single precision, and the caller looks
** again. DLS_FULL: rows->need. */
dls_status dls_sweep_island(dls_rows *rows, const int *blocks, int n, double limit,
                            int max_iterations, int fine, bool special, bool strict, dls_arena *tmp,
                            int *iterations, bool *converged);

/* Before other methods: so often at most, islands of the special case by their own sweeps alone;
** velocities follow. */
dls_status dls_sweep_first(dls_rows *rows, const int *blocks, int n, double limit, int most,
                           bool special, dls_arena *tmp, int *iterations, bool *converged);

#endif
