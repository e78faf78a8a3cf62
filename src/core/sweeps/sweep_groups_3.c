/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/sweep_groups.h"

#include "core/sweeps/turns_3.h"
#include "core/sweeps/accelerate.h"
#include "core/rows/residual.h"

/* Sweeps in single precision at a time: what they do not quieten goes on in double. */
enum { COARSE_SWEEPS = 1000 };

/* The groups in single precision, and how to mix them. */
typedef struct single {
  const dls_sweep_kernels32 *kernels; /* the path of this processor */
  dls_space_group32 *group; /* the groups */
  dls_space_turn32 *turn; /* NULL: there is no friction against turning */
  float *p, *was, *f, *p_old, *u, *u_old, *fresh; /* as those of sweep_groups.h */
} single;

static double largest(const dls_rows *rows, const dls_groups_3 *G) {
  double most = 0;
  for (int k = 0; k < G->n_bodies; k++)
    for (int i = 0; i < 6; i++) {
      const size_t at = (size_t)G->body[k] * 6 + (size_t)i;
      most = dls_max(most, dls_max(fabs(rows->u_free[at]), fabs(rows->u[at])));
    }
  return most;
}

static void to_single(int n, const double *x, float *out) {
  for (int i = 0; i < n; i++) out[i] = (float)x[i];
}

static dls_status make_single(const dls_groups_3 *G, dls_arena *tmp, single *x) {
  const int n = G->n_p;
  x->kernels = &dls_sweep_lanes_best()->coarse;
  x->group = DLS_TAKE(tmp, dls_space_group32, G->n);
  x->p = DLS_TAKE(tmp, float, 4 * n + 3 * G->n_u);
  x->turn = G->turn ? DLS_TAKE(tmp, dls_space_turn32, G->n) : NULL;
  if (!x->group || !x->p || (G->turn && !x->turn)) return DLS_FULL;
  x->was = x->p + n;
  x->f = x->was + n;
  x->p_old = x->f + n;
  x->u = x->p_old + n;
  x->u_old = x->u + G->n_u;
  x->fresh = x->u_old + G->n_u;
  return DLS_OK;
}

static void narrow(const dls_space_group *g, dls_space_group32 *out) {
#define X(name) to_single(DLS_SWEEP_LANES, g->name, out->name);
  DLS_SPACE_FIELDS(X)
#undef X
  memcpy(out->i, g->i, sizeof g->i);
  memcpy(out->j, g->j, sizeof g->j);
  out->run = g->run;
}

/* Groups in single precision and impulses, without those in double; false where the numbers do not
** suit it. */
static bool fill_single(const dls_rows *rows, dls_groups_3 *G, single *x) {
  dls_space_group g;
  for (int k = 0; k < G->n; k++) {
    dls_fill_group_3(rows, G, k, &g, G->p + DLS_GROUP_NUMBERS_3 * k);
    if (!dls_fits_float_3(&g)) return false;
    narrow(&g, &x->group[k]);
  }
  return true;
}

static void narrow_turns(const dls_space_turn *t, dls_space_turn32 *out) {
#define X(name) to_single(DLS_SWEEP_LANES, t->name, out->name);
  DLS_SPACE_TURN_FIELDS(X)
#undef X
}

/* The same from those in double. */
static bool copy_single(const dls_groups_3 *G, single *x) {
  for (int k = 0; k < G->n; k++) {
    if (!dls_fits_float_3(&G->group[k])) return false;
    narrow(&G->group[k], &x->group[k]);
  }
  for (int k = 0; k < G->n && G->turn; k++) {
    if (!dls_turns_fit_float_3(&G->turn[k])) return false;
    narrow_turns(&G->turn[k], &x->turn[k]);
  }
  return true;
}

/* A sweep of the groups in single precision, and in double. */
static double visit_coarsely(const dls_groups_3 *G, single *x) {
  if (!x->turn) return G->lanes->coarse(G->n, x->group, x->p, x->u);
  return G->lanes->coarse_turns(G->n, x->group, x->turn, x->p, x->p + dls_turns_at_3(G), x->u);
}

