/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/newton.h"

#include "core/sweeps/gauss_seidel.h"
#include "core/rows/impulses.h"
#include "core/ladder/newton_step.h"
#include "core/rows/residual.h"
#include "core/ladder/rung.h"

/* Damping of proximal steps; steps, at most in all and without a gain of GAIN; sweeps after
** each. */
static const double PROXIMAL = 1e-2, GAIN = 0.9;
enum { PROXIMAL_STEPS = 60, PROXIMAL_IDLE = 20, PROXIMAL_SWEEPS = 2 };

enum {
  NEWTON_STEPS = 120, /* most, an island                                        */
  HALVINGS = 8,       /* of a step                                              */
  /* after the first step that did not help, where nobody comes after; then doubled */
  STUCK_SWEEPS = 20,
  MOST_SWEEPS = 320   /* but not beyond this                                    */
};

/* Of the work that is left; the rest is for who comes after. */
static const double NEWTON_SHARE = 0.35;

/* Damping: this share of the residual, between these; raised tenfold after a step that did not
** help, lowered after one that gained a factor of 100. */
static const double DAMP = 1e-4, DAMP_LEAST = 1e-10, DAMP_MOST = 1;

/* rho |W|: the first, and what follows after steps that did not help. */
static const double TIMES[] = {10, 100, 1, 1000};

/* Residual of the impulses at hand, cut to their sets; the best are kept. */
static double note(dls_rows *rows, const int *blocks, int n, dls_newton *N, double best) {
  dls_admit_all(rows, blocks, n);
  dls_push_island(rows, blocks, n, N->graph.body, N->graph.n);
  double r = dls_rows_residual_of(rows, blocks, n);
  if (!(r < best)) return best;
  dls_keep_impulses(rows, blocks, n, N->best);
  return r;
}

/* One step, cut until it lowers the merit; answers the factor by which it did, 1: not at all. */
static double advance_newton(dls_rows *rows, const int *blocks, int n, dls_newton *N) {
  const double first = dls_newton_linearise(rows, blocks, n, N);
  double t = 1;
  dls_newton_step(rows, blocks, n, N);
  dls_newton_follow(rows, blocks, n, N);
  for (int k = 0; k <= HALVINGS; k++, t /= 2) {
    double now = dls_newton_merit(rows, blocks, n, t, N);
    if (!(now <= (1 - 1e-3 * t) * first)) continue;
    dls_newton_go(rows, blocks, n, t, N);
    return now / first;
  }
  return 1;
}

/* Answers how many steps; *best goes down. */
static dls_status approach_newton(dls_rows *rows, const int *blocks, int n, double limit, int steps,
                                  dls_arena *tmp, dls_newton *N, double *best, int *done) {
  double goal = GAIN * *best;
  N->damp = PROXIMAL;
  N->times = 1;
  for (int idle = 0; *done < steps && *done < PROXIMAL_STEPS && idle < PROXIMAL_IDLE &&
                     !(*best <= limit) && !dls_given_up(rows, n, DLS_NEWTON_VISITS);) {
    (void)dls_newton_linearise(rows, blocks, n, N);
    dls_newton_step(rows, blocks, n, N);
    dls_newton_go(rows, blocks, n, 1, N);
    *best = note(rows, blocks, n, N, *best);
    ++*done;
    if (*best <= limit) break;
    dls_status status = dls_sweep_to_and_fro(rows, blocks, n, PROXIMAL_SWEEPS, tmp);
    if (status != DLS_OK) return status;
    *best = note(rows, blocks, n, N, *best);
    idle++;
    if (*best <= goal) goal = GAIN * *best, idle = 0;
  }
  dls_restore_impulses(rows, blocks, n, N->best);
  dls_push_island(rows, blocks, n, N->graph.body, N->graph.n);
  return DLS_OK;
}

/* Whether a rung of core/cone comes after, from wherever steps got stuck: for fine tolerances. To
** loose ones, and in beds beyond it, sweeps in between cost less. */
static bool is_handed_on(int n, double limit, double scale) {
  return n <= DLS_SPARSE_MOST && limit < DLS_ROUGH * scale;
}

dls_status dls_solve_newton(dls_rows *rows, const int *blocks, int n, double limit, double scale,
                            dls_budget *budget, dls_arena *tmp, int *iterations, bool *converged) {
  *converged = false;
  if (!dls_budget_enter(budget, DLS_NEWTON_SETUP, DLS_NEWTON_LOOKS)) return DLS_OK;
  size_t mark = dls_arena_mark(tmp);
  dls_newton N;
  dls_status status = dls_newton_take(rows, blocks, n, NULL, tmp, &N);
  if (status != DLS_OK) return status;
  /* A step: the factor, and what looks at all blocks. */
  const double cost = dls_budget_sweeps(budget, dls_body_graph_cost(&N.graph)) + DLS_NEWTON_LOOKS,
               share = NEWTON_SHARE * budget->left;
  const double spent = budget->spent;
  const int steps = dls_budget_times(budget, NEWTON_SHARE, cost, NEWTON_STEPS);
  double best = dls_rows_residual_of(rows, blocks, n), rise = 1;
  const bool handed_on = is_handed_on(n, limit, scale);
  int sweeps = STUCK_SWEEPS, stuck = 0, done = 0;
  dls_keep_impulses(rows, blocks, n, N.best);
  if (scale > 0 && limit >= DLS_ROUGH * scale) {
    status = approach_newton(rows, blocks, n, limit, steps, tmp, &N, &best, &done);
    if (status != DLS_OK) return status;
    dls_budget_pay(budget, done * (cost + PROXIMAL_SWEEPS));
  }
  for (; done < steps && !(best <= limit) && !dls_given_up(rows, n, DLS_NEWTON_VISITS); done++) {
    const double rest = share - (budget->spent - spent);
    if (rest < cost) break;
    dls_budget_pay(budget, cost);
    N.damp = dls_clamp(best / scale * DAMP * rise, DAMP_LEAST, DAMP_MOST);
    N.times = TIMES[stuck % (int)(sizeof TIMES / sizeof *TIMES)];
    double gain = advance_newton(rows, blocks, n, &N);
    dls_keep_impulses(rows, blocks, n, N.raw);
    best = note(rows, blocks, n, &N, best);
    if (gain < 1) {
      dls_restore_impulses(rows, blocks, n, N.raw);
      dls_push_island(rows, blocks, n, N.graph.body, N.graph.n);
      if (gain <= 1e-4) rise = dls_max(1e-3, rise / 10);
      continue;
    }
    if (handed_on) break;
    rise = dls_min(rise * 10, 1e12);
    stuck++;
    if (sweeps > rest) sweeps = (int)rest;
    status = dls_sweep_to_and_fro(rows, blocks, n, sweeps, tmp);
    if (status != DLS_OK) return status;
    dls_budget_pay(budget, sweeps);
    sweeps = 2 * sweeps < MOST_SWEEPS ? 2 * sweeps : MOST_SWEEPS;
    best = note(rows, blocks, n, &N, best);
  }
  dls_note_iterations(done, iterations);
  dls_restore_impulses(rows, blocks, n, N.best);
  dls_push_island(rows, blocks, n, N.graph.body, N.graph.n);
  *converged = best <= limit;
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

static bool suits(const dls_island *island) {
  return island->method == DLS_SOLVE_AUTO && !island->needs_matrix;
}

static dls_status run(dls_island *island, bool *done) {
  return dls_solve_newton(island->rows, island->blocks, island->n, island->aim, island->scale,
                          &island->budget, island->tmp, &island->report->iterations, done);
}

const dls_rung dls_rung_newton = {suits, run};
