/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_SIDES_H
#define DLS_FOREST_SIDES_H

#include "core/forest/dynamics.h"

/* Between solve.c (one right side) and solve_pair.c (two at a time). */

#define DLS_ROW_SIDES 8 /* sides a row may have */

/* Two right sides B (NULL: none), nu numbers each, to X; scratch holds nothing on entry. */
void dls_forest_solve_pair(const dls_forest *forest, dls_forest_state *state, const double *B,
                           double *X);
/* Rows row and row + 1, which act on the same links and velocity; n_entries each. */
void dls_forest_walk_pair(const dls_forest *forest, const dls_forest_state *state,
                          const dls_forest_rows *rows, int row, dls_row_entry *list, int n_entries);

#endif
