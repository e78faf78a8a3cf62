/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* What ends an island that sweeps alone leave too far from its solution: Newton's steps, and more
** sweeps where a step does not help. */

#include <stdio.h>
#include <stdlib.h>
static double knob(const char *name, double d) { const char *s = getenv(name); return s ? atof(s) : d; }

static dls_status take_newton(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                              newton *N) {
  dls_status status = weave(rows, blocks, n, tmp, &N->web);
  if (status != DLS_OK) return status;
  size_t m = (size_t)n, b = (size_t)N->web.n * NU;
  N->law = DLS_TAKE(tmp, linear, m);
  N->dp = DLS_TAKE(tmp, double, m * NB);
  N->dv = DLS_TAKE(tmp, double, m * NB);
  N->kept = DLS_TAKE(tmp, double, m * NB);
  N->centre = DLS_TAKE(tmp, double, m * NB);
  N->y = DLS_TAKE(tmp, double, b);
  N->du = DLS_TAKE(tmp, double, b);
  if (!N->du || !N->centre || !N->y || !N->kept || !N->dv || !N->dp || !N->law) return DLS_FULL;
  for (int k = 0; k < n; k++) N->law[k].norm = block_norm(rows, &rows->block[blocks[k]]);
  return DLS_OK;
}

static dls_status smooth(dls_rows *rows, const int *blocks, int n, int count, dls_arena *tmp) {
  size_t mark = dls_arena_mark(tmp);
#if D == 2
  packed *fast = DLS_TAKE(tmp, packed, n);
  rows->need = tmp->size + dls_arena_bytes((size_t)n, sizeof(packed));
  if (!fast) return DLS_FULL;
  pack(rows, blocks, n, fast);
  for (int i = 0; i < count; i++) sweep_packed(rows, fast, n, (i & 1) != 0);
  unpack(rows, fast, n);
#else
  for (int i = 0; i < count; i++) sweep(rows, blocks, n, (i & 1) != 0);
#endif
  dls_arena_release(tmp, mark);
  return DLS_OK;
}


typedef enum inner_end { DONE, SLOW, STUCK } inner_end;

static inner_end inner(dls_rows *rows, const int *blocks, int n, newton *N, double target, int steps, int *done) {
  double gain = knob("GAIN", 1e-2);
  exchange(rows, blocks, n, N->centre, false);
  double least = merit(rows, blocks, n, 0, N), first = least;
  for (int k = 0; k < steps; k++) {
    ++*done;
    newton_step(rows, blocks, n, N);
    double t = 1, now = least;
    bool found = false;
    for (int h = 0; h <= 8 && !found; h++) {
      now = merit(rows, blocks, n, t, N);
      found = now <= (1 - 1e-3 * t) * least;
      if (!found) t /= 2;
    }
    if (k < knob("NOLS", 0) && *done < knob("NOLSALL", 30)) { t = 1; now = merit(rows, blocks, n, t, N); found = true; }
    if (!found) return STUCK;
    go(rows, blocks, n, t, N);
    refresh(rows, blocks, n, &N->web);
    least = now;
    if (knob("DBG",0)>1) fprintf(stderr, "     inner t %g merit %g\n", t, sqrt(least));
    if (least <= target || least <= gain * gain * first) return DONE;
  }
  return SLOW;
}

static dls_status newton_island(dls_rows *rows, const int *blocks, int n, double limit,
                                double scale, int steps, dls_arena *tmp, int *iterations,
                                bool *converged) {
  steps = steps < (int)knob("STEPS", 100) ? steps : (int)knob("STEPS", 100);
  size_t mark = dls_arena_mark(tmp);
  newton N;
  dls_status status = take_newton(rows, blocks, n, tmp, &N);
  if (status != DLS_OK) return status;
  int debug = (int)knob("DBG", 0), between = (int)knob("BETWEEN", 0), turn = 0;
  double TIMES[4] = {knob("TIMES",10), 100, 1, 1000};
  double dfac = knob("DAMP", 1e-4), dmin=knob("DMIN",1e-10), rise = 1;
  double best = residual_of(rows, blocks, n);
  exchange(rows, blocks, n, N.kept, false);
  *converged = best <= limit;
  N.times = TIMES[0];
  int sweeps = 20, it = 0;
  if (debug) fprintf(stderr, "island %d blocks %d bodies, fill %d: start %g limit %g\n", n, N.web.n, N.web.start[N.web.n], best/scale, limit/scale);
  while (it < steps && !*converged) {
    N.damp = dls_clamp(best / scale * dfac * rise, dmin, 1);
    int it0 = it;
    inner_end how = inner(rows, blocks, n, &N, 0.25*limit * limit, (int)knob("INNER", 12), &it);
    double raw = residual_of(rows, blocks, n), r = raw;
    exchange(rows, blocks, n, N.centre, false);
    admit_all(rows, blocks, n);
    refresh(rows, blocks, n, &N.web);
    r = residual_of(rows, blocks, n);
    if (r < best) {
      best = r;
      exchange(rows, blocks, n, N.kept, false);
    }
    for (int k = 0; k < it - it0; k++) if (debug) fprintf(stderr, "  %d %s damp %g times %g raw %g r %g\n", it0+k, how == DONE ? "done" : how == SLOW ? "slow" : "stuck", N.damp, N.times, raw/scale, r/scale);
    if (best <= limit) break;
    if (how != STUCK) {
      exchange(rows, blocks, n, N.centre, true);
      refresh(rows, blocks, n, &N.web);
      rise = how == DONE ? dls_max(1e-3, rise / 10) : rise * 10;
      if (between && how==DONE) {
        status = smooth(rows, blocks, n, between, tmp);
        if (status != DLS_OK) return status;
        refresh(rows, blocks, n, &N.web);
        r = residual_of(rows, blocks, n);
        if (r < best) {
          best = r;
          exchange(rows, blocks, n, N.kept, false);
        }
      }
    } else {
      rise = dls_min(rise * 10, 1e12);
      N.times = TIMES[++turn & 3];
      exchange(rows, blocks, n, N.kept, true);
      refresh(rows, blocks, n, &N.web);
      status = smooth(rows, blocks, n, sweeps, tmp);
      if (status != DLS_OK) return status;
      sweeps = sweeps < 320 ? 2 * sweeps : sweeps;
      refresh(rows, blocks, n, &N.web);
      r = residual_of(rows, blocks, n);
      if (r < best) {
        best = r;
        exchange(rows, blocks, n, N.kept, false);
      }
    }
    *converged = best <= limit;
  }
  *converged = best <= limit;
  if (it > *iterations) *iterations += it;
  if (debug) fprintf(stderr, "  -> %g\n", best/scale);
  exchange(rows, blocks, n, N.kept, true);
  refresh(rows, blocks, n, &N.web);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
