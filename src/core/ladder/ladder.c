/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/ladder.h"

#include "core/base/sort.h"
#include "core/rows/impulses.h"
#include "core/rows/residual.h"
#include "core/ladder/rung.h"
#include "core/rows/special.h"
#include "core/ladder/sweeps.h"
#include "core/rows/tree_rows.h"

/* The loop over islands, the way of one down the ladder, and the verdict on all of them by the
** residual (rows/residual.h). */

static const struct {
  const char *name;     /* as DLS_LADDER has it */
  const dls_rung *rung; /* of that name */
} ladder[] = {
#define X(name) {#name, &dls_rung_##name},
    DLS_LADDER(X)
#undef X
};

/* -DDLS_LADDER_WITHOUT=\"name\" makes a build that lacks a rung (bench/ladder.lua). */
#ifndef DLS_LADDER_WITHOUT
#define DLS_LADDER_WITHOUT ""
#endif

/* The scale of residuals over h |g| from which on a bed is taken to be struck. */
static const double IMPACTING = 10;
static const double TOLERANCE_SMALL = 1e-10, TOLERANCE_LARGE = 1e-6;

double dls_island_tolerance(int n_rows, const dls_solve_opts *opts) {
  if (opts->tolerance > 0) return opts->tolerance;
  return n_rows <= DLS_SMALL_ISLAND ? TOLERANCE_SMALL : TOLERANCE_LARGE;
}

/* --- one island ------------------------------------------------------------------------------- */

/* Whether a rung that missed its aim has met the tolerance, so that nobody is asked after it.
** Small islands are to go below fine ones. */
static bool is_met(const dls_island *island) {
  if (island->small && island->tolerance < DLS_ROUGH) return false;
  return dls_rows_residual_of(island->rows, island->blocks, island->n) <=
         island->tolerance * island->scale;
}

static dls_status descend(dls_island *island) {
  for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) {
    bool done = false;
    const dls_rung *rung = ladder[i].rung;
    if (strcmp(ladder[i].name, DLS_LADDER_WITHOUT) == 0 || !rung->suits(island)) continue;
    const dls_status status = rung->run(island, &done);
    if (status != DLS_OK || done || is_met(island)) return status;
  }
  const double missed = dls_rows_residual_of(island->rows, island->blocks, island->n);
  if (!(missed <= island->tolerance * island->scale)) island->report->unconverged++;
  return DLS_OK;
}

/* The method asked for; with less work than its problem takes to assemble and a few steps:
** sweeps, which the rungs of "auto" begin with. */
static int method_of(const dls_solve_opts *opts) {
  enum { FEW = 4 };
  const bool sweeps = opts->method == DLS_SOLVE_NSGS || opts->method == DLS_SOLVE_PGS;
  return opts->bounded && !sweeps && opts->max_iterations < DLS_CONE_SETUP + FEW ? DLS_SOLVE_AUTO
                                                                                 : opts->method;
}

static dls_status solve_island(dls_rows *rows, const int *blocks, int n, const dls_solve_opts *opts,
                               double scale, bool special, bool strict, dls_arena *tmp,
                               dls_solve_report *report) {
  const int missed = report->unconverged, others = report->iterations,
            m = dls_count_rows(rows, blocks, n);
  const int method = method_of(opts);
  const bool small = m <= DLS_SMALL_ISLAND,
             sweeps = method == DLS_SOLVE_AUTO || method == DLS_SOLVE_NSGS;
  const double tolerance = dls_island_tolerance(m, opts);
  dls_island island = {.rows = rows,
                       .blocks = blocks,
                       .n = n,
                       .n_rows = m,
                       .method = method,
                       .small = small,
                       .special = special,
                       .strict = strict,
                       .needs_matrix = dls_must_assemble(rows, blocks, n),
                       .tolerance = tolerance,
                       .scale = scale,
                       .fall = opts->scale,
                       .fits = -1,
                       .budget = dls_budget_of(opts->max_iterations, opts->bounded, rows->dim, n),
                       .tmp = tmp,
                       .report = report};
  /* Small islands go well below the tolerance: errors of velocities can be larger than the
  ** residual. */
  island.aim = (small && tolerance < DLS_ROUGH ? 0.1 : 0.9) * tolerance * scale;
  report->iterations = 0;
  if (special && (!sweeps || tolerance < DLS_SWEPT)) dls_write_out_blocks(rows, blocks, n);
  const dls_status status = descend(&island);
  dls_note_iterations(others, &report->iterations);
  if (island.fits >= 0) rows->n_fitted += n, rows->fit = dls_max(rows->fit, island.fits);
  report->work = dls_max(report->work, island.budget.spent);
  const bool ended =
      island.budget.left < 0.5 * opts->max_iterations || (opts->bounded && island.budget.ended);
  report->limited |= report->unconverged > missed && ended;
  return status;
}