static double visit_finely(dls_groups_3 *G) {
  if (!G->turn) return G->lanes->fine(G->n, G->group, G->p, G->u);
  return G->lanes->fine_turns(G->n, G->group, G->turn, G->p, G->p + dls_turns_at_3(G), G->u);
}

static bool are_numbers(int n, const float *p) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += p[i] - p[i];
  return sum == 0;
}

static void start_coarsely(const dls_groups_3 *G, single *x) {
  const size_t n = (size_t)G->n_p;
  memcpy(x->was, x->p, n * sizeof *x->p);
  memcpy(x->p_old, x->p, n * sizeof *x->p);
  memset(x->f, 0, n * sizeof *x->f);
  memcpy(x->u_old, x->u, (size_t)G->n_u * sizeof *x->u);
}

static void mix_coarsely(const dls_groups_3 *G, single *x, dls_acceleration *rate) {
  const int n = G->n_p;
  const float t = (float)dls_accelerate(rate, x->kernels->change(n, x->p, x->was, x->p_old, x->f));
  x->kernels->mix(n, t, x->p, x->p_old, x->was);
  x->kernels->mix(G->n_u, t, x->u, x->u_old, NULL);
}

/* Sweeps from x->p and x->u until no visit changes its own velocity by more than `quiet`, most -
** *done at most; whether they came to that. */
static bool run_coarsely(const dls_rows *rows, const dls_groups_3 *G, single *x, double quiet,
                         int most, int *done) {
  start_coarsely(G, x);
  dls_acceleration rate = {.momentum = DLS_MOMENTUM_SWEEPS};
  bool calm = false;
  if (most > *done + COARSE_SWEEPS) most = *done + COARSE_SWEEPS;
  while (*done < most && !dls_given_up(rows, G->n, 1)) {
    const double change = visit_coarsely(G, x);
    calm = dls_max(change, dls_visit_others_coarsely(rows, G, x->p, x->u)) <= quiet;
    ++*done;
    if (calm) break;
    mix_coarsely(G, x, &rate);
  }
  return calm;
}

/* The same from the impulses and velocities in double precision, and back if they are numbers. */
static bool sweep_coarsely(const dls_rows *rows, dls_groups_3 *G, single *x, double quiet, int most,
                           int *done) {
  to_single(G->n_p, G->p, x->p);
  to_single(G->n_u, G->u, x->u);
  const bool calm = run_coarsely(rows, G, x, quiet, most, done);
  if (!are_numbers(G->n_p, x->p)) return calm;
  for (int i = 0; i < G->n_p; i++) G->p[i] = (double)x->p[i];
  dls_push_groups_3(rows, G);
  return calm;
}

/* A tolerance that is so many times the noise is met and judged in single precision, by so many
** sweeps. */
static const double OVER_NOISE = 2;
enum { SINGLE_SWEEPS = 500 };
/* Its looks: from which movement on, over the limit, and what that becomes after each. */
static const double SOON = 3, SOONER = 0.8;

/* Wholly in single precision, which solve() looks over: no groups in double are made. False where
** that does not come to the limit; what was reached is kept. */
static bool sweep_in_single(const dls_rows *rows, dls_groups_3 *G, single *x, double limit,
                         double noise, int most, int *done) {
  const int n = G->n_p;
  double quiet = SOON * limit;
  bool met = false;
  if (most > *done + SINGLE_SWEEPS) most = *done + SINGLE_SWEEPS;
  to_single(n, G->p, x->p);
  memset(x->u, 0, (size_t)G->n_u * sizeof *x->u);
  G->lanes->push(G->n, x->group, x->p, x->u);
  start_coarsely(G, x);
  dls_acceleration rate = {.momentum = DLS_MOMENTUM_SWEEPS};
  while (!met && quiet >= noise && *done < most && !dls_given_up(rows, G->n, 1)) {
    const double change = G->lanes->coarse(G->n, x->group, x->p, x->u);
    ++*done;
    if (change <= quiet) {
      memset(x->fresh, 0, (size_t)G->n_u * sizeof *x->fresh);
      G->lanes->push(G->n, x->group, x->p, x->fresh);
      met = G->lanes->judge(G->n, x->group, x->p, x->fresh) <= limit;
      quiet *= SOONER;
    }
    if (!met && rate.done >= DLS_MOMENTUM_SWEEPS)
      rate = (dls_acceleration){.momentum = DLS_MOMENTUM_SWEEPS};
    if (!met) mix_coarsely(G, x, &rate);
  }
  if (!are_numbers(n, x->p)) return false;
  for (int i = 0; i < n; i++) G->p[i] = (double)x->p[i];
  return met;
}

