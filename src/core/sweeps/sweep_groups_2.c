/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/sweep_groups.h"

#include "core/sweeps/accelerate.h"
#include "core/rows/residual.h"

static double sweep_groups(dls_groups_2 *G) {
  if (!G->turn) return G->lanes->fine.sweep(G->n, G->group, G->p, G->u);
  return G->lanes->fine.sweep_turns(G->n, G->group, G->turn, G->p,
                                    G->p + 2 * DLS_SWEEP_LANES * G->n, G->u);
}

static void mix_groups(dls_groups_2 *G, dls_acceleration *x) {
  const dls_sweep_kernels *kernels = &G->lanes->fine;
  const int n = G->n_p;
  const double t = dls_accelerate(x, kernels->change(n, G->p, G->was, G->p_old, G->f));
  kernels->mix(n, t, G->p, G->p_old, G->was);
  kernels->mix(G->n_u, t, G->u, G->u_old, NULL);
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = dls_max(most, fabs(x[i]));
  return most;
}

/* The groups in single precision. */
typedef struct single {
  dls_sweep_group32 *group; /* the groups */
  dls_sweep_turn32 *turn; /* NULL: nothing rolls with friction */
  float *p, *was, *f, *p_old, *u, *u_old; /* as those of sweep_groups.h */
} single;

static void to_single(int n, const double *x, float *out) {
  for (int i = 0; i < n; i++) out[i] = (float)x[i];
}

static void narrow_turns(const dls_groups_2 *G, dls_sweep_turn32 *out) {
  for (int k = 0; k < G->n; k++) {
#define X(name) to_single(DLS_SWEEP_LANES, G->turn[k].name, out[k].name);
    DLS_TURN_FIELDS(X)
#undef X
  }
}

static dls_status make_single(const dls_groups_2 *G, dls_arena *tmp, single *x) {
  const int n = G->n_p;
  dls_sweep_group32 *out = x->group = DLS_TAKE(tmp, dls_sweep_group32, G->n);
  x->p = DLS_TAKE(tmp, float, 4 * n + 2 * G->n_u);
  x->turn = G->turn ? DLS_TAKE(tmp, dls_sweep_turn32, G->n) : NULL;
  if (!x->group || !x->p || (G->turn && !x->turn)) return DLS_FULL;
  if (G->turn) narrow_turns(G, x->turn);
  x->was = x->p + n;
  x->f = x->was + n;
  x->p_old = x->f + n;
  x->u = x->p_old + n;
  x->u_old = x->u + G->n_u;
  for (int k = 0; k < G->n; k++, out++) {
    const dls_sweep_group *g = &G->group[k];
#define X(name) to_single(DLS_SWEEP_LANES, g->name, out->name);
    DLS_SWEEP_FIELDS(X)
#undef X
    memcpy(out->i, g->i, sizeof g->i);
    memcpy(out->j, g->j, sizeof g->j);
  }
  return DLS_OK;
}

/* Takes the impulses over, if they are numbers. */
static void from_single(const dls_rows *rows, dls_groups_2 *G, const float *p) {
  const int n = G->n_p;
  float sum = 0;
  for (int i = 0; i < n; i++) sum += p[i] - p[i];
  if (sum != 0) return;
  for (int i = 0; i < n; i++) G->p[i] = (double)p[i];
  dls_push_groups_2(rows, G);
}

/* Sweeps until no visit changes its own velocity by more than `quiet`, most - *done at most. */
static void sweep_coarsely(const dls_rows *rows, dls_groups_2 *G, single *x, double quiet, int most,
                           int *done) {
  const dls_sweep_kernels32 *kernels = &G->lanes->coarse;
  const int n = G->n_p;
  to_single(n, G->p, x->p);
  memcpy(x->was, x->p, (size_t)n * sizeof *x->p);
  memcpy(x->p_old, x->p, (size_t)n * sizeof *x->p);
  memset(x->f, 0, (size_t)n * sizeof *x->f);
  to_single(G->n_u, G->u, x->u);
  memcpy(x->u_old, x->u, (size_t)G->n_u * sizeof *x->u);
  dls_acceleration rate = {.momentum = DLS_MOMENTUM_SWEEPS};
  while (*done < most && !dls_given_up(rows, G->n, 1)) {
    const double change =
        x->turn ? kernels->sweep_turns(G->n, x->group, x->turn, x->p,
                                       x->p + 2 * DLS_SWEEP_LANES * G->n, x->u)
                : kernels->sweep(G->n, x->group, x->p, x->u);
    ++*done;
    if (change <= quiet) break;
    const float t = (float)dls_accelerate(&rate, kernels->change(n, x->p, x->was, x->p_old, x->f));
    kernels->mix(n, t, x->p, x->p_old, x->was);
    kernels->mix(G->n_u, t, x->u, x->u_old, NULL);
  }
  from_single(rows, G, x->p);
}
dls_status dls_sweep_groups_2(dls_rows *rows, const int *blocks, int n, dls_groups_2 *G,
                              double limit, bool coarse, int done, int max_iterations,
                              dls_arena *tmp, int *iterations, bool *converged) {
  const double noise = DLS_FLOAT_NOISE * largest(G->n_u, G->u);
  coarse = coarse && G->fits_float && noise < DLS_INF;
  single x;
  if (coarse && make_single(G, tmp, &x) != DLS_OK) return DLS_FULL;
  dls_acceleration rate = {.momentum = DLS_MOMENTUM_SWEEPS};
  double quiet = DLS_QUIET * limit;
  memcpy(G->was, G->p, (size_t)G->n_p * sizeof(double));
  for (;;) {
    if (coarse && rate.done == 0 && done + 1 < max_iterations) {
      sweep_coarsely(rows, G, &x, dls_max(quiet, noise), max_iterations - 1, &done);
      memcpy(G->was, G->p, (size_t)G->n_p * sizeof(double));
    }
    const double change = sweep_groups(G);
    const bool stopped = dls_given_up(rows, n, 1);
    done++;
    if (change <= 2 * quiet || done >= max_iterations || stopped) {
      dls_push_groups_2(rows, G);
      dls_ungroup_2(rows, G);
      *converged = dls_residual_holds(rows, blocks, n, limit);
      if (*converged || done >= max_iterations || stopped) {
        dls_note_iterations(done, iterations);
        return DLS_OK;
      }
      quiet *= DLS_QUIETER;
    }
    if (quiet < noise || !coarse) mix_groups(G, &rate);
  }
}
