/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/nsgs.h"

/* Sweeps of the stand-alone method. */
#define SWEEPS 20000

size_t dls_cone_nsgs_bytes(const dls_cone_problem *pr) {
  size_t n = dls_arena_bytes((size_t)pr->n_rows, sizeof(double));
  return dls_bytes_add(dls_bytes_add(n, n),
                       dls_bytes_add(dls_cone_sweeper_bytes(pr), dls_cone_system_bytes(pr)));
}

dls_status dls_cone_nsgs(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                         double *p, double *v, dls_cone_report *report) {
  size_t mark = dls_arena_mark(tmp);
  dls_cone_system sys;
  dls_cone_sweeper sweeper;
  *report = (dls_cone_report){.outcome = DLS_LIMIT, .method = "nsgs", .fault = {-1, 0}};
  dls_status status = dls_cone_system_build(pr, tmp, &sys, &report->fault);
  double *z = DLS_TAKE(tmp, double, pr->n_rows), *u = DLS_TAKE(tmp, double, pr->n_rows);
  if (status == DLS_OK) status = z && u ? dls_cone_sweeper_take(&sys, tmp, &sweeper) : DLS_FULL;
  if (status == DLS_OK) {
    const double asked = opts->tolerance / 2;
    const int limit = opts->max_iterations > 0 ? opts->max_iterations : SWEEPS;
    dls_cone_system_start(&sys, opts->start, z);
    double least = dls_cone_sweeps(&sweeper, asked, limit, z, u, &report->iterations);
    if (least > asked)
      dls_cone_sweeps_damped(&sweeper, asked, limit - report->iterations, z, u,
                             &report->iterations);
    dls_cone_system_finish(&sys, z, p);
    dls_cone_admit(pr, p);
    dls_cone_judge(pr, opts, p, v, DLS_LIMIT, report);
  }
  dls_arena_release(tmp, mark);
  return status;
}
