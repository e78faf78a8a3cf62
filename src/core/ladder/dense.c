/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/impulses.h"
#include "core/rows/residual.h"
#include "core/ladder/rung.h"
#include "core/ladder/sweeps.h"

#include "core/ladder/to_cone.h"

/* The last rung: an island as a dense friction-cone problem, W formed from J M^-1 J', by the method
** that was named, or "auto" and in the plane Lemke's; the best impulses of all are kept. */

static const char *const method_names[] = {
    [DLS_SOLVE_AUTO] = "auto",     [DLS_SOLVE_NSGS] = "nsgs",     [DLS_SOLVE_ADMM] = "admm",
    [DLS_SOLVE_NEWTON] = "newton", [DLS_SOLVE_LEMKE] = "lemke",   [DLS_SOLVE_ENERGY] = "energy",
    [DLS_SOLVE_BLOCK] = "block",   [DLS_SOLVE_PGS] = "pgs"};
_Static_assert(sizeof method_names / sizeof *method_names == DLS_N_SOLVE, "a name a method");

/* Another method goes on from where one ended. The impulses are the better ones of the two; *done
** tells of them, its iterations are the other method's. */
static dls_status go_on(dls_rows *rows, const int *blocks, int n, const char *method,
                        double tolerance, double scale, dls_budget *budget, double share,
                        dls_arena *tmp, dls_cone_report *done) {
  const size_t mark = dls_arena_mark(tmp),
               bytes = dls_arena_bytes((size_t)(n * rows->nb), sizeof(double));
  double *kept = DLS_TAKE(tmp, double, n * rows->nb);
  rows->need = tmp->size + bytes;
  if (!kept) return DLS_FULL;
  dls_keep_impulses(rows, blocks, n, kept);
  dls_cone_report now;
  const dls_status status = dls_solve_dense(rows, blocks, n, dls_cone_method_find(method),
                                            tolerance, scale, budget, share, tmp, &now);
  if (status == DLS_FULL) rows->need = dls_bytes_add(rows->need, bytes);
  dls_arena_release(tmp, mark);
  if (status != DLS_OK) return status;
  const int iterations = now.iterations;
  if (now.outcome != DLS_SOLVED && !(now.residual < done->residual)) {
    dls_restore_impulses(rows, blocks, n, kept);
    now = *done;
  }
  *done = now;
  done->iterations = iterations;
  return DLS_OK;
}

/* Of bounded work this share is kept for sweeps from nothing, where a method has ended before its
** answer: what a pivot or a step leaves on its way may be any impulses, and sweeps only take
** energy. */
static const double KEPT = 0.25;

/* From nothing; the better of both impulses. */
static dls_status sweep_instead(dls_island *island) {
  dls_rows *rows = island->rows;
  const int *blocks = island->blocks, n = island->n;
  const size_t mark = dls_arena_mark(island->tmp);
  double *kept = DLS_TAKE(island->tmp, double, n * rows->nb);
  rows->need = island->tmp->size + dls_arena_bytes((size_t)(n * rows->nb), sizeof(double));
  if (!kept) return DLS_FULL;
  dls_apply_impulses(rows);
  const double before = dls_rows_residual_of(rows, blocks, n);
  dls_keep_impulses(rows, blocks, n, kept);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < rows->block[blocks[k]].n; i++) rows->p[rows->block[blocks[k]].row + i] = 0;
  dls_apply_impulses(rows);
  int swept = 0;
  bool converged;
  const dls_status status =
      dls_sweep_island(rows, blocks, n, island->aim, (int)dls_max(1, island->budget.left),
                       INT32_MAX, false, true, island->tmp, &swept, &converged);
  dls_budget_pay(&island->budget, swept);
  island->budget.ended = true;
  if (status == DLS_OK && before < dls_rows_residual_of(rows, blocks, n))
    dls_restore_impulses(rows, blocks, n, kept);
  dls_arena_release(island->tmp, mark);
  return status;
}

/* By a method on the dense problem; what the method does not take goes to "auto". */
static dls_status assembled(dls_island *island, int method) {
  dls_rows *rows = island->rows;
  const int *blocks = island->blocks, n = island->n;
  const double tolerance = island->tolerance, scale = island->scale,
               share = rows->dim == 2 ? 0.5 : 1;
  dls_budget *budget = &island->budget;
  dls_arena *tmp = island->tmp;
  dls_solve_report *report = island->report;
  bool pivots =
      method == DLS_SOLVE_LEMKE || method == DLS_SOLVE_ENERGY || method == DLS_SOLVE_BLOCK;
  const dls_cone_method *run = dls_cone_method_find(method_names[method]);
  dls_cone_report done;
  dls_status status =
      dls_solve_dense(rows, blocks, n, run, tolerance, scale, budget, share, tmp, &done);
  if (status == DLS_ARG || (status == DLS_OK && done.outcome != DLS_SOLVED && pivots)) {
    if (status == DLS_ARG) done.residual = DLS_INF;
    status = go_on(rows, blocks, n, "auto", tolerance, scale, budget, share, tmp, &done);
  } else if (pivots) {
    report->pivots += done.iterations;
  }
  /* The plane has a finite method: what iterations do not reach is pivoted to. */
  if (rows->dim == 2 && status == DLS_OK && done.outcome != DLS_SOLVED &&
      method != DLS_SOLVE_LEMKE) {
    status = go_on(rows, blocks, n, "lemke", tolerance, scale, budget, 1, tmp, &done);
    if (status == DLS_ARG) status = DLS_OK; /* rolling: not Lemke's */
    else report->pivots += done.iterations;
  }
  if (status != DLS_OK) return status;
  if (done.iterations > report->iterations) report->iterations = done.iterations;
  if (done.outcome != DLS_SOLVED) report->unconverged++;
  return DLS_OK;
}

static bool suits(const dls_island *island) {
  return island->needs_matrix || !dls_sweeps_only(island);
}

static dls_status run(dls_island *island, bool *done) {
  const int method = island->method, missed = island->report->unconverged;
  const bool visits = method == DLS_SOLVE_PGS || method == DLS_SOLVE_NSGS;
  const double kept =
      island->budget.bounded && !island->needs_matrix ? KEPT * island->budget.left : 0;
  *done = true;
  island->budget.left -= kept;
  const dls_status status =
      assembled(island, visits && island->needs_matrix ? DLS_SOLVE_AUTO : method);
  island->budget.left += kept;
  return status == DLS_OK && kept > 0 && island->report->unconverged > missed
             ? sweep_instead(island)
             : status;
}

const dls_rung dls_rung_dense = {suits, run};
