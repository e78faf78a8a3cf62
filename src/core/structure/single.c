/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/single.h"

#include "core/lcp/enumerate.h"
#include "core/lcp/residual.h"
#include "core/math/lanes.h"
#include "core/structure/follow.h"

/* A problem and its other right sides. */
typedef struct work {
  const dls_law *law;    /* borrowed                          */
  dls_stop *stop;        /* asked whether to go on            */
  dls_single_room *room; /* of every method                   */
  double *rhs, *zero;    /* law->n each: q + p d or -d; zeros */
  double *w;             /* law->n                            */
  double *margin;        /* law->n: that of q + p d           */
  double *first;         /* law->n: a state that misses the law by more than round-off */
  bool any;              /* there is one                      */
} work;

static void keep(work *k, const double *z) {
  if (!k->any) memcpy(k->first, z, (size_t)k->law->n * sizeof *z);
  k->any = true;
}

/* Follows a path and takes the state at its end, or at `to`. true: that is a solution. */
static dls_status walk(work *k, const dls_path_problem *load, double *z, bool *good,
                       dls_single *answer) {
  dls_path *path = &k->room->path;
  *good = false;
  bool holds;
  const dls_status status = dls_law_follow(k->law, load, &k->room->tmp, path, &holds);
  if (status != DLS_OK) return status;
  int segment = 0;
  answer->pivots += path->pivots;
  if (path->n_states == 0) return DLS_OK;
  answer->p_limit = path->p_limit;
  *good = dls_path_next(path, load->to, &segment, z);
  if (!*good) {
    const double *last = path->z + (size_t)(path->n_states - 1) * (size_t)load->n;
    for (int i = 0; i < load->n; i++) z[i] = dls_max(last[i], 0.0);
  } else if (!holds) {
    keep(k, z);
    *good = false;
  }
  return DLS_OK;
}

/* The path from p = 0, which may go to negative p. */
static dls_status along(work *k, double p, double *z, bool *good, dls_single *answer) {
  dls_path_problem load = dls_law_path(k->law, fabs(p), k->stop);
  for (int i = 0; i < k->law->n; i++) k->rhs[i] = p < 0.0 ? -k->law->d[i] : k->law->d[i];
  load.d = k->rhs;
  return walk(k, &load, z, good, answer);
}

/* The load alone: a path whose start it is. */
static dls_status alone(work *k, double p, double *z, bool *good, dls_single *answer) {
  const double limit = answer->p_limit;
  dls_path_problem load = dls_law_path(k->law, 0.0, k->stop);
  const double beyond = dls_max(fabs(p) - 1.0, 0.0); /* margins of a law are those of |p| = 1 */
  for (int i = 0; i < k->law->n; i++) {
    k->rhs[i] = k->law->q[i] + p * k->law->d[i];
    k->margin[i] = k->law->margin[i] + beyond * k->law->round_off[1][i];
  }
  load.q = k->rhs;
  load.d = k->zero;
  load.margin = k->margin;
  load.size = dls_max(load.size, fabs(p) * load.growing);
  const dls_status status = walk(k, &load, z, good, answer);
  answer->p_limit = limit;
  return status;
}

