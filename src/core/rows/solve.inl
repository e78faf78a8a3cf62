/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Islands solved: by sweeps in velocity space (nonsmooth Gauss-Seidel; a visit touches the
** velocities of two bodies and never forms W), small ones to the end. */

#if D == 2
#include "core/rows/groups.inl"
#else
#include "core/rows/groups3.inl"
static bool all_round(const dls_rows *rows, const int *blocks, int n) {
  (void)rows, (void)blocks, (void)n;
  return false;
}
#endif
#include "core/rows/relax.inl"

/* Sweeps before Newton's steps: they take an island to a rough tolerance, but not to a fine one. */
enum { FIRST_SWEEPS = 12, LARGE_SWEEPS = 100, ROUGH_SWEEPS = 250, DENSE_ROWS = 1500 };

/* The same for contacts of disks. */
enum { LARGE_ROUND_SWEEPS = 400, ROUND_SWEEPS = 1500 };

/* Contacts of disks to a rough tolerance are swept so often before Newton's steps, which cost a thousand sweeps. */
enum { ROUND_TURNS = 6 };

/* Of the work that is left, what sweeps may take before steps of other methods. */
static const double SWEPT_SHARE = 0.75;

#if D == 2
/* Sweeps so often at most, contacts of disks in single precision alone; velocities follow. */
dls_status dls_sweep_first(dls_rows *rows, const int *blocks, int n, double limit, int most, bool round,
                           dls_arena *tmp, int *iterations, bool *converged) {
  if (!round) return sweep_island(rows, blocks, n, limit, most, round, true, tmp, iterations, converged);
  *converged = dls_residual_holds(rows, blocks, n, limit);
  if (*converged) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  int done = 0;
  bool near;
  const dls_status status = sweep_round(rows, blocks, n, limit, most, true, tmp, &done, &near);
  dls_arena_release(tmp, mark);
  dls_note_iterations(done, iterations);
  *converged = status == DLS_OK && near && dls_residual_holds(rows, blocks, n, limit);
  return status;
}
#endif
#include "core/rows/reach.inl"
#include "core/rows/knot.inl"
#include "core/rows/hold.inl"
#include "core/rows/bound.inl"

enum { SMALL_ISLAND = 200 };

/* The scale of residuals over h |g| from which on a bed is taken to be shaken. */
static const double SHAKEN = 10;
static const double TOLERANCE_SMALL = 1e-10, TOLERANCE_LARGE = 1e-6;

/* Of an island of m rows. */
static double tolerance_of(int m, const dls_solve_opts *opts) {
  if (opts->tolerance > 0) return opts->tolerance;
  return m <= SMALL_ISLAND ? TOLERANCE_SMALL : TOLERANCE_LARGE;
}

static int first_sweeps(double tolerance, bool small, bool round) {
  if (tolerance >= DLS_ROUGH) return round ? ROUND_SWEEPS : ROUGH_SWEEPS;
  return small ? FIRST_SWEEPS : (round ? LARGE_ROUND_SWEEPS : LARGE_SWEEPS);
}

/* --- half-problems ---------------------------------------------------------------------------- */

/* Normal impulses with friction held, then friction with its bounds held (Panagiotopoulos); one
** projected Gauss-Seidel sweep each. Blocks without friction are visited as ever. */
static void half_visit(dls_rows *rows, const dls_block *block, bool friction) {
  double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
  bool cone = block->kind == DLS_ROW_CONE || block->kind == DLS_ROW_ROLLING;
  if (!cone) {
    if (!friction) (void)dls_sweep_block(rows, block);
    return;
  }
  const int parts_2[] = {1, 1}, parts_3[] = {2, 1, 2};
  const int *parts = D == 2 ? parts_2 : parts_3;
  double *p = rows->p + block->row, bound = p[0];
  for (int i = friction ? 1 : 0, g = 0; i < (friction ? block->n : 1); g++) {
    int n = friction ? parts[g] : 1;
    double now[2], w = 0, length = 0;
    for (int k = 0; k < n; k++)
      w = dls_max(w, rows->W[(size_t)(block->row + i + k) * NB + i + k] +
                         rows->gamma[block->row + i + k]);
    for (int k = 0; k < n && w > 0; k++) {
      int row = block->row + i + k;
      double v = row_velocity(rows->J + (size_t)row * 2 * NU, u_a, u_b) + rows->s[row] +
                 rows->gamma[row] * p[i + k];
      now[k] = p[i + k] - v / w;
      length += now[k] * now[k];
    }
    length = sqrt(length);
    double most = friction ? block->mu[g] * bound : 0;
    for (int k = 0; k < n && w > 0; k++) {
      if (!friction) now[k] = dls_max(now[k], 0);
      else if (length > most) now[k] *= most / length;
      const double *MJ = rows->MJ + (size_t)(block->row + i + k) * 2 * NU;
      add_u(u_a, now[k] - p[i + k], MJ);
      add_u(u_b, now[k] - p[i + k], MJ + NU);
      p[i + k] = now[k];
    }
    i += n;
  }
}

