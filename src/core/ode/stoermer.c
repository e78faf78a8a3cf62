/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ode/ode.h"

/* Stoermer's method of order six for y'' = g(t, y, y'), in the summed form
**
**   d_n = d_{n-1} + h sum_j s_j g_{n-j},   y_{n+1} = y_n + h d_n,
**
** which loses less to rounding than y_{n+1} - 2 y_n + y_{n-1}. y are the nq coordinates;
** quaternions are made unit after each step and d follows, so that both stay on one path. The first
** five steps come from Dormand & Prince at a tolerance near rounding, as the method needs starting
** values of order h^7. Coefficients: EQUATIONS C.5 (weights of g_n, g_{n-1}, ..., g_{n-5}). Source:
** E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, III.10. */

#define K 6
static const double stoermer[K] = {317.0 / 240, -133.0 / 120, 187.0 / 120,
                                   -23.0 / 20,  109.0 / 240,  -3.0 / 40};
static const double adams[K] = {4277.0 / 1440, -2641.0 / 480, 4991.0 / 720,
                                -3649.0 / 720, 959.0 / 480,   -95.0 / 288};
static const double kappa[K] = {19087.0 / 10080, -19987.0 / 5040, 25561.0 / 5040,
                                -9403.0 / 2520,  14879.0 / 10080, -1231.0 / 5040};
/* correctors: weights of g_{n+1}, g_n, ..., g_{n-4} */
static const double cowell[K] = {3.0 / 40, 209.0 / 240, 1.0 / 60, 7.0 / 120, -1.0 / 40, 1.0 / 240};
static const double moulton[K] = {95.0 / 288,  1427.0 / 1440, -133.0 / 240,
                                  241.0 / 720, -173.0 / 1440, 3.0 / 160};

/* Starting values: rounding, not the tolerance, should be what limits them. */
#define START_RTOL 1e-13
#define START_ATOL 1e-15

/* What is kept between steps lies behind the stages of the starter. */
typedef struct history {
  double *g;      /* 6 x nq: y'' at t_n, t_{n-1}, ...           */
  double *d;      /* nq: (y_n - y_{n-1})/h                      */
  double *v;      /* nq: y'_n                                   */
  double *y;      /* nq: y_{n+1}                                */
  double *v_next; /* nq: y'_{n+1}                               */
  double *g_next; /* nq: y''_{n+1}                              */
  double *d_next; /* nq                                         */
  double *u, *udot; /* nu: of the state being tried             */
} history;

static history history_of(const dls_ode_run *run) {
  const size_t nq = (size_t)run->ode.nq, nu = (size_t)run->ode.nu;
  double *at = run->work + 16 * nu + nq; /* 8 x 2 nu and nq belong to runge.c */
  history x = {.g = at};
  x.d = at + 6 * nq;
  x.v = x.d + nq;
  x.y = x.v + nq;
  x.v_next = x.y + nq;
  x.g_next = x.v_next + nq;
  x.d_next = x.g_next + nq;
  x.u = x.d_next + nq;
  x.udot = x.u + nu;
  return x;
}

/* u of (y, y') and y'' there. What v has along a quaternion is dropped: left in, it and an error of
** the spin feed each other as exp(|omega| t/2), whatever the step is. (In the plane, y = exp(i
** theta) with theta' = W and v = (a + i b) y: a' = b (W - b) and b' = -a W, a saddle at a = 0, b =
** W.) */
static dls_status evaluate(dls_ode_run *run, double t, const double *y, double *v, const history *x,
                           double *g) {
  const dls_ode *ode = &run->ode;
  if (ode->velocities_of != NULL)
    ode->velocities_of(ode->ctx, y, v, x->u);
  else
    memcpy(x->u, v, (size_t)ode->nu * sizeof *v);
  const dls_status status = dls_ode_accelerate(run, t, y, x->u, x->udot);
  if (status == DLS_OK) dls_ode_rates(ode, y, x->u, x->udot, v, g);
  return status;
}

static void push(const dls_ode_run *run, const history *x, const double *g) {
  const size_t nq = (size_t)run->ode.nq;
  memmove(x->g + nq, x->g, (K - 1) * nq * sizeof(double));
  memcpy(x->g, g, nq * sizeof(double));
}

/* sum_j w_j g_{n-j} of component i; first: what stands before the history (g_{n+1}) or NULL. */
static double weigh(const double *w, const double *first, const double *g, size_t nq, size_t i) {
  double sum = 0;
  if (first != NULL) {
    sum = w[0] * first[i];
    for (size_t j = 1; j < K; j++) sum += w[j] * g[(j - 1) * nq + i];
  } else {
    for (size_t j = 0; j < K; j++) sum += w[j] * g[j * nq + i];
  }
  return sum;
}

