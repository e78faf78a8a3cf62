/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_CONJUGATE_GRADIENTS_H
#define DLS_LADDER_CONJUGATE_GRADIENTS_H

#include "core/base/arena.h"
#include "core/rows/island.h"

/* Islands of nothing but compliant equations that bodies hardly feel in a step, gamma >= W of each
** row (springs that the step resolves): (W + gamma) p = -(J u_f + s) has a condition of some ten,
** whatever its size, and conjugate gradients on the rows' own W + gamma end after as many turns. A
** net of springs eliminated costs n^1.5. Source: Hestenes & Stiefel, J. Res. NBS 49, 1952. */

/* Whether an island is such, and large enough that eliminating it takes longer. */
bool dls_is_compliant_island(const dls_rows *rows, const int *blocks, int n);

/* Impulses into rows->p; *converged: to round-off, or as near as the budget allows. DLS_FULL:
** rows->need. */
dls_status dls_solve_compliant(dls_rows *rows, const int *blocks, int n, dls_budget *budget,
                               dls_arena *tmp, int *iterations, bool *converged);

#endif