static bool half_sweeps(dls_rows *rows, const int *blocks, int n, double limit,
                        dls_budget *budget, int *iterations) {
  const int max_iterations = dls_budget_times(budget, 1, 1, INT32_MAX);
  for (int done = 0;; done++) {
    bool converged = dls_rows_residual_of(rows, blocks, n) <= limit;
    if (done > *iterations) *iterations = done;
    if (done > 0) dls_budget_pay(budget, 1);
    if (converged || done >= max_iterations || dls_given_up(rows, n, 10)) return converged;
    for (int k = 0; k < n; k++) half_visit(rows, &rows->block[blocks[k]], false);
    for (int k = 0; k < n; k++) half_visit(rows, &rows->block[blocks[k]], true);
  }
}

/* --- the way in ---------------------------------------------------------------------------------- */

static const char *const method_names[DLS_N_SOLVE] = {
    [DLS_SOLVE_AUTO] = "auto",     [DLS_SOLVE_NSGS] = "nsgs",     [DLS_SOLVE_ADMM] = "admm",
    [DLS_SOLVE_NEWTON] = "newton", [DLS_SOLVE_LEMKE] = "lemke",   [DLS_SOLVE_ENERGY] = "energy",
    [DLS_SOLVE_BLOCK] = "block",   [DLS_SOLVE_PGS] = "pgs"};

