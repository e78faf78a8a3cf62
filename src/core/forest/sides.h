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
void dls_forest_walk_pair(const dls_forest *forest, const dls_forest_state *state, const dls_forest_rows *rows,
                          const dls_trunk *trunks, int row, dls_row_entry *list, int n_entries);
/* The ways of the six unit wrenches on a node. */
void dls_forest_walk_units(const dls_forest *forest, const dls_forest_state *state, int node, dls_row_entry *list,
                           int n_entries);

/* The tree whose trunk begins on node i; -1: none does. */
static inline int dls_trunk_at(const dls_forest *forest, const dls_trunk *trunks, int i) {
  if (!trunks) return -1;
  const int tree = forest->links[forest->nodes[i].link].tree;
  return trunks[tree].node == i ? tree : -1;
}

#endif
