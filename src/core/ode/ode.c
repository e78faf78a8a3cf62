/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ode/ode.h"

dls_ode_opts dls_ode_opts_default(void) {
  return (dls_ode_opts){.method = DLS_ODE_STOERMER,
                        .reading = DLS_STOERMER_ADAMS,
                        .dt = 1e-3,
                        .rtol = 1e-9,
                        .atol = 1e-12,
                        .max_steps = 100000};
}

/* Stages: 7 of (d', udot), and d, u, q of a stage; histories: 6 of y'', and y', d, spare. */
#define WORK_U 20
#define WORK_Q 14

size_t dls_ode_bytes(int nq, int nu) {
  const size_t n = (size_t)nq, m = (size_t)nu;
  size_t bytes = dls_bytes_add(dls_arena_bytes(n, sizeof(double)),
                               dls_arena_bytes(m, sizeof(double)));
  return dls_bytes_add(bytes, dls_arena_bytes(WORK_U * m + WORK_Q * n, sizeof(double)));
}

dls_status dls_ode_begin(dls_ode_run *run, const dls_ode *ode, const dls_ode_opts *opts, double t,
                         const double *q, const double *u, dls_arena *tmp) {
  const bool adaptive = opts->method == DLS_ODE_DOPRI5;
  if (!(opts->dt > 0) && !(adaptive && opts->dt == 0)) return DLS_ARG;
  if (adaptive && (!(opts->rtol >= 0) || !(opts->atol >= 0) || opts->rtol + opts->atol == 0))
    return DLS_ARG;
  const size_t nq = (size_t)ode->nq, nu = (size_t)ode->nu, mark = dls_arena_mark(tmp);
  double *run_q = DLS_TAKE(tmp, double, nq), *run_u = DLS_TAKE(tmp, double, nu);
  double *work = DLS_TAKE(tmp, double, WORK_U *nu + WORK_Q * nq);
  if (run_q == NULL || run_u == NULL || work == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  *run = (dls_ode_run){.ode = *ode, .opts = *opts, .t = t, .q = run_q, .u = run_u,
                       .next_dt = opts->dt, .work = work};
  memcpy(run->q, q, nq * sizeof *q);
  memcpy(run->u, u, nu * sizeof *u);
  return DLS_OK;
}

void dls_ode_correct(dls_ode_run *run, const double *q, const double *u) {
  if (run->opts.method == DLS_ODE_STOERMER) dls_ode_stoermer_correct(run, q, u);
  memcpy(run->q, q, (size_t)run->ode.nq * sizeof *q);
  memcpy(run->u, u, (size_t)run->ode.nu * sizeof *u);
}

dls_status dls_ode_step(dls_ode_run *run, double h, double to) {
  switch (run->opts.method) {
    case DLS_ODE_STOERMER: return dls_ode_stoermer(run, h);
    case DLS_ODE_RK4: return dls_ode_rk4(run, h);
    case DLS_ODE_DOPRI5: return dls_ode_dopri5(run, to);
    case DLS_ODE_SEMI_IMPLICIT: return dls_ode_semi_implicit(run, h);
  }
  return DLS_ARG;
}

dls_status dls_ode_accelerate(dls_ode_run *run, double t, const double *q, const double *u,
                              double *udot) {
  run->stats.evaluations++;
  return run->ode.accelerate(run->ode.ctx, t, q, u, udot);
}

void dls_ode_advance(const dls_ode *ode, double *q, double h, const double *u) {
  if (ode->advance != NULL) {
    ode->advance(ode->ctx, q, h, u);
    return;
  }
  for (int i = 0; i < ode->nq; i++) q[i] += h * u[i];
}

void dls_ode_rates(const dls_ode *ode, const double *q, const double *u, const double *udot,
                   double *qdot, double *qddot) {
  if (ode->rates != NULL) {
    ode->rates(ode->ctx, q, u, udot, qdot, qddot);
    return;
  }
  memcpy(qdot, u, (size_t)ode->nu * sizeof *u);
  if (qddot != NULL) memcpy(qddot, udot, (size_t)ode->nu * sizeof *u);
}

dls_status dls_ode_judge(dls_ode_run *run, double error, double size) {
  enum { ROUGH = 20 }; /* a jump of the forces, felt for six steps, is not enough */
  /* Beyond its limit an unstable mode's estimate is more than 0.54 (rk4), 1 (semi-implicit) of its
  ** motion. */
  const double most = run->opts.method == DLS_ODE_SEMI_IMPLICIT ? 1 : 0.5;
  if (error > most * run->fastest) run->rough += 2; /* of the motion before: it may grow fast */
  else if (run->rough > 0) run->rough--;
  run->fastest = dls_max(run->fastest, size);
  if (!(run->fastest > 0)) return DLS_OK;
  run->stats.judged++;
  run->stats.error = dls_max(run->stats.error, error / run->fastest);
  return run->rough > ROUGH ? DLS_UNSTABLE : DLS_OK;
}

/* What the step before was off by, now that udot at its end is known. */
static dls_status judge_last(dls_ode_run *run, const double *before, const double *now) {
  double change = 0, size = 0;
  if (run->n_history == 0) return DLS_OK;
  for (int i = 0; i < run->ode.nu; i++) {
    change = dls_max(change, fabs(now[i] - before[i]));
    size = dls_max(size, dls_max(fabs(run->u[i]), run->h * fabs(now[i])));
  }
  return dls_ode_judge(run, 0.5 * run->h * change, size);
}

/* u' = u + h f(t, q, u), q' = unit(q + h qdot(q, u')). */
dls_status dls_ode_semi_implicit(dls_ode_run *run, double h) {
  const int nq = run->ode.nq, nu = run->ode.nu;
  double *udot = run->work, *last = run->work + nu, *qdot = run->work + 2 * nu;
  dls_status status = dls_ode_accelerate(run, run->t, run->q, run->u, udot);
  if (status == DLS_OK) status = judge_last(run, last, udot);
  if (status != DLS_OK) return status;
  memcpy(last, udot, (size_t)nu * sizeof *udot);
  run->n_history = 1;
  run->h = h;
  for (int i = 0; i < nu; i++) run->u[i] += h * udot[i];
  dls_ode_rates(&run->ode, run->q, run->u, NULL, qdot, NULL);
  for (int i = 0; i < nq; i++) run->q[i] += h * qdot[i];
  if (run->ode.normalise != NULL)
    run->stats.defect = dls_max(run->stats.defect, run->ode.normalise(run->ode.ctx, run->q));
  run->t += h;
  run->stats.steps++;
  return DLS_OK;
}