/* One step of the starter, to the step's end at a tolerance near rounding. */
static dls_status start(dls_ode_run *run, const history *x, double h) {
  const size_t nq = (size_t)run->ode.nq, nu = (size_t)run->ode.nu;
  if (run->n_history == 0) {
    const dls_status status = dls_ode_accelerate(run, run->t, run->q, run->u, x->udot);
    if (status != DLS_OK) return status;
    dls_ode_rates(&run->ode, run->q, run->u, x->udot, x->v, x->g);
    run->n_history = 1;
  }
  dls_ode_run fine = *run;
  fine.opts.rtol = START_RTOL;
  fine.opts.atol = START_ATOL;
  fine.next_dt = h / 4;
  fine.q = x->y;
  fine.u = x->u;
  memcpy(fine.q, run->q, nq * sizeof(double));
  memcpy(fine.u, run->u, nu * sizeof(double));
  const double to = run->t + h;
  while (fine.t < to) {
    const dls_status status = dls_ode_dopri5(&fine, to);
    if (status != DLS_OK) return status;
  }
  const dls_status status = dls_ode_accelerate(&fine, to, x->y, x->u, x->udot);
  if (status != DLS_OK) return status;
  dls_ode_rates(&run->ode, x->y, x->u, x->udot, x->v, x->g_next);
  push(run, x, x->g_next);
  for (size_t i = 0; i < nq; i++) x->d[i] = (x->y[i] - run->q[i]) / h;
  memcpy(run->q, x->y, nq * sizeof(double));
  memcpy(run->u, x->u, nu * sizeof(double));
  run->stats.evaluations = fine.stats.evaluations;
  run->stats.steps++;
  run->n_history++;
  run->t = to;
  return DLS_OK;
}

/* d_next, y from the weights; then unit quaternions, d following. */
static void move(dls_ode_run *run, const history *x, const double *w, const double *first,
                 double h) {
  const size_t nq = (size_t)run->ode.nq;
  for (size_t i = 0; i < nq; i++) {
    x->d_next[i] = x->d[i] + h * weigh(w, first, x->g, nq, i);
    x->y[i] = run->q[i] + h * x->d_next[i];
  }
  if (run->ode.normalise == NULL) return;
  double *raw = run->work;
  memcpy(raw, x->y, nq * sizeof(double));
  const double defect = run->ode.normalise(run->ode.ctx, x->y);
  run->stats.defect = dls_max(run->stats.defect, defect);
  for (size_t i = 0; i < nq; i++) x->d_next[i] += (x->y[i] - raw[i]) / h;
}

/* d and y' follow the point and its velocity. */
void dls_ode_stoermer_correct(dls_ode_run *run, const double *q, const double *u) {
  const history x = history_of(run);
  if (!(run->h > 0)) return;
  for (int i = 0; i < run->ode.nq; i++) x.d[i] += (q[i] - run->q[i]) / run->h;
  dls_ode_rates(&run->ode, q, u, NULL, x.v, NULL);
}

/* The last difference of the velocity's formula, in the coordinates' rates. */
static dls_status judge_step(dls_ode_run *run, const history *x, double h) {
  static const double binomial[K] = {1, -5, 10, -10, 5, -1};
  const size_t nq = (size_t)run->ode.nq;
  double last = 0, size = 0;
  for (size_t i = 0; i < nq; i++) {
    last = dls_max(last, fabs(weigh(binomial, NULL, x->g, nq, i)));
    size = dls_max(size, dls_max(fabs(x->v[i]), h * fabs(x->g[i])));
  }
  return dls_ode_judge(run, 95.0 / 288 * h * last, size);
}

dls_status dls_ode_stoermer(dls_ode_run *run, double h) {
  const size_t nq = (size_t)run->ode.nq, nu = (size_t)run->ode.nu;
  const history x = history_of(run);
  run->h = h;
  if (run->n_history < K) return start(run, &x, h);
  dls_status status = judge_step(run, &x, h);
  if (status != DLS_OK) return status;
  const dls_stoermer_reading reading = run->opts.reading;
  const double t = run->t + h;
  move(run, &x, stoermer, NULL, h);
  for (size_t i = 0; i < nq; i++)
    x.v_next[i] = reading == DLS_STOERMER_KAPPA
                      ? x.d_next[i] + h * weigh(kappa, NULL, x.g, nq, i)
                      : x.v[i] + h * weigh(adams, NULL, x.g, nq, i);
  status = evaluate(run, t, x.y, x.v_next, &x, x.g_next);
  if (status == DLS_OK && reading == DLS_STOERMER_PECE) {
    move(run, &x, cowell, x.g_next, h);
    for (size_t i = 0; i < nq; i++)
      x.v_next[i] = x.v[i] + h * weigh(moulton, x.g_next, x.g, nq, i);
    status = evaluate(run, t, x.y, x.v_next, &x, x.g_next);
  }
  if (status != DLS_OK) return status;
  push(run, &x, x.g_next);
  memcpy(x.d, x.d_next, nq * sizeof(double));
  memcpy(x.v, x.v_next, nq * sizeof(double));
  memcpy(run->q, x.y, nq * sizeof(double));
  memcpy(run->u, x.u, nu * sizeof(double));
  run->t = t;
  run->stats.steps++;
  return DLS_OK;
}
