/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ode/linear.h"

/* Step of the differences: error h^4 of fifth derivatives against rounding / h. */
#define STEP 1e-3
#define LONGEST 0.5 /* rad, m: a Newton step is not trusted beyond */
#define RATE_WORK 500 /* multiplications that one evaluation takes a degree of freedom, at least */

typedef struct room {
  double *q;      /* nq                                   */
  double *d, *u;  /* nu: displacement, velocity           */
  double *column; /* 2 nu: derivative of x'               */
  double *value;  /* 2 nu: x' at one place                */
  double *K, *N;  /* nu x nu: stiffness, normal equations */
  double *f, *s;  /* nu: residual, step                   */
} room;

size_t dls_ode_linear_bytes(int nq, int nu) {
  const size_t n = (size_t)nq, m = (size_t)nu;
  return dls_arena_bytes(n + 8 * m + 2 * m * m, sizeof(double));
}

static bool take(dls_arena *tmp, const dls_ode *ode, room *r) {
  const size_t n = (size_t)ode->nq, m = (size_t)ode->nu;
  double *at = DLS_TAKE(tmp, double, n + 8 * m + 2 * m * m);
  if (at == NULL) return false;
  *r = (room){.q = at, .d = at + n};
  r->u = r->d + m;
  r->column = r->u + m;
  r->value = r->column + 2 * m;
  r->f = r->value + 2 * m;
  r->s = r->f + m;
  r->K = r->s + m;
  r->N = r->K + m * m;
  return true;
}

/* x' at displacement d and velocity u from q. */
static dls_status rate(const dls_ode *ode, double t, const double *q, const double *d,
                       const double *u, room *r) {
  if (dls_stop_poll(ode->stop, (double)RATE_WORK * ode->nu)) return DLS_STOPPED;
  memcpy(r->q, q, (size_t)ode->nq * sizeof *q);
  dls_ode_advance(ode, r->q, 1, d);
  if (ode->chart_rate != NULL)
    ode->chart_rate(ode->ctx, d, u, r->value);
  else
    memcpy(r->value, u, (size_t)ode->nu * sizeof *u);
  return ode->accelerate(ode->ctx, t, r->q, u, r->value + ode->nu);
}

/* Derivative of x' in one component of x = (d; u), which stands at *x: (8 (f1 - f-1) - (f2 -
** f-2))/12h. */
static dls_status differentiate(const dls_ode *ode, double t, const double *q, double *x,
                                double far, room *r) {
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
  const double middle = *x, h = STEP * dls_max(far, fabs(middle));
  for (int i = 0; i < 2 * ode->nu; i++) r->column[i] = 0;
  for (int k = 0; k < 4; k++) {
    *x = middle + at[k] * h;
    const dls_status status = rate(ode, t, q, r->d, r->u, r);
    *x = middle;
    if (status != DLS_OK) return status;
    for (int i = 0; i < 2 * ode->nu; i++) r->column[i] += weight[k] * r->value[i];
  }
  for (int i = 0; i < 2 * ode->nu; i++) r->column[i] /= 12 * h;
  return DLS_OK;
}

