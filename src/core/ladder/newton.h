/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_NEWTON_H
#define DLS_LADDER_NEWTON_H

#include "core/base/arena.h"
#include "core/rows/island.h"

enum {
  DLS_NEWTON_VISITS = 20, /* a step takes at least as long as so many visits of all blocks */
  DLS_NEWTON_LOOKS = 4    /* sweeps that a step's looks at all blocks cost                 */
};

/* What ends an island that sweeps leave too far from its solution. For rough tolerances first
** proximal steps: Newton's with a large damping, whole, each followed by sweeps that set right what
** opened or slid; they never stray, but come closer only slowly. Then Newton's steps while they
** help, sweeps from where they got stuck, in turn. The best impulses are kept. limit, scale: m/s.
** DLS_FULL: rows->need. */
dls_status dls_solve_newton(dls_rows *rows, const int *blocks, int n, double limit, double scale,
                            dls_budget *budget, dls_arena *tmp, int *iterations, bool *converged);

#endif
