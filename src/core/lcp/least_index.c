/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/least_index.h"

#include "core/lcp/basic.h"
#include "core/lcp/residual.h"
#include "core/lcp/scaling.h"
#include "core/lcp/trace.h"
#include "core/math/lanes.h"

#define ZERO 1e-12         /* of numbers near 1: smaller ones are round-off          */
#define MOST_WORK 1e9      /* operations the usual limit of pivots may cost          */
#define FRESH 64           /* pivots per row after which the tableau is made anew    */

typedef struct table {
  const dls_lcp *original; /* borrowed */
  dls_lcp scaled;         /* the equilibrated problem */
  dls_lcp_scaling scaling; /* between the two */
  size_t ld;              /* row distance of T */
  double *T, *q, *d, *f;  /* tableau, its right side, diagonal; scratch of the pivot */
  unsigned char *basis;   /* n: 1 where the row holds z                              */
  int *set;               /* n                                                       */
  double *best;           /* n: the best answer so far                               */
  double residual;        /* of it                                                   */
} table;

size_t dls_lcp_least_index_bytes(const dls_lcp *p) {
  const size_t n = (size_t)p->n, ld = dls_lanes_ld(p->n);
  size_t bytes = dls_arena_bytes(dls_bytes(n, n), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(dls_bytes(n, ld), sizeof(double)));
  for (int i = 0; i < 7; i++) bytes = dls_bytes_add(bytes, dls_arena_bytes(ld, sizeof(double)));
  bytes = dls_bytes_add(bytes, 2 * dls_lcp_scaling_bytes(p->n));
  return dls_bytes_add(bytes, dls_lcp_basic_bytes(p->n));
}

static bool prepare(table *t, dls_arena *tmp) {
  const size_t n = (size_t)t->original->n;
  t->ld = dls_lanes_ld((int)n);
  double *M = DLS_TAKE(tmp, double, n * n), *q = DLS_TAKE(tmp, double, n);
  t->T = DLS_TAKE(tmp, double, n * t->ld);
  t->q = DLS_TAKE(tmp, double, t->ld);
  t->d = DLS_TAKE(tmp, double, t->ld);
  t->f = DLS_TAKE(tmp, double, t->ld);
  t->best = DLS_TAKE(tmp, double, n);
  t->basis = DLS_TAKE(tmp, unsigned char, n);
  t->set = DLS_TAKE(tmp, int, n);
  if (M == NULL || q == NULL || t->set == NULL || t->T == NULL || t->basis == NULL ||
      !dls_lcp_scaling_take(&t->scaling, (int)n, tmp) ||
      dls_lcp_scaling_find(&t->scaling, t->original->M, t->original->q, tmp) != DLS_OK)
    return false;
  dls_lcp_scaling_q(&t->scaling, t->original->q, q);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      M[i * n + j] = t->scaling.row[i] * t->original->M[i * n + j] * t->scaling.col[j];
  t->scaled = (dls_lcp){.n = (int)n, .M = M, .q = q};
  return true;
}

static void pivot(table *t, int r) {
  dls_lanes_best()->pivot(t->scaled.n, dls_lanes_round(t->scaled.n), t->T, t->ld, t->q, t->d, t->f,
                          r);
}

/* The tableau of the present basis from M: its rows are pivoted in, the largest diagonal first.
** false: some cannot be. */
static bool remake(table *t) {
  const size_t n = (size_t)t->scaled.n, ld = t->ld;
  memset(t->T, 0, n * ld * sizeof *t->T);
  memset(t->q, 0, ld * sizeof *t->q);
  memset(t->d, 0, ld * sizeof *t->d);
  int left = 0;
  for (size_t i = 0; i < n; i++) {
    memcpy(t->T + i * ld, t->scaled.M + i * n, n * sizeof *t->T);
    t->q[i] = t->scaled.q[i];
    t->d[i] = t->T[i * ld + i];
    if (t->basis[i]) t->set[left++] = (int)i;
  }
  while (left > 0) {
    int best = 0;
    for (int k = 1; k < left; k++)
      if (fabs(t->d[t->set[k]]) > fabs(t->d[t->set[best]])) best = k;
    const int r = t->set[best];
    if (fabs(t->d[r]) <= ZERO) return false;
    pivot(t, r);
    t->set[best] = t->set[--left];
  }
  return true;
}

