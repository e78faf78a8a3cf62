/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_points.h"

#include "core/rows/budget.h"
#include "core/scheme/impact_matrix.h"

static const double ENOUGH = 1e-10; /* of the velocities: errors of an answer      */
/* m/s: of the velocities, so that squares of errors are numbers */
static const double LEAST = 1e-130;
/* times dls_expansion.limit: an error at most, and what is gone for */
static const double TOLERATED = 10, AIM = 5;

/* p_n = e p_C, all else 0. */
static void begin(dls_points *N, double *x) {
  memset(x, 0, (size_t)N->n * sizeof *x);
  for (int g = 0; g < N->n_groups; g++) {
    const int i = N->group[g].row;
    if (N->most[i] > 0 && N->group[g].kind != DLS_CONE_BILATERAL) x[i] = N->least[g];
  }
}

dls_status dls_share_impulses(const dls_expansion *of, bool *found, double *cost) {
  dls_arena *tmp = &of->S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  dls_points N;
  *found = false, *cost = 0;
  const dls_status status = dls_impact_matrix_take(&N, of);
  if (status != DLS_OK) return status;
  if (dls_points_soften(&N)) {
    double *x = N.kept;
    begin(&N, x);
    double scale = dls_points_scale(&N);
    dls_points_go(&N, x);
    scale = dls_max(scale, dls_points_scale(&N));
    const double target = dls_min(DLS_POINTS_FINEST * scale, AIM * of->limit);
    const double price = dls_work_dense(of->S->dim, N.n) / of->n, most = 0.5 * of->most / price;
    const double left = scale > LEAST ? dls_points_follow(&N, target, most, x) : DLS_INF;
    *found = left <= dls_min(ENOUGH * scale, TOLERATED * of->limit);
    if (*found || (!of->compresses && left <= ENOUGH * scale)) dls_impact_matrix_apply(&N, of, x);
    *cost = (N.steps + 1) * price;
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
