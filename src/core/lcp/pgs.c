/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/pgs.h"

#include "core/lcp/residual.h"
#include "core/math/lanes.h"

#define MOST_SWEEPS 10000
#define SWEEPS_A_CHECK 8    /* the residual costs one sweep                         */
#define MOST_STALLED 40     /* checks without a better residual before it gives up  */

size_t dls_lcp_pgs_bytes(const dls_lcp *p) {
  return dls_bytes_add(dls_arena_bytes((size_t)p->n, sizeof(double)),
                       dls_arena_bytes((size_t)p->n, sizeof(double)));
}

static double row_times(const dls_lcp *p, int i, const double *z) {
  if (p->M != NULL)
    return dls_lanes_best()->dot(p->n, p->M + (size_t)i * (size_t)p->n, z);
  double s = 0.0;
  for (int e = p->S->start[i]; e < p->S->start[i + 1]; e++)
    s += p->S->value[e] * z[p->S->col[e]];
  return s;
}

static bool zero_row(const dls_lcp *p, int i) {
  if (p->M != NULL)
    return dls_lanes_best()->amax(p->n, p->M + (size_t)i * (size_t)p->n) == 0.0;
  for (int e = p->S->start[i]; e < p->S->start[i + 1]; e++)
    if (p->S->value[e] != 0.0) return false;
  return true;
}

/* Diagonal of M, 0 where a row is passed over; false: the matrix is not suitable. */
static bool diagonal(const dls_lcp *p, double *d, dls_fault *fault) {
  for (int i = 0; i < p->n; i++) {
    d[i] = dls_lcp_at(p, i, i);
    if (d[i] > 0.0 || (p->q[i] >= 0.0 && zero_row(p, i))) continue;
    *fault = (dls_fault){i, d[i]};
    return false;
  }
  return true;
}

static void sweep(const dls_lcp *p, dls_stop *stop, const double *d, double omega, double *z) {
  const double row = p->M != NULL ? p->n : 10.0;
  for (int i = 0; i < p->n && !dls_stop_poll(stop, row); i++)
    if (d[i] > 0.0)
      z[i] = dls_max(0.0, z[i] - omega * ((row_times(p, i, z) + p->q[i]) / d[i]));
}

/* Sweeps until the tolerance is met, the limit reached or nothing is gained any more; best (n)
** holds the z of least residual. */
static void run(const dls_lcp *p, const dls_lcp_opts *opts, const double *d, double *z, double *w,
                double *best, dls_lcp_report *report) {
  const int most = opts->max_iterations > 0 ? opts->max_iterations : MOST_SWEEPS;
  const double omega = opts->relaxation > 0.0 ? opts->relaxation : 1.0;
  double least = DLS_INF, natural;
  int stalled = 0;
  for (int k = 0;; k++) {
    if (k % SWEEPS_A_CHECK == 0 || k == most) {
      const double residual = dls_lcp_residual(p, z, w, &natural);
      stalled = residual < least ? 0 : stalled + 1;
      if (residual < least) {
        least = residual;
        memcpy(best, z, (size_t)p->n * sizeof *best);
      }
      if (residual <= opts->tolerance || residual == DLS_INF || stalled > MOST_STALLED) return;
    }
    if (k == most || dls_stop_poll(opts->stop, p->n)) return;
    sweep(p, opts->stop, d, omega, z);
    report->iterations = k + 1;
  }
}

dls_status dls_lcp_pgs(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                       double *w, dls_lcp_report *report) {
  const size_t mark = dls_arena_mark(tmp), n = (size_t)p->n;
  double *d = DLS_TAKE(tmp, double, n), *best = DLS_TAKE(tmp, double, n);
  if (d == NULL || best == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  memset(report, 0, sizeof *report);
  report->method = "pgs";
  report->fault.index = -1;
  for (size_t i = 0; i < n; i++)
    z[i] = best[i] = opts->start == NULL ? 0.0 : dls_max(opts->start[i], 0.0);
  const bool suitable = diagonal(p, d, &report->fault);
  if (suitable) run(p, opts, d, z, w, best, report);
  memcpy(z, best, n * sizeof *z);
  dls_lcp_judge(p, opts, z, w, suitable ? DLS_LIMIT : DLS_UNSUITABLE, report);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
