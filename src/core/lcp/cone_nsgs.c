/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/cone_nsgs.h"

/* Sweeps of the stand-alone method; between two looks at the true residual. */
#define SWEEPS 20000
#define LOOK 25
/* After PLAIN sweeps moves are stretched by FIRST (over-relaxation, back into the set); after
** PATIENCE looks without progress they are cut by CUT, never below LEAST: the sweeps may run round
** a circle where friction is large. */
#define PLAIN 10
#define FIRST 1.5
#define PATIENCE 4
#define CUT 0.8
#define LEAST 0.3

/* One sweep; returns the largest change of impulse, as a velocity. */
static double sweep(const dls_cone_system *sys, dls_cone_local *locals, double part, double *z) {
  double most = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    double off[DLS_CONE_ROWS], old[DLS_CONE_ROWS], *z_g = z + sys->groups[g].row, move = 0;
    int d = sys->dim[g];
    dls_cone_system_off(sys, g, z, off);
    for (int k = 0; k < d; k++) old[k] = z_g[k];
    dls_cone_local_solve(sys, g, &locals[g], off, z_g);
    for (int k = 0; part != 1 && k < d; k++) z_g[k] = old[k] + part * (z_g[k] - old[k]);
    if (part > 1) dls_cone_system_admit(sys, g, z_g);
    for (int k = 0; k < d; k++) move = dls_max(move, fabs(z_g[k] - old[k]));
    most = dls_max(most, move * sys->norm[g]);
  }
  return most;
}

double dls_cone_sweeps(const dls_cone_system *sys, dls_cone_local *locals, double tolerance,
                       int sweeps, double *z, double *u, double *best, int *done) {
  size_t bytes = (size_t)sys->n * sizeof(double);
  dls_cone_system_image(sys, z, true, u);
  double least = dls_cone_system_residual(sys, z, u);
  double part = FIRST;
  int idle = 0;
  memcpy(best, z, bytes);
  for (int k = 1; k <= sweeps && !(least <= tolerance); k++) {
    double moved = sweep(sys, locals, k <= PLAIN && part > 1 ? 1 : part, z);
    ++*done;
    if (moved > tolerance * sys->scale && k % LOOK != 0 && k != sweeps) continue;
    dls_cone_system_image(sys, z, true, u);
    double now = dls_cone_system_residual(sys, z, u);
    if (now < least) {
      least = now;
      memcpy(best, z, bytes);
      idle = 0;
    } else if (++idle > PATIENCE) {
      part = dls_max(part * CUT, LEAST);
      idle = 0;
    }
    if (moved == 0) break; /* a fixed point in this arithmetic */
  }
  memcpy(z, best, bytes);
  dls_cone_system_image(sys, z, true, u);
  return least;
}

size_t dls_cone_nsgs_bytes(const dls_cone_problem *pr) {
  size_t n = dls_arena_bytes((size_t)pr->n_rows, sizeof(double)), sum = 0;
  sum = dls_bytes_add(dls_bytes_add(n, n), n);
  sum = dls_bytes_add(sum, dls_arena_bytes((size_t)pr->n_groups, sizeof(dls_cone_local)));
  return dls_bytes_add(sum, dls_cone_system_bytes(pr));
}

dls_status dls_cone_nsgs(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                         double *p, double *v, dls_cone_report *report) {
  size_t mark = dls_arena_mark(tmp);
  dls_cone_system sys;
  *report = (dls_cone_report){.outcome = DLS_LIMIT, .method = "nsgs", .fault = {-1, 0}};
  dls_status status = dls_cone_system_build(pr, tmp, &sys, &report->fault);
  double *z = DLS_TAKE(tmp, double, pr->n_rows), *u = DLS_TAKE(tmp, double, pr->n_rows);
  double *best = DLS_TAKE(tmp, double, pr->n_rows);
  dls_cone_local *locals = DLS_TAKE(tmp, dls_cone_local, pr->n_groups);
  if (status == DLS_OK && (!z || !u || !best || !locals)) status = DLS_FULL;
  if (status == DLS_OK) {
    for (int g = 0; g < sys.n_groups; g++) dls_cone_local_make(&sys, g, &locals[g]);
    dls_cone_system_start(&sys, opts->start, z);
    dls_cone_sweeps(&sys, locals, opts->tolerance / 2,
                    opts->max_iterations > 0 ? opts->max_iterations : SWEEPS, z, u, best,
                    &report->iterations);
    dls_cone_system_finish(&sys, z, p);
    dls_cone_admit(pr, p);
    dls_cone_judge(pr, opts, p, v, DLS_LIMIT, report);
  }
  dls_arena_release(tmp, mark);
  return status;
}
