/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/newton.h"

#include "core/lcp/basic.h"
#include "core/lcp/residual.h"
#include "core/lcp/scaling.h"
#include "core/math/dense.h"

#define MOST_STEPS 200
#define MEMORY 5            /* merits a new one is compared with      */
#define HALVINGS 12         /* of a Newton step                       */
#define DESCENT_HALVINGS 40 /* of a step of descent                   */
#define DECREASE 1e-4       /* share of the predicted one to be found */
/* steps without a new low of the merit, from which on every step must lower it ... */
#define PATIENCE 8
/* most that mu is, |phi| being the other bound; Levenberg and Marquardt */
#define REGULAR 1e-3
#define BETTER 0.9          /* ... a new low being at most this times the last */

typedef struct newton {
  const dls_lcp *original; /* borrowed */
  const dls_lcp_opts *opts; /* borrowed */
  dls_arena *tmp;         /* where the arrays are */
  dls_lcp scaled;         /* the equilibrated problem */
  dls_lcp_scaling scaling; /* between the two */
  size_t ld;              /* row distance of J */
  double *J;              /* n x ld                                       */
  int *set;               /* n: also the order of the factors             */
  double *z, *w, *phi;    /* n: iterate, its image, phi                   */
  double *step, *trial;   /* n                                            */
  double *a, *b;          /* n: derivatives of phi by z and w; w of trial */
  double *answer, *image; /* n: the iterate in the units of the problem   */
  double recent[MEMORY];  /* merits                                       */
  double least;           /* residual of the best answer                  */
} newton;

size_t dls_lcp_newton_bytes(const dls_lcp *p) {
  const size_t n = (size_t)p->n, ld = dls_lanes_ld(p->n);
  size_t bytes = dls_arena_bytes(dls_bytes(n, n), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(dls_bytes(n, ld), sizeof(double)));
  for (int i = 0; i < 11; i++) bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(double)));
  bytes = dls_bytes_add(bytes, 2 * dls_lcp_scaling_bytes(p->n));
  return dls_bytes_add(bytes, dls_lcp_basic_bytes(p->n));
}

static bool prepare(newton *s) {
  const size_t n = (size_t)s->original->n;
  double *M = DLS_TAKE(s->tmp, double, n * n), *q = DLS_TAKE(s->tmp, double, n);
  s->ld = dls_lanes_ld((int)n);
  s->J = DLS_TAKE(s->tmp, double, n * s->ld);
  double **const arrays[] = {&s->z,     &s->w, &s->phi, &s->step,  &s->trial,
                             &s->a,     &s->b, &s->answer, &s->image};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = DLS_TAKE(s->tmp, double, n);
  s->set = DLS_TAKE(s->tmp, int, n);
  if (s->set == NULL || M == NULL || s->J == NULL ||
      !dls_lcp_scaling_take(&s->scaling, (int)n, s->tmp) ||
      dls_lcp_scaling_find(&s->scaling, s->original->M, s->original->q, s->tmp) != DLS_OK)
    return false;
  dls_lcp_scaling_q(&s->scaling, s->original->q, q);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      M[i * n + j] = s->scaling.row[i] * s->original->M[i * n + j] * s->scaling.col[j];
  s->scaled = (dls_lcp){.n = (int)n, .M = M, .q = q};
  for (size_t i = 0; i < n; i++) {
    const double start = s->opts->start == NULL ? 0.0 : s->opts->start[i];
    s->z[i] = start / s->scaling.s0 / s->scaling.col[i] / s->scaling.s1;
  }
  return true;
}

/* phi without the cancellation of its definition where both numbers are positive. */
static double fischer(double z, double w) {
  const double size = dls_max(fabs(z), fabs(w));
  if (size == 0.0) return 0.0;
  const double x = z / size, y = w / size, root = sqrt(x * x + y * y);
  return z > 0.0 && w > 0.0 ? -2.0 * size * (x * y) / (root + x + y) : size * (root - x - y);
}

static double merit_at(const newton *s, const double *z, double *w) {
  double merit = 0.0;
  dls_lcp_image(&s->scaled, z, w);
  for (int i = 0; i < s->scaled.n; i++) {
    const double phi = fischer(z[i], w[i]);
    merit += 0.5 * phi * phi;
  }
  return merit;
}

/* Keeps the iterate in z_best if its residual is the least; answers it. */
static double offer(newton *s, double *z_best) {
  const int n = s->scaled.n;
  double natural;
  dls_lcp_scaling_z(&s->scaling, s->z, s->answer);
  for (int i = 0; i < n; i++) s->answer[i] = dls_max(s->answer[i], 0.0);
  const double residual =
      dls_lcp_residual_to(s->original, s->opts->tolerance, s->answer, s->image, &natural);
  if (residual < s->least) {
    s->least = residual;
    memcpy(z_best, s->answer, (size_t)n * sizeof *z_best);
  }
  return residual;
}

/* Tries z + t step for t = 1, 1/2, ...; slope is the derivative of the merit predicted at t = 0. */
static bool search(newton *s, double reference, double slope, int halvings) {
  const int n = s->scaled.n;
  double t = 1.0;
  for (int k = 0; k < halvings; k++, t *= 0.5) {
    for (int i = 0; i < n; i++) s->trial[i] = s->z[i] + t * s->step[i];
    const double merit = merit_at(s, s->trial, s->b);
    if (dls_stop_poll(s->opts->stop, (double)n * n)) return false;
    if (!(merit <= reference + DECREASE * t * slope)) continue;
    memcpy(s->z, s->trial, (size_t)n * sizeof *s->z);
    memcpy(s->w, s->b, (size_t)n * sizeof *s->w);
    for (int m = MEMORY - 1; m > 0; m--) s->recent[m] = s->recent[m - 1];
    s->recent[0] = merit;
    return true;
  }
  return false;
}