/* Another method goes on from where one ended. The impulses are the better ones of the two; *done tells of them, its
** iterations are the other method's. */
static dls_status go_on(dls_rows *rows, const int *blocks, int n, const char *method, double tolerance, double scale,
                        dls_budget *budget, double share, dls_arena *tmp, dls_cone_report *done) {
  const size_t mark = dls_arena_mark(tmp), bytes = dls_arena_bytes((size_t)n * NB, sizeof(double));
  double *kept = DLS_TAKE(tmp, double, (size_t)n * NB);
  rows->need = tmp->size + bytes;
  if (!kept) return DLS_FULL;
  dls_keep_impulses(rows, blocks, n, kept);
  dls_cone_report now;
  const dls_status status =
      dls_solve_dense(rows, blocks, n, dls_cone_method_find(method), tolerance, scale, budget, share, tmp, &now);
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

/* By a method on the assembled problem; what the method does not take goes to "auto". */
static dls_status assembled(dls_rows *rows, const int *blocks, int n, int method,
                            double tolerance, double scale, dls_budget *budget, dls_arena *tmp,
                            dls_solve_report *report) {
  bool pivots = method == DLS_SOLVE_LEMKE || method == DLS_SOLVE_ENERGY || method == DLS_SOLVE_BLOCK;
  const dls_cone_method *run = dls_cone_method_find(method_names[method]);
  dls_cone_report done;
  dls_status status = dls_solve_dense(rows, blocks, n, run, tolerance, scale, budget, D == 2 ? 0.5 : 1, tmp, &done);
  if (status == DLS_ARG || (status == DLS_OK && done.outcome != DLS_SOLVED && pivots)) {
    if (status == DLS_ARG) done.residual = DLS_INF;
    status = go_on(rows, blocks, n, "auto", tolerance, scale, budget, D == 2 ? 0.5 : 1, tmp, &done);
  } else if (pivots) {
    report->pivots += done.iterations;
  }
#if D == 2
  /* The plane has a finite method: what iterations do not reach is pivoted to. */
  if (status == DLS_OK && done.outcome != DLS_SOLVED && method != DLS_SOLVE_LEMKE) {
    status = go_on(rows, blocks, n, "lemke", tolerance, scale, budget, 1, tmp, &done);
    if (status == DLS_ARG) status = DLS_OK; /* rolling: not Lemke's */
    else report->pivots += done.iterations;
  }
#endif
  if (status != DLS_OK) return status;
  if (done.iterations > report->iterations) report->iterations = done.iterations;
  if (done.outcome != DLS_SOLVED) report->unconverged++;
  return DLS_OK;
}

static dls_status solve_within(dls_rows *rows, const int *blocks, int n,
                               const dls_solve_opts *opts, double scale, bool round, bool strict,
                               dls_budget *budget, dls_arena *tmp, dls_solve_report *report) {
  int m = dls_count_rows(rows, blocks, n), method = opts->method;
  bool small = m <= SMALL_ISLAND;
  const double tolerance = tolerance_of(m, opts);
  const bool sweeps = method == DLS_SOLVE_AUTO || method == DLS_SOLVE_NSGS;
  if (round && (!sweeps || tolerance < DLS_SWEPT)) dls_write_out_blocks(rows, blocks, n);
  if (method == DLS_SOLVE_AUTO && !round && dls_is_compliant_island(rows, blocks, n)) {
    bool converged;
    const dls_status status = dls_solve_compliant(rows, blocks, n, tmp, &report->iterations, &converged);
    if (status != DLS_OK || converged) return status;
  }
  if (method == DLS_SOLVE_AUTO && (!round || rows->tree) && is_bound_island(rows, blocks, n)) {
    bool converged;
    dls_status status = solve_bound(rows, blocks, n, small, tolerance, scale, budget, tmp,
                                    &report->iterations, &converged);
    if (status != DLS_OK || converged) return status;
  }
  if (dls_must_assemble(rows, blocks, n)) {
    const bool visits = method == DLS_SOLVE_PGS || method == DLS_SOLVE_NSGS;
    return assembled(rows, blocks, n, visits ? DLS_SOLVE_AUTO : method, tolerance, scale,
                     budget, tmp, report);
  }
  bool sweeps_only = method == DLS_SOLVE_NSGS || m > DENSE_ROWS ||
                     (method == DLS_SOLVE_AUTO && !small);
  if (method == DLS_SOLVE_PGS) {
    if (!half_sweeps(rows, blocks, n, tolerance * scale, budget, &report->iterations))
      report->unconverged++;
    return DLS_OK;
  }
  if (sweeps_only || method == DLS_SOLVE_AUTO) {
    bool steps = method == DLS_SOLVE_AUTO;
    const int first = steps ? first_sweeps(tolerance, small, round) : INT32_MAX;
    /* Small islands go well below the tolerance: errors of velocities can be larger than the residual. */
    const double aim = (small && tolerance < DLS_ROUGH ? 0.1 : 0.9) * tolerance * scale;
    bool converged = false;
#if D == 2
    if (steps && !small && dls_suits_path(rows, blocks, n, tolerance)) {
      const dls_status status = dls_solve_path(rows, blocks, n, aim, budget, round, tmp,
                                            &report->iterations, &converged);
      if (status != DLS_OK || converged) return status;
    }
#endif
    const int turns = steps && round && tolerance >= DLS_ROUGH ? ROUND_TURNS : 1;
    for (int turn = 0, swept = 0; turn < turns; turn++) {
      /* Steps, where they are to follow, get a part of the work. */
      const int most = dls_budget_times(budget, steps ? SWEPT_SHARE : 1, 1, first);
      int own = 0;
      dls_status status = sweep_island(rows, blocks, n, aim, most, round, strict, tmp, &own,
                                       &converged);
      dls_budget_pay(budget, own);
      dls_note_iterations(swept += own, &report->iterations);
      if (status != DLS_OK || converged) return status;
    }
    dls_status status;
    dls_write_out_blocks(rows, blocks, n);
#if D == 2
    if (steps && !small && (n <= DLS_SMOOTH_MOST || tolerance < DLS_ROUGH) &&
        dls_all_planar_contacts(rows, blocks, n)) {
      status = dls_solve_smooth(rows, blocks, n, aim, budget, tmp, &report->iterations,
                             &converged);
      if (status != DLS_OK || converged) return status;
    }
#endif
    if (steps) {
      status = dls_solve_newton(rows, blocks, n, aim, scale, budget, tmp,
                             &report->iterations, &converged);
      if (status != DLS_OK || converged) return status;
    }
    if (sweeps_only) {
      if (!(dls_rows_residual_of(rows, blocks, n) <= tolerance * scale)) report->unconverged++;
      return DLS_OK;
    }
  }
  return assembled(rows, blocks, n, method, tolerance, scale, budget, tmp, report);
}

static dls_status solve_island(dls_rows *rows, const int *blocks, int n, const dls_solve_opts *opts, double scale,
                               bool round, bool strict, dls_arena *tmp, dls_solve_report *report) {
  const int missed = report->unconverged, others = report->iterations;
  report->iterations = 0;
  dls_budget budget = dls_budget_of(opts->max_iterations, D, n);
  const dls_status status = solve_within(rows, blocks, n, opts, scale, round, strict, &budget, tmp, report);
  dls_note_iterations(others, &report->iterations);
  report->work = dls_max(report->work, budget.spent);
  report->limited |= report->unconverged > missed && budget.left < 0.5 * opts->max_iterations;
  return status;
}

/* Solves all islands from the impulses and velocities at hand. */
static dls_status solve_islands(dls_rows *rows, const dls_solve_opts *opts, double scale,
                                bool strict, dls_arena *tmp, dls_solve_report *report) {
  for (int i = 0; i < rows->n_islands; i++) {
    int *blocks = rows->island_block + rows->island_start[i];
    int n = rows->island_start[i + 1] - rows->island_start[i];
    const bool round = all_round(rows, blocks, n);
    if (!round) dls_write_out_blocks(rows, blocks, n);
    if (rows->height && n > 1 && !round && !suits_lanes(rows, blocks, n)) { /* those go by colours */
      dls_status sorted = dls_sort_by_double(n, rows->height, blocks, tmp);
      rows->need = dls_sort_bytes(n);
      if (sorted != DLS_OK) return sorted;
    }
    dls_status status = solve_island(rows, blocks, n, opts, scale, round, strict, tmp, report);
    status = dls_stop_status(rows->stop, status);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

/* Whether an island is above its tolerance by what dls_rows_residual() has formed; `worst` is its answer. */
static bool missed(const dls_rows *rows, const dls_solve_opts *opts, double scale, double worst) {
  const double least = opts->tolerance > 0 ? opts->tolerance : TOLERANCE_SMALL;
  if (worst <= least * scale) return false;
  for (int i = 0; i < rows->n_islands; i++) {
    const int *blocks = rows->island_block + rows->island_start[i];
    const int n = rows->island_start[i + 1] - rows->island_start[i];
    if (!dls_residual_holds(rows, blocks, n, tolerance_of(dls_count_rows(rows, blocks, n), opts) * scale)) return true;
  }
  return false;
}

/* Without gravity bodies at rest against each other have no speed in their rows but round-off: a share of what they
** move with together, so that a tolerance is not asked of that. */
static double scale_of_speeds(const dls_rows *rows) {
  static const double SHARE = 1e-4;
  double most = 0;
  for (int i = 0; i < rows->n_bodies; i++)
    for (int k = 0; k < D; k++) most = dls_max(most, fabs(rows->u_free[(size_t)i * NU + (size_t)k]));
  return SHARE * most;
}

static dls_status solve(dls_rows *rows, const dls_solve_opts *opts, dls_arena *tmp,
                        dls_solve_report *report) {
  *report = (dls_solve_report){.islands = rows->n_islands};
  dls_apply_impulses(rows);
  const double floor = opts->scale > 0 ? opts->scale : scale_of_speeds(rows);
  const double scale = dls_max(floor, dls_rows_scale(rows));
  rows->shaken = scale > SHAKEN * opts->scale;
  const bool strict = !(opts->tolerance > 0);
  dls_status status = solve_islands(rows, opts, scale, strict, tmp, report);
  if (status != DLS_OK) return status;
  double worst = dls_rows_residual(rows);
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
  /* What counts is this residual: solvers go by velocities that they carry along, which huge impulses blur. */
  if (!missed(rows, opts, scale, worst)) report->unconverged = 0;
  else if (report->unconverged == 0) report->unconverged = 1;
  report->limited &= report->unconverged > 0;
  report->scale = scale;
  report->residual = scale > 0 ? worst / scale : worst;
  return DLS_OK;
}