/* The answer of the present basis, kept if it is the best; M itself is solved. */
static void answer(table *t, dls_stop *stop, dls_arena *tmp, double *z, double *w) {
  const int n = t->scaled.n;
  double natural;
  int k = 0;
  for (int i = 0; i < n; i++)
    if (t->basis[i]) t->set[k++] = i;
  if (dls_lcp_basic(&t->scaled, t->set, k, stop, tmp, z) != DLS_OK) return;
  dls_lcp_scaling_z(&t->scaling, z, z);
  for (int i = 0; i < n; i++) z[i] = dls_max(z[i], 0.0);
  const double residual = dls_lcp_residual(t->original, z, w, &natural);
  if (!(residual < t->residual)) return;
  t->residual = residual;
  memcpy(t->best, z, (size_t)n * sizeof *z);
}

/* Takes the tableau to the units of M and q (into = true), or back: powers of two, so exactly. */
static void convert(table *t, bool into) {
  const int n = t->scaled.n;
  const dls_lcp_scaling *by = &t->scaling;
  for (int i = 0; i < n; i++) {
    const double row = t->basis[i] ? by->col[i] : 1.0 / by->row[i];
    for (int j = 0; j < n; j++) {
      const double col = t->basis[j] ? 1.0 / by->row[j] : by->col[j];
      double *T = &t->T[(size_t)i * t->ld + (size_t)j];
      *T = into ? *T * row / col : *T / row * col;
    }
    t->q[i] = into ? t->q[i] * by->s1 * row * by->s0 : t->q[i] / by->s0 / row / by->s1;
  }
}

static dls_status push(table *t, dls_lcp_trace *trace, int r) {
  if (trace == NULL) return DLS_OK;
  convert(t, true);
  dls_lcp_entry entry = {r, -1, r < 0 ? 0.0 : t->q[r], 0.0};
  for (int i = 0; i < t->scaled.n; i++)
    if (t->basis[i]) entry.energy += 0.5 * t->q[i] * t->original->q[i];
  const dls_status status =
      dls_lcp_trace_push(trace, entry, t->basis, t->q, t->T, (int)t->ld);
  convert(t, false);
  return status;
}

/* Pivots until no right side is negative (DLS_SOLVED, to round-off). */
static dls_status run(table *t, const dls_lcp_opts *opts, int most, dls_lcp_report *report,
                      dls_outcome *end) {
  const int n = t->scaled.n;
  int since = 0;
  *end = DLS_LIMIT;
  for (;;) {
    int r = 0;
    while (r < n && t->q[r] >= -ZERO) r++;
    const bool pivots = r < n && report->pivots < most && t->d[r] > ZERO;
    const dls_status status = push(t, opts->trace, pivots ? r : -1);
    if (status != DLS_OK) return status;
    if (r == n) *end = DLS_SOLVED;
    if (r == n || report->pivots >= most || dls_stop_poll(opts->stop, (double)n * n)) return DLS_OK;
    if (t->d[r] <= ZERO) {
      *end = DLS_UNSUITABLE;
      report->fault = (dls_fault){r, t->d[r] / (t->scaling.row[r] * t->scaling.col[r])};
      return DLS_OK;
    }
    pivot(t, r);
    t->basis[r] = !t->basis[r];
    report->pivots++;
    if (++since < FRESH * n) continue;
    since = 0;
    if (!remake(t)) return DLS_OK;
  }
}

static int usual_limit(int n) {
  const double by_work = MOST_WORK / ((double)n * (double)n);
  const double most = dls_max(dls_max(50.0 * n, 100.0), dls_min(by_work, 4e6));
  return most > 2e9 ? 2000000000 : (int)most;
}

dls_status dls_lcp_least_index(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp,
                               double *z, double *w, dls_lcp_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  const int n = p->n;
  table t;
  memset(&t, 0, sizeof t);
  t.original = p;
  t.residual = DLS_INF;
  memset(report, 0, sizeof *report);
  report->method = "least-index";
  report->fault.index = -1;
  dls_status status = DLS_OK;
  dls_outcome end = DLS_SOLVED;
  if (n > 0) {
    if (!prepare(&t, tmp)) {
      dls_arena_release(tmp, mark);
      return DLS_FULL;
    }
    memset(t.best, 0, (size_t)n * sizeof *t.best);
    for (int i = 0; i < n; i++) t.basis[i] = opts->start != NULL && opts->start[i] > 0.0;
    if (!remake(&t)) {
      memset(t.basis, 0, (size_t)n);
      (void)remake(&t);
    }
    status = run(&t, opts, opts->max_pivots > 0 ? opts->max_pivots : usual_limit(n), report, &end);
    answer(&t, opts->stop, tmp, z, w);
    memcpy(z, t.best, (size_t)n * sizeof *z);
  }
  dls_lcp_judge(p, opts, z, w, end, report);
  dls_arena_release(tmp, mark);
  return status;
}
