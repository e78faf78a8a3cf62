/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/sweeps.h"

#include "core/sweeps/gauss_seidel.h"
#include "core/rows/impulses.h"
#include "core/sweeps/iterate.h"
#include "core/ladder/newton.h"
#include "core/ladder/path.h"
#include "core/rows/residual.h"
#include "core/ladder/rung.h"
#include "core/rows/special.h"
#include "core/sweeps/sweep_groups.h"

bool dls_suits_lanes(const dls_rows *rows, const int *blocks, int n) {
  return rows->dim == 2 ? dls_suits_lanes_2(rows, blocks, n) : dls_suits_lanes_3(rows, blocks, n);
}

/* In lanes; *taken: whether the island is one for them. */
static dls_status sweep_lanes(dls_rows *rows, const int *blocks, int n, double limit, bool strict,
                              int done, int max_iterations, int fine, dls_arena *tmp,
                              int *iterations, bool *converged, bool *taken) {
  const size_t mark = dls_arena_mark(tmp);
  dls_status status;
  if (rows->dim == 2) {
    dls_groups_2 G;
    status = dls_group_2(rows, blocks, n, tmp, &G);
    *taken = status != DLS_OK || G.n > 0;
    if (status == DLS_OK && G.n > 0)
      status = dls_sweep_groups_2(rows, blocks, n, &G, limit, done == 0, done, max_iterations, tmp,
                                  iterations, converged);
  } else {
    dls_groups_3 G;
    status = dls_group_3(rows, blocks, n, tmp, &G);
    *taken = status != DLS_OK || G.n > 0;
    if (status == DLS_OK && G.n > 0)
      status = dls_sweep_groups_3(rows, blocks, n, &G, limit, strict, done == 0, done,
                                  max_iterations, fine, tmp, iterations, converged);
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* One block after the other. */
static double sweep_blocks(dls_rows *rows, const int *blocks, int n, dls_iterate *x) {
  double most = 0;
  dls_pack_impulses(rows, blocks, n, x->was);
  for (int k = 0; k < n; k++) most = dls_max(most, dls_sweep_block(rows, &rows->block[blocks[k]]));
  return most;
}

static void mix(dls_rows *rows, const int *blocks, int n, dls_iterate *x, dls_acceleration *rate) {
  dls_pack_impulses(rows, blocks, n, x->p);
  dls_iterate_read(rows, x);
  if (dls_iterate_mix(x, rate) == 0) return;
  dls_unpack_impulses(rows, blocks, n, x->p);
  dls_iterate_write(rows, x);
}

/* Velocities from the impulses at hand. */
static void push(dls_rows *rows, const int *blocks, int n, const dls_iterate *x) {
  const size_t nu = (size_t)rows->nu;
  for (int k = 0; k < x->n_bodies; k++)
    memcpy(rows->u + (size_t)x->body[k] * nu, rows->u_free + (size_t)x->body[k] * nu,
           nu * sizeof(double));
  for (int k = 0; k < n; k++) dls_push_block(rows, &rows->block[blocks[k]]);
}

static dls_status sweep_one_by_one(dls_rows *rows, const int *blocks, int n, double limit,
                                   int max_iterations, dls_arena *tmp, int *iterations,
                                   bool *converged) {
  const size_t mark = dls_arena_mark(tmp);
  const int n_rows = dls_count_rows(rows, blocks, n);
  rows->need = dls_bytes_add(dls_arena_bytes(2 * (size_t)rows->n_bodies, sizeof(int)),
                             dls_iterate_bytes(n_rows, rows->nu * rows->n_bodies) + 256);
  int *place = DLS_TAKE(tmp, int, rows->n_bodies);
  dls_iterate x = {.body = DLS_TAKE(tmp, int, rows->n_bodies)};
  if (!place || !x.body) return DLS_FULL;
  x.n_bodies = dls_number_bodies(rows, blocks, n, place, x.body);
  if (!dls_iterate_take(&x, n_rows, rows->nu * x.n_bodies, tmp)) return DLS_FULL;
  dls_acceleration rate = {.momentum = n < DLS_TINY_ISLAND ? 0 : DLS_MOMENTUM_SWEEPS};
  double quiet = 2 * DLS_QUIET * limit;
  int done = 1;
  for (;; done++) {
    const double change = sweep_blocks(rows, blocks, n, &x);
    const bool stopped = dls_given_up(rows, n, 1);
    if (change <= quiet || done == max_iterations || stopped) {
      quiet *= DLS_QUIETER;
      push(rows, blocks, n, &x);
      *converged = dls_residual_holds(rows, blocks, n, limit);
      if (*converged || done == max_iterations || stopped) break;
    }
    mix(rows, blocks, n, &x, &rate);
  }
  dls_note_iterations(done, iterations);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

dls_status dls_sweep_island(dls_rows *rows, const int *blocks, int n, double limit,
                            int max_iterations, int fine, bool special, bool strict, dls_arena *tmp,
                            int *iterations, bool *converged) {
  *converged = dls_residual_holds(rows, blocks, n, limit);
  if (*converged || max_iterations < 1) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  int first = 0;
  if (special) {
    bool near;
    const dls_status status =
        rows->special->sweep(rows, blocks, n, limit, max_iterations, strict, tmp, &first, &near);
    dls_arena_release(tmp, mark);
    if (status != DLS_OK) return status;
    dls_note_iterations(first, iterations);
    *converged = near && (!strict || dls_residual_holds(rows, blocks, n, limit));
    if (*converged || first >= max_iterations) return DLS_OK;
  }
  dls_write_out_blocks(rows, blocks, n);
  bool taken;
  const dls_status status = sweep_lanes(rows, blocks, n, limit, strict, first, max_iterations, fine,
                                        tmp, iterations, converged, &taken);
  if (taken) return status;
  return sweep_one_by_one(rows, blocks, n, limit, max_iterations, tmp, iterations, converged);
}

dls_status dls_sweep_first(dls_rows *rows, const int *blocks, int n, double limit, int most,
                           bool special, dls_arena *tmp, int *iterations, bool *converged) {
  if (!special)
    return dls_sweep_island(rows, blocks, n, limit, most, INT32_MAX, special, true, tmp, iterations,
                            converged);
  *converged = dls_residual_holds(rows, blocks, n, limit);
  if (*converged) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  int done = 0;
  bool near;
  const dls_status status =
      rows->special->sweep(rows, blocks, n, limit, most, true, tmp, &done, &near);
  dls_arena_release(tmp, mark);
  dls_note_iterations(done, iterations);
  *converged = status == DLS_OK && near && dls_residual_holds(rows, blocks, n, limit);
  return status;
}

/* --- the rung --------------------------------------------------------------------------------- */

/* Sweeps before steps of other methods: they take an island to a rough tolerance, but not to a fine
** one. There an island of the special case goes on with more sweeps for SPECIAL_TURNS, since steps
** cost a thousand of them, and a large one in space for SPATIAL_TURNS where these will do. */
enum { FIRST_SWEEPS = 12, LARGE_SWEEPS = 100, ROUGH_SWEEPS = 250, ROUGH_SPECIAL_SWEEPS = 300 };
enum { LARGE_SWEEPS_IN_LANES = 400, SPECIAL_TURNS = 6, SPATIAL_TURNS = 3 };

/* Of small islands in lanes, all but one in single precision (30 to 100: much the same): drums of
** 30 logs take 0.92 of the instructions. */
enum { FIRST_SWEEPS_IN_LANES = 50 };

/* Up to so many blocks one of Newton's steps costs no more than 20 sweeps in double precision,
** which are 50 of those in single: so many of the former come before steps, the others where steps
** do not end (proximal.c). Without (FEW 0) a step of drums of 100 logs takes 1.3 times as long in
** the middle and 1.14 in the mean, of 30 logs 1.1; their worst steps 0.7. */
enum { FEW = 300, FEW_FINE = 20 };

/* Of the work that is left, what sweeps may take before steps of other methods. */
static const double SWEPT_SHARE = 0.75;

/* Where what is left behind it is no step of Newton, sweeps take all. */
static double swept_share(const dls_budget *budget) {
  const double behind = (1 - SWEPT_SHARE) * budget->left;
  return budget->bounded && behind < 3 * (DLS_NEWTON_SETUP + DLS_NEWTON_LOOKS) ? 1 : SWEPT_SHARE;
}

/* Whether an island in space, whose sweeps cost a tenth of what visits one by one do and are
** counted so, is swept for longer before steps to a fine tolerance. */
static bool in_lanes(const dls_island *island) {
  if (island->special || island->budget.bounded || island->rows->dim == 2) return false;
  return island->method == DLS_SOLVE_AUTO && island->tolerance < DLS_ROUGH &&
         dls_suits_lanes(island->rows, island->blocks, island->n);
}

bool dls_is_swept_briefly(const dls_island *island) {
  return !island->small && island->n <= FEW && in_lanes(island);
}

static int first_sweeps(const dls_island *island, bool path, bool lanes) {
  if (island->tolerance >= DLS_ROUGH && island->special)
    return path ? ROUGH_SPECIAL_SWEEPS : DLS_SPECIAL_SWEEPS;
  if (island->tolerance >= DLS_ROUGH) return ROUGH_SWEEPS;
  if (island->small) return lanes ? FIRST_SWEEPS_IN_LANES : FIRST_SWEEPS;
  return island->special || lanes ? LARGE_SWEEPS_IN_LANES : LARGE_SWEEPS;
}

static int turns_of(const dls_island *island) {
  if (island->method != DLS_SOLVE_AUTO || island->tolerance < DLS_ROUGH) return 1;
  if (island->special) return SPECIAL_TURNS;
  return island->rows->dim == 3 && !island->small ? SPATIAL_TURNS : 1;
}

/* Whether the aim is met by so many more turns that bring as much as the last one did, whose
** residuals these are. */
static bool will_do(const dls_island *island, double before, double after, int turns) {
  double end = after;
  for (; turns > 0; turns--) end *= after / before;
  return end <= island->aim;
}

static bool suits(const dls_island *island) {
  return !island->needs_matrix && (island->method == DLS_SOLVE_AUTO || dls_sweeps_only(island));
}

static dls_status run(dls_island *island, bool *done) {
  const bool steps = island->method == DLS_SOLVE_AUTO; /* are to follow */
  const bool path = dls_suits_path(island); /* it was asked before, or is asked next */
  const bool lanes = in_lanes(island);
  const double each = (island->special && path) || lanes ? island->budget.lanes : 1;
  const int first = steps ? first_sweeps(island, path, lanes) : INT32_MAX;
  const int fine = !lanes || island->n > FEW ? INT32_MAX : island->small ? 1 : FEW_FINE;
  const int turns = turns_of(island);
  double before = DLS_INF;
  for (int turn = 0, swept = 0; turn < turns; turn++) {
    const double share = steps ? swept_share(&island->budget) : 1;
    const int most = dls_budget_times(&island->budget, share, each,
                                      share < 1 || !island->budget.bounded ? first : INT32_MAX);
    int own = 0;
    const dls_status status =
        dls_sweep_island(island->rows, island->blocks, island->n, island->aim, most, fine,
                         island->special, island->strict, island->tmp, &own, done);
    dls_budget_pay(&island->budget, each * own);
    dls_note_iterations(swept += own, &island->report->iterations);
    if (status != DLS_OK || *done) return status;
    if (turns != SPATIAL_TURNS) continue;
    const double after = dls_rows_residual_of(island->rows, island->blocks, island->n);
    if (turn > 0 && !will_do(island, before, after, turns - turn - 1)) break;
    before = after;
  }
  dls_write_out_blocks(island->rows, island->blocks, island->n);
  return DLS_OK;
}

const dls_rung dls_rung_sweeps = {suits, run};