/* Pairs with z_i = w_i count as active, as in stacks at rest; inactive where that is singular. */
static bool min_step(newton *s) {
  for (int strict = 0; strict < 2; strict++) {
    int k = 0;
    for (int i = 0; i < s->scaled.n; i++)
      if (s->z[i] > s->w[i] || (!strict && s->z[i] == s->w[i])) s->set[k++] = i;
    if (dls_lcp_basic(&s->scaled, s->set, k, s->opts->stop, s->tmp, s->step) != DLS_OK) continue;
    for (int i = 0; i < s->scaled.n; i++) s->step[i] -= s->z[i];
    return true;
  }
  return false;
}

/* phi and its derivatives by z_i (a) and w_i (b); at the kink those of the direction (1, 1). */
static void linearise(newton *s) {
  for (int i = 0; i < s->scaled.n; i++) {
    const double size = dls_max(fabs(s->z[i]), fabs(s->w[i]));
    const double x = size == 0.0 ? 1.0 : s->z[i] / size, y = size == 0.0 ? 1.0 : s->w[i] / size;
    const double root = sqrt(x * x + y * y);
    s->phi[i] = fischer(s->z[i], s->w[i]);
    s->a[i] = x / root - 1.0;
    s->b[i] = y / root - 1.0;
  }
}

/* (D_a - mu I + D_b M) step = -phi; mu > 0 keeps the matrix from being singular where M is P0. */
static bool phi_step(newton *s, double mu) {
  const size_t n = (size_t)s->scaled.n;
  linearise(s);
  memset(s->J, 0, n * s->ld * sizeof *s->J);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) s->J[i * s->ld + j] = s->b[i] * s->scaled.M[i * n + j];
    s->J[i * s->ld + i] += s->a[i] - mu;
    s->trial[i] = -s->phi[i];
  }
  if (dls_dense_lu_stop((int)n, s->J, s->ld, s->set, s->opts->stop) >= 0) return false;
  dls_dense_lu_solve((int)n, s->J, s->ld, s->set, s->trial, s->step);
  for (size_t i = 0; i < n; i++)
    if (!dls_is_finite(s->step[i])) return false;
  return true;
}

/* step = -grad psi = -(D_a + M' D_b) phi; answers the slope, - |grad psi|^2. */
static double descent_step(newton *s) {
  const size_t n = (size_t)s->scaled.n;
  linearise(s);
  for (size_t i = 0; i < n; i++) {
    s->step[i] = -s->a[i] * s->phi[i];
    s->trial[i] = -s->b[i] * s->phi[i];
  }
  dls_lanes_best()->gemv_t((int)n, (int)n, s->scaled.M, n, s->trial, s->step);
  return -dls_lanes_best()->dot((int)n, s->step, s->step);
}

static double worst_recent(const newton *s) {
  double worst = s->recent[0];
  for (int m = 1; m < MEMORY; m++) worst = dls_max(worst, s->recent[m]);
  return worst;
}

/* The merit where it starts: from the start that was given, or from zero where that is nearer. */
static double begin(newton *s) {
  const size_t bytes = (size_t)s->scaled.n * sizeof *s->trial;
  const double given = merit_at(s, s->z, s->w);
  if (s->opts->start == NULL) return given;
  memset(s->trial, 0, bytes);
  const double zero = merit_at(s, s->trial, s->b);
  if (given <= zero) return given;
  memset(s->z, 0, bytes);
  memcpy(s->w, s->b, bytes);
  return zero;
}

static void run(newton *s, double *z_best, dls_lcp_report *report) {
  const int most = s->opts->max_iterations > 0 ? s->opts->max_iterations : MOST_STEPS;
  const double merit = begin(s);
  for (int m = 0; m < MEMORY; m++) s->recent[m] = merit;
  double best = merit;
  int since = 0; /* steps since the merit last reached a new low */
  for (int k = 0; offer(s, z_best) > s->opts->tolerance && k < most; k++) {
    const double now = s->recent[0];
    since = now < BETTER * best ? 0 : since + 1;
    best = dls_min(best, now);
    const bool strict = since > PATIENCE;
    const double reference = strict ? now : worst_recent(s);
    report->iterations = k + 1;
    if (!strict && min_step(s) && search(s, reference, -2.0 * now, HALVINGS)) continue;
    const double mu = strict ? dls_min(REGULAR, sqrt(2.0 * now)) : 0.0;
    if (phi_step(s, mu) && search(s, reference, -2.0 * now, HALVINGS)) continue;
    if (!search(s, now, descent_step(s), DESCENT_HALVINGS)) return;
  }
}

dls_status dls_lcp_newton(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                          double *w, dls_lcp_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  newton s;
  memset(&s, 0, sizeof s);
  s.original = p;
  s.opts = opts;
  s.tmp = tmp;
  s.least = DLS_INF;
  memset(report, 0, sizeof *report);
  report->method = "newton";
  report->fault.index = -1;
  for (int i = 0; i < p->n; i++) z[i] = 0.0;
  if (p->n > 0) {
    if (!prepare(&s)) {
      dls_arena_release(tmp, mark);
      return DLS_FULL;
    }
    run(&s, z, report);
  }
  dls_lcp_judge(p, opts, z, w, DLS_LIMIT, report);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