static dls_status every(work *k, double p, double *z, bool *good, dls_single *answer) {
  const int n = k->law->n;
  dls_lcp_report report;
  dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_solutions *all = &k->room->all;
  all->alloc = k->law->alloc;
  for (int i = 0; i < n; i++) k->rhs[i] = k->law->q[i] + p * k->law->d[i];
  const dls_lcp problem = {.n = n, .M = k->law->M, .q = k->rhs};
  opts.solutions = all;
  opts.stop = k->stop;
  const dls_status status =
      dls_lcp_enumerate(&problem, &opts, &k->room->tmp, k->w, k->zero, &report);
  if (status != DLS_OK) return status;
  const dls_path_problem load = dls_law_path(k->law, 0.0, NULL);
  const double allowed = dls_law_allowed(&load, p), most = dls_lanes_best()->amax(n, k->rhs);
  int loose = 0;
  answer->n_solutions = 0;
  for (int s = 0; s < all->n_found; s++) {
    const double *found = all->z + (size_t)s * (size_t)n;
    double natural;
    if (!dls_law_believes(k->law, p, found)) continue;
    if (dls_lcp_residual(&problem, found, k->w, &natural) * (most > 0.0 ? most : 1.0) > allowed) {
      loose++;
      keep(k, found);
      continue;
    }
    answer->n_solutions++;
    if (!*good) memcpy(z, found, (size_t)n * sizeof *z);
    *good = true;
  }
  if (answer->n_solutions == 0 && loose > 0) answer->n_solutions = -1;
  return DLS_OK;
}

static size_t bytes_of(const dls_law *law) {
  const dls_lcp problem = {.n = law->n, .M = law->M, .q = law->q};
  size_t most = dls_law_follow_bytes(law->n);
  if (law->n <= DLS_SINGLE_FEW) {
    const size_t all = dls_lcp_enumerate_bytes(&problem);
    most = all > most ? all : most;
  }
  return dls_bytes_add(most, 5 * dls_arena_bytes((size_t)law->n, sizeof(double)));
}

static dls_status solve(work *k, double p, double *z, dls_single *answer) {
  const int n = k->law->n;
  bool good = false;
  k->rhs = DLS_TAKE(&k->room->tmp, double, n);
  k->zero = DLS_TAKE(&k->room->tmp, double, n);
  k->w = DLS_TAKE(&k->room->tmp, double, n);
  k->first = DLS_TAKE(&k->room->tmp, double, n);
  k->margin = DLS_TAKE(&k->room->tmp, double, n);
  if (k->rhs == NULL || k->zero == NULL || k->w == NULL || k->first == NULL || k->margin == NULL)
    return DLS_FULL;
  for (int i = 0; i < n; i++) k->zero[i] = 0.0;
  dls_status status = along(k, p, z, &good, answer);
  good = good && dls_law_believes(k->law, p, z);
  if (status == DLS_OK && !good) status = alone(k, p, z, &good, answer);
  good = good && dls_law_believes(k->law, p, z);
  if (status == DLS_OK && n <= DLS_SINGLE_FEW) status = every(k, p, z, &good, answer);
  if (!good && k->any && answer->n_solutions != 0 && dls_law_believes(k->law, p, k->first)) {
    memcpy(z, k->first, (size_t)n * sizeof *z); /* its residual tells */
    good = true;
  }
  if (good && answer->n_solutions == 0) answer->n_solutions = -1; /* none without a margin */
  if (good) answer->end = DLS_SINGLE_SOLVED;
  else if (answer->n_solutions == 0) answer->end = DLS_SINGLE_NONE;
  else answer->end = answer->p_limit < fabs(p) ? DLS_SINGLE_MECHANISM : DLS_SINGLE_UNSOLVED;
  return status;
}

void dls_single_room_destroy(dls_single_room *room, const dls_alloc *alloc) {
  dls_arena_destroy(&room->tmp, alloc);
  dls_path_destroy(&room->path);
  dls_lcp_solutions_destroy(&room->all);
}

dls_status dls_single_solve(const dls_law *law, double p, dls_stop *stop, dls_single_room *room,
                            double *z, dls_single *answer) {
  work k = {.law = law, .stop = stop, .room = room};
  *answer = (dls_single){.end = DLS_SINGLE_SOLVED, .p_limit = DLS_INF, .n_solutions = -1};
  for (int i = 0; i < law->n; i++) z[i] = 0.0;
  if (law->n == 0) return DLS_OK;
  const dls_status status = dls_arena_reserve(&room->tmp, &law->alloc, bytes_of(law));
  return status == DLS_OK ? solve(&k, p, z, answer) : status;
}
