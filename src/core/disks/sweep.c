/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/sweep.h"

#include "core/sweeps/accelerate.h"
#include "core/disks/last.h"
#include "core/math/momentum.h"

/* Sweeps after which momentum is looked at; from LONG on it starts again each FRESH. In beds of
** more than DEEP groups slow modes are left after LONG_DEEP. */
enum { WATCH = 20, LONG = 140, FRESH = 60, DEEP = 256, LONG_DEEP = 60 };

/* Momentum keeps contacts at the edge of sliding or opening in motion: where the sweeps of a watch
** change impulses (squared) by more than SLACK of the watch before, it is lowered to this share of
** its bound. What that does not end (large beds: slow modes of some ten bodies, in a few places)
** gets a higher bound. */
static const double SLACK = 0.7, CALMER = 0.9, LONG_BETA_MAX = 0.95;

/* What carries impulses on past a sweep. */
typedef struct momentum {
  int done;             /* sweeps                                            */
  int tail;             /* of them until starts by the count: LONG           */
  double t, beta_max;     /* Nesterov's t; the bound                           */
  double best;          /* least |f|^2 since it blew up last                 */
  double sum, before;   /* |f|^2 summed over this watch, and over the last   */
} momentum;

/* beta of the next sweep. */
static double next_beta(momentum *x, dls_disk_change c) {
  const bool first = x->done++ == 0, grown = !first && c.ff > DLS_RESTART_GROWTH * x->best;
  const bool fresh = x->done >= x->tail && (x->done - x->tail) % FRESH == 0;
  if (first || grown || fresh || c.restart_dot > 0) x->t = 1;
  if (first || grown || c.ff < x->best) x->best = c.ff;
  x->sum += c.ff;
  if (x->done % WATCH == 0) {
    if (x->done < x->tail && x->sum > SLACK * x->before) x->beta_max *= CALMER;
    x->before = x->sum;
    x->sum = 0;
  }
  if (x->done == x->tail) x->beta_max = LONG_BETA_MAX;
  return dls_min(dls_momentum_share(&x->t), x->beta_max);
}

/* Whether the residual seems to hold in all groups: looked at from *first on, the last one known to
** miss. */
static bool holds(const dls_disk_groups *G, double limit, int *first) {
  for (int i = 0, k = *first; i < G->bed.n; i++, k = k + 1 < G->bed.n ? k + 1 : 0) {
    if (G->lanes->residual(&G->bed, k, k + 1, G->p, G->u) <= limit * limit) continue;
    *first = k;
    return false;
  }
  return true;
}

dls_status dls_sweep_disks(dls_rows *rows, const int *blocks, int n, double limit, int most,
                           bool strict, dls_arena *tmp, int *done, bool *near) {
  dls_disk_groups G;
  *near = false;
  *done = 0;
  dls_status status = dls_disk_groups_make(rows, blocks, n, tmp, &G);
  if (status != DLS_OK || G.bed.n == 0) return status;
  const double noise = DLS_FLOAT_NOISE * G.fastest;
  const double quiet = dls_max(DLS_QUIET * limit, noise);
  double beta = 0;
  int first = 0, last = DLS_LAST_FIRST, looks = 0;
  const bool use_last = rows->impacting && limit > noise && G.bed.n > DLS_LAST_GROUPS;
  dls_disk_last left = {0};
  momentum rate = {
      .tail = G.bed.n > DEEP ? LONG_DEEP : LONG, .beta_max = DLS_BETA_MAX, .before = DLS_INF};
  if (!(noise < DLS_INF)) return DLS_OK;
  if (use_last && !dls_disk_last_take(&G, tmp, &left)) return DLS_FULL;
  const double last_limit = strict ? DLS_LAST_STRICT * limit : limit;
  /* What double precision has found to miss after all is little. */
  if (use_last && strict) *near = dls_disk_settle_last(&G, last_limit, n, &left, &looks);
  while (!*near && *done < most && !dls_given_up(rows, G.bed.n, 1)) {
    const dls_disk_change c = G.lanes->sweep(&G.bed, (float)beta, G.p, G.p_old, G.u, G.u_old);
    dls_disk_change_places(&G.p, &G.p_old);
    dls_disk_change_places(&G.u, &G.u_old);
    ++*done;
    if (!(c.ff < DLS_INF)) return DLS_OK;
    if (c.most <= quiet * quiet) {
      *near = holds(&G, limit, &first);
      if (*near || c.most <= noise * noise) break;
    }
    if (use_last && *done >= last) {
      *near = dls_disk_settle_last(&G, last_limit, n, &left, &looks);
      if (*near || dls_given_up(rows, looks * DLS_LAST_COST / DLS_DISK_LANES, 1)) break;
      last = *done + DLS_LAST_EVERY;
    }
    beta = next_beta(&rate, c);
  }
  dls_disk_groups_return(rows, blocks, n, &G, strict || !*near);
  return DLS_OK;
}