/* --- all islands ------------------------------------------------------------------------------ */

/* Solves all islands from the impulses and velocities at hand. */
static dls_status solve_islands(dls_rows *rows, const dls_solve_opts *opts, double scale,
                                bool strict, dls_arena *tmp, dls_solve_report *report) {
  for (int i = 0; i < rows->n_islands; i++) {
    int *blocks = rows->island_block + rows->island_start[i];
    int n = rows->island_start[i + 1] - rows->island_start[i];
    const bool special = dls_all_special(rows, blocks, n);
    if (!special) dls_write_out_blocks(rows, blocks, n);
    if (rows->height && n > 1 && !special &&
        !dls_suits_lanes(rows, blocks, n)) { /* those go by colours */
      dls_status sorted = dls_sort_by_double(n, rows->height, blocks, tmp);
      rows->need = dls_sort_bytes(n);
      if (sorted != DLS_OK) return sorted;
    }
    dls_status status = solve_island(rows, blocks, n, opts, scale, special, strict, tmp, report);
    status = dls_stop_status(rows->stop, status);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

/* Whether an island is above its tolerance by what dls_rows_residual() has formed; `worst` is its
** answer. */
static bool missed(const dls_rows *rows, const dls_solve_opts *opts, double scale, double worst) {
  const double least = opts->tolerance > 0 ? opts->tolerance : TOLERANCE_SMALL;
  if (worst <= least * scale) return false;
  for (int i = 0; i < rows->n_islands; i++) {
    const int *blocks = rows->island_block + rows->island_start[i];
    const int n = rows->island_start[i + 1] - rows->island_start[i];
    const double tolerance = dls_island_tolerance(dls_count_rows(rows, blocks, n), opts);
    if (!dls_residual_holds(rows, blocks, n, tolerance * scale)) return true;
  }
  return false;
}

/* Without gravity bodies at rest against each other have no speed in their rows but round-off: a
** share of what they move with together, so that a tolerance is not asked of that. */
static double scale_of_speeds(const dls_rows *rows) {
  static const double SHARE = 1e-2;
  double most = 0;
  for (int i = 0; i < rows->n_bodies; i++)
    for (int k = 0; k < rows->dim; k++)
      most = dls_max(most, fabs(rows->u_free[(size_t)(i * rows->nu + k)]));
  return SHARE * most;
}

dls_status dls_rows_solve(dls_rows *rows, const dls_solve_opts *opts, dls_arena *tmp,
                          dls_solve_report *report) {
  *report = (dls_solve_report){.islands = rows->n_islands};
  dls_apply_impulses(rows);
  const double floor = opts->scale > 0 ? opts->scale : scale_of_speeds(rows);
  const double scale = dls_max(floor, dls_rows_scale(rows));
  rows->impacting = scale > IMPACTING * opts->scale;
  const bool strict = !(opts->tolerance > 0);
  rows->n_fitted = 0, rows->fit = 0;
  dls_status status = solve_islands(rows, opts, scale, strict, tmp, report);
  if (status != DLS_OK) return status;
  /* where nothing changed, the residual is known; of compact blocks v is not, which only the look
  ** at all of them fills */
  double worst = rows->n_fitted == rows->n_blocks && rows->n_compact == 0 ? rows->fit
                                                                          : dls_rows_residual(rows);
  if (!strict && worst > opts->tolerance * scale && report->unconverged == 0) {
    dls_solve_opts rest = *opts; /* one bound for both turns */
    const double work = report->work;
    const int iterations = report->iterations;
    rest.max_iterations = (int)dls_max(0, opts->max_iterations - work);
    report->work = report->iterations = 0;
    status = solve_islands(rows, &rest, scale, true, tmp, report);
    if (status != DLS_OK) return status;
    report->work += work;
    report->iterations += iterations;
    worst = dls_rows_residual(rows);
  }
  /* What counts is this residual: solvers go by velocities that they carry along, which huge
  ** impulses blur. */
  if (!missed(rows, opts, scale, worst)) report->unconverged = 0;
  else if (report->unconverged == 0) report->unconverged = 1;
  report->limited &= report->unconverged > 0;
  report->scale = scale;
  report->residual = scale > 0 ? worst / scale : worst;
  return DLS_OK;
}
