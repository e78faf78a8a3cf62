/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/base/vector.h"
#include "core/forest/sides.h"

/* Two right sides at a time, a lane each: the registers every processor has. In plain C one after
** the other. */
#ifdef DLS_PLAIN_C
typedef double real;
#define LANES 1
#define LANE(x, l) (*(&(x) + (l)))
#else
typedef double real __attribute__((vector_size(16), aligned(8)));
#define LANES 2
#define LANE(x, l) ((x)[l])
#endif
#include "core/forest/respond.inc.h"

_Static_assert(12 * LANES <= DLS_NODE_SCRATCH, "scratch holds two sides");

void dls_forest_solve_pair(const dls_forest *forest, dls_forest_state *state,
                           const double *B, double *X) {
  real *p = (real *)(void *)state->scratch;
  for (int side = 0; side < 2; side += LANES, X += forest->nu) {
    for (int i = 0; i < forest->n_nodes; i++) clear6(p + 12 * (size_t)i);
    sides_up(forest, state, B, p);
    sides_down(forest, state, p, X);
    if (B != NULL) B += forest->nu;
  }
}

void dls_forest_walk_pair(const dls_forest *forest, const dls_forest_state *state,
                          const dls_forest_rows *rows, int row, dls_row_entry *list,
                          int n_entries) {
  for (int side = 0; side < 2; side += LANES, list += n_entries)
    walk_rows(forest, state, rows, row + side, list, n_entries);
}