static void mix_groups(dls_groups_3 *G, const dls_sweep_kernels *kernels, dls_acceleration *x) {
  const int n = G->n_p;
  const double t = dls_accelerate(x, kernels->change(n, G->p, G->was, G->p_old, G->f));
  kernels->mix(n, t, G->p, G->p_old, G->was);
  kernels->mix(G->n_u, t, G->u, G->u_old, NULL);
}

/* The rows' friction within its bounds: to round-off of double precision, not of single. */
static void cut_friction(dls_rows *rows, const dls_groups_3 *G) {
  for (int k = 0; k < DLS_SWEEP_LANES * G->n; k++) {
    if (G->block[k] < 0) continue;
    const dls_block *block = &rows->block[G->block[k]];
    double *p = rows->p + block->row;
    if (block->n == 1) continue;
    const double length = sqrt(p[1] * p[1] + p[2] * p[2]), bound = block->mu[0] * p[0];
    if (!(length > bound)) continue;
    p[1] *= bound / length;
    p[2] *= bound / length;
  }
}

dls_status dls_sweep_groups_3(dls_rows *rows, const int *blocks, int n, dls_groups_3 *G,
                              double limit, bool strict, bool coarse, int done, int max_iterations,
                              int fine, dls_arena *tmp, int *iterations, bool *converged) {
  const dls_sweep_kernels *kernels = &dls_sweep_lanes_best()->fine;
  const size_t numbers = (size_t)G->n_p * sizeof(double);
  const double noise = DLS_FLOAT_NOISE * largest(rows, G);
  single x = {0};
  coarse = coarse && noise < DLS_INF;
  if (coarse && make_single(G, tmp, &x) != DLS_OK) return DLS_FULL;
  const bool in_single =
      coarse && !strict && G->n_others == 0 && !G->turn && limit >= OVER_NOISE * noise &&
      fill_single(rows, G, &x);
  if (in_single && sweep_in_single(rows, G, &x, limit, noise, max_iterations - 1, &done)) {
    dls_give_impulses_3(rows, G);
    cut_friction(rows, G);
    dls_note_iterations(done, iterations);
    *converged = true;
    return DLS_OK;
  }
  dls_fill_all_groups_3(rows, G, !in_single);
  coarse = coarse && (in_single || copy_single(G, &x));
  dls_acceleration rate = {.momentum = DLS_MOMENTUM_SWEEPS};
  double quiet = DLS_QUIET * limit;
  memcpy(G->was, G->p, numbers);
  for (;;) {
    if (coarse && rate.done == 0 && done + 1 < max_iterations) {
      coarse = sweep_coarsely(rows, G, &x, dls_max(quiet, noise), max_iterations - 1, &done);
      memcpy(G->was, G->p, numbers);
    }
    double change = visit_finely(G);
    change = dls_max(change, dls_visit_others(rows, G, G->p, G->u));
    const bool stopped = dls_given_up(rows, n, 1);
    done++;
    const bool last = done >= max_iterations || --fine <= 0 || stopped;
    if (change <= 2 * quiet || last) {
      dls_push_groups_3(rows, G);
      dls_ungroup_3(rows, G);
      *converged = dls_residual_holds(rows, blocks, n, limit);
      if (*converged || last) {
        dls_note_iterations(done, iterations);
        return DLS_OK;
      }
      quiet *= DLS_QUIETER;
    }
    if (quiet < noise || !coarse) mix_groups(G, kernels, &rate);
  }
}