dls_status dls_ode_linearize(const dls_ode *ode, double t, const double *q, const double *u,
                             dls_arena *tmp, double *A) {
  const size_t mark = dls_arena_mark(tmp), n = 2 * (size_t)ode->nu;
  room r;
  if (!take(tmp, ode, &r)) return DLS_FULL;
  memset(r.d, 0, (size_t)ode->nu * sizeof(double));
  memcpy(r.u, u, (size_t)ode->nu * sizeof(double));
  dls_status status = DLS_OK;
  for (size_t j = 0; j < n && status == DLS_OK; j++) {
    const bool position = j < (size_t)ode->nu;
    const double far = position && ode->far ? ode->far[j] : 1;
    status = differentiate(ode, t, q, position ? &r.d[j] : &r.u[j - (size_t)ode->nu], far, &r);
    for (size_t i = 0; i < n && status == DLS_OK; i++) A[i * n + j] = r.column[i];
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* The step of least norm for K s = -f: (K K' + eps) y = -f, s = K' y, by Cholesky; eps far below
** what stiffness there is. Worth nothing where it is stopped. */
static void least_step(int n, dls_stop *stop, room *r) {
  const size_t m = (size_t)n;
  double trace = 0;
  for (size_t i = 0; i < m && !dls_stop_poll(stop, (double)(i * m)); i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (size_t k = 0; k < m; k++) sum += r->K[i * m + k] * r->K[j * m + k];
      r->N[i * m + j] = sum;
      if (i == j) trace += sum;
    }
  for (size_t i = 0; i < m && !dls_stop_poll(stop, 0.5 * (double)(i * i)); i++) {
    r->N[i * m + i] += 1e-14 * trace;
    for (size_t j = 0; j <= i; j++) {
      double sum = r->N[i * m + j];
      for (size_t k = 0; k < j; k++) sum -= r->N[i * m + k] * r->N[j * m + k];
      r->N[i * m + j] = j < i ? sum / r->N[j * m + j] : sqrt(dls_max(sum, 1e-16 * trace));
    }
  }
  double *y = r->column;
  for (size_t i = 0; i < m; i++) {
    y[i] = -r->f[i];
    for (size_t k = 0; k < i; k++) y[i] -= r->N[i * m + k] * y[k];
    y[i] = r->N[i * m + i] > 0 ? y[i] / r->N[i * m + i] : 0;
  }
  for (size_t i = m; i-- > 0;) {
    for (size_t k = i + 1; k < m; k++) y[i] -= r->N[k * m + i] * y[k];
    y[i] = r->N[i * m + i] > 0 ? y[i] / r->N[i * m + i] : 0;
  }
  for (size_t i = 0; i < m; i++) {
    r->s[i] = 0;
    for (size_t k = 0; k < m; k++) r->s[i] += r->K[k * m + i] * y[k];
  }
}

/* max |udot| at q (+) s; f keeps udot. */
static dls_status measure(const dls_ode *ode, double t, const double *q, const double *s, room *r,
                          double *most) {
  const dls_status status = rate(ode, t, q, s, r->u, r);
  *most = 0;
  for (int i = 0; i < ode->nu && status == DLS_OK; i++) {
    r->f[i] = r->value[ode->nu + i];
    *most = dls_max(*most, fabs(r->f[i]));
  }
  return status;
}

dls_status dls_ode_equilibrium(const dls_ode *ode, double t, double tolerance, int max_iterations,
                               dls_arena *tmp, double *q, dls_equilibrium *report) {
  const size_t mark = dls_arena_mark(tmp), m = (size_t)ode->nu;
  room r;
  if (!take(tmp, ode, &r)) return DLS_FULL;
  memset(r.d, 0, m * sizeof(double));
  memset(r.u, 0, m * sizeof(double));
  double now, largest, tried;
  dls_status status = measure(ode, t, q, r.d, &r, &now);
  largest = now;
  *report = (dls_equilibrium){now == 0, 0, now > 0 ? 1 : 0};
  while (status == DLS_OK && !report->converged && report->iterations < max_iterations) {
    for (size_t j = 0; j < m && status == DLS_OK; j++) {
      status = differentiate(ode, t, q, &r.d[j], 1, &r);
      for (size_t i = 0; i < m; i++) r.K[i * m + j] = r.column[m + i];
    }
    if (status == DLS_OK) status = measure(ode, t, q, r.d, &r, &now);
    if (status != DLS_OK) break;
    least_step(ode->nu, ode->stop, &r);
    double longest = 0;
    for (size_t i = 0; i < m; i++) longest = dls_max(longest, fabs(r.s[i]));
    double share = longest > LONGEST ? LONGEST / longest : 1; /* halved until the residual falls */
    for (int k = 0; k < 30; k++, share *= 0.5) {
      for (size_t i = 0; i < m; i++) r.column[i] = share * r.s[i];
      status = measure(ode, t, q, r.column, &r, &tried);
      if (status != DLS_OK || tried < now) break;
    }
    if (status != DLS_OK || !(tried < now)) break;
    for (size_t i = 0; i < m; i++) r.column[i] = share * r.s[i];
    dls_ode_advance(ode, q, 1, r.column);
    now = tried;
    report->iterations++;
    report->residual = now / largest;
    report->converged = report->residual <= tolerance;
  }
  dls_arena_release(tmp, mark);
  return status;
}
