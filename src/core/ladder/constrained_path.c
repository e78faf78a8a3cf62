/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/constrained.h"

#include "core/ladder/linear_contacts.h"
#include "core/ladder/path.h"
#include "core/ladder/proximal.h"
#include "core/rows/island.h"

dls_island dls_constrained_part(const dls_island *island, const dls_constrained *b) {
  dls_island part = *island;
  part.blocks = b->inequal;
  part.n = b->n_inequal;
  part.on = b->on;
  part.x_0 = b->x_0;
  return part;
}

bool dls_constrained_suits_path(const dls_island *island, const dls_constrained *b) {
  enum { ROWS_MOST = 300 }; /* with 150 three chains at 1/60 s miss steps of their blows */
  const dls_island part = dls_constrained_part(island, b);
  int count, n_rows;
  if (island->rows->dim != 2 || island->method != DLS_SOLVE_AUTO || island->budget.bounded ||
      !(island->scale > 0) || part.n > DLS_PATH_MOST)
    return false;
  if (!dls_count_supported(&part, &count, &n_rows) || n_rows > ROWS_MOST) return false;
  return dls_all_planar_contacts(island->rows, b->inequal, b->n_inequal);
}

dls_status dls_constrained_follow_path(dls_island *island, const dls_constrained *b, double limit,
                                       bool *converged) {
  const dls_island part = dls_constrained_part(island, b);
  dls_rows *rows = island->rows;
  const size_t mark = dls_arena_mark(island->tmp);
  double *before = DLS_TAKE(island->tmp, double, part.n * rows->nb);
  if (!before) return dls_want(rows, island->tmp, (size_t)(part.n * rows->nb) * sizeof(double));
  dls_keep_impulses(rows, part.blocks, part.n, before);
  const dls_status status =
      dls_solve_path(&part, limit, &island->budget, &island->report->iterations, converged);
  /* where there is no solution, impulses have run along the kernel of W */
  if (status == DLS_OK && !*converged && island->small)
    dls_restore_impulses(rows, part.blocks, part.n, before);
  dls_arena_release(island->tmp, mark);
  return status;
}
