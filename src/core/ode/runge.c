/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/elementary.h"
#include "core/ode/ode.h"

/* Explicit Runge-Kutta methods on a manifold (Munthe-Kaas): in the chart d of q = q_0 (+) d the
** system is d' = chart_rate(d, u), u' = f(t, q_0 (+) d, u), and any Runge-Kutta method keeps its
** order.
** Source: H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, Appl. Num. Math. 29 (1999);
** J. R. Dormand & P. J. Prince, J. Comp. Appl. Math. 6 (1980); E. Hairer, S. P. Norsett, G. Wanner,
** Solving Ordinary Differential Equations I, 2nd ed., II.4 (step size). */

typedef struct stages {
  double *rate; /* 7 x 2 nu: (d', udot) of each stage */
  double *x;    /* 2 nu: (d, u) of the stage at hand  */
  double *q;    /* nq                                 */
} stages;

static stages stages_of(const dls_ode_run *run) {
  const size_t m = 2 * (size_t)run->ode.nu;
  return (stages){run->work, run->work + 7 * m, run->work + 8 * m};
}

/* Stage s at x = (0, u) + h sum a_k rate_k. */
static dls_status stage(dls_ode_run *run, const stages *st, int s, double c, const double *a,
                        double h) {
  const int nu = run->ode.nu;
  double *x = st->x, *out = st->rate + (size_t)s * 2 * (size_t)nu;
  for (int i = 0; i < nu; i++) {
    x[i] = 0;
    x[nu + i] = run->u[i];
  }
  for (int k = 0; k < s; k++) {
    const double *rate = st->rate + (size_t)k * 2 * (size_t)nu;
    if (a[k] == 0) continue;
    for (int i = 0; i < 2 * nu; i++) x[i] += h * a[k] * rate[i];
  }
  memcpy(st->q, run->q, (size_t)run->ode.nq * sizeof(double));
  if (s > 0) dls_ode_advance(&run->ode, st->q, 1, x);
  if (run->ode.chart_rate != NULL)
    run->ode.chart_rate(run->ode.ctx, x, x + nu, out);
  else
    memcpy(out, x + nu, (size_t)nu * sizeof(double));
  return dls_ode_accelerate(run, run->t + c * h, st->q, x + nu, out + nu);
}

/* Stage 0 of this step stands where the last step ended: see dls_ode_judge. */
static dls_status judge_last(dls_ode_run *run, const stages *st) {
  const size_t nu = (size_t)run->ode.nu;
  const double *now = st->rate + nu, *fourth = st->rate + 7 * nu;
  double change = 0, size = 0;
  if (run->n_history == 0) return DLS_OK;
  for (size_t i = 0; i < nu; i++) {
    change = dls_max(change, fabs(now[i] - fourth[i]));
    size = dls_max(size, dls_max(fabs(run->u[i]), run->h * fabs(now[i])));
  }
  return dls_ode_judge(run, run->h / 6 * change, size);
}

dls_status dls_ode_rk4(dls_ode_run *run, double h) {
  static const double c[4] = {0, 0.5, 0.5, 1};
  static const double a[4][3] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 1}};
  static const double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const stages st = stages_of(run);
  const int nu = run->ode.nu;
  for (int s = 0; s < 4; s++) {
    dls_status status = stage(run, &st, s, c[s], a[s], h);
    if (status == DLS_OK && s == 0) status = judge_last(run, &st);
    if (status != DLS_OK) return status;
  }
  run->n_history = 1;
  run->h = h;
  for (int i = 0; i < 2 * nu; i++) {
    double sum = 0;
    for (int s = 0; s < 4; s++) sum += b[s] * st.rate[(size_t)s * 2 * (size_t)nu + (size_t)i];
    st.x[i] = h * sum;
  }
  dls_ode_advance(&run->ode, run->q, 1, st.x);
  for (int i = 0; i < nu; i++) run->u[i] += st.x[nu + i];
  run->t += h;
  run->stats.steps++;
  return DLS_OK;
}

static const double dopri_c[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
static const double dopri_a[7][6] = {
    {0},
    {0.2},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/* fifth order less fourth */
static const double dopri_e[7] = {71.0 / 57600,      0,           -71.0 / 16695, 71.0 / 1920,
                                  -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* The step's error in units of the tolerance: root mean square over (d, u). Rotations and other
** chart coordinates are measured against the size of q where it is plain, else against 1 rad. */
static double error_of(const dls_ode_run *run, const stages *st, double h) {
  const int nu = run->ode.nu;
  const bool plain = run->ode.advance == NULL;
  double sum = 0;
  for (int i = 0; i < 2 * nu; i++) {
    double e = 0;
    for (int s = 0; s < 7; s++)
      e += dopri_e[s] * st->rate[(size_t)s * 2 * (size_t)nu + (size_t)i];
    const double size = i >= nu ? dls_max(fabs(run->u[i - nu]), fabs(st->x[i]))
                                : (plain ? dls_max(fabs(run->q[i]), fabs(st->q[i])) : 1);
    const double scaled = h * e / (run->opts.atol + run->opts.rtol * size);
    sum += scaled * scaled;
  }
  return nu > 0 ? sqrt(sum / (2 * nu)) : 0;
}

/* A first step: a hundredth of the time in which u changes by itself. */
static double first_step(dls_ode_run *run, const stages *st, double span) {
  const int nu = run->ode.nu;
  double size = 0, rate = 0;
  for (int i = 0; i < nu; i++) {
    size = dls_max(size, fabs(run->u[i]));
    rate = dls_max(rate, fabs(st->rate[nu + i]));
  }
  const double h = rate > 0 ? 0.01 * dls_max(size, 1e-3) / rate : span;
  return dls_min(h, span);
}

#define FORCED 50 /* steps in a row that jumps of f may take: behind that f grows without bound */

/* The next step's length where one of length h has been refused. */
static double shorter(const dls_ode_run *run, double h, double factor) {
  const double least = run->opts.least * (1 + fabs(run->t));
  const double next = h * factor;
  return run->forced < FORCED && next < least && h > least ? least : next;
}

/* Whether a step of length h is taken though its error is too large: f, which is finite, jumps
** within it. */
static bool is_forced(const dls_ode_run *run, double h, double error) {
  return run->forced < FORCED && h <= run->opts.least * (1 + fabs(run->t)) && dls_is_finite(error);
}

dls_status dls_ode_dopri5(dls_ode_run *run, double to) {
  static const double none[1] = {0};
  const stages st = stages_of(run);
  const int nu = run->ode.nu;
  const double span = to - run->t;
  if (!(span > 0)) return DLS_ARG;
  dls_status status = stage(run, &st, 0, 0, none, 0);
  if (status != DLS_OK) return status;
  double h = run->next_dt > 0 ? run->next_dt : first_step(run, &st, span);
  bool rejected = false;
  dls_status reason = DLS_STATE; /* why the last step was refused */
  for (int tries = 0; tries < run->opts.max_steps; tries++) {
    const bool last = h >= span * (1 - 1e-12);
    if (last) h = span;
    if (!(fabs(h) > 4e-16 * fabs(run->t))) return reason;
    for (int s = 1; s < 7 && status == DLS_OK; s++)
      status = stage(run, &st, s, dopri_c[s], dopri_a[s], h);
    const bool astray = status == DLS_RANGE || status == DLS_SINGULAR; /* perhaps h is too long */
    if (status != DLS_OK && !astray) return status;
    const double error = astray ? DLS_INF : error_of(run, &st, h);
    reason = astray ? status : DLS_STATE;
    status = DLS_OK;
    /* 0.9 (1/error)^(1/5) within [0.2, 5], not above 1 right after a rejection */
    double factor = error > 0 ? 0.9 * dls_pow(error, -0.2) : 5;
    factor = dls_clamp(factor, 0.2, rejected ? 1 : 5);
    const bool forced = !(error <= 1) && is_forced(run, h, error);
    if (!(error <= 1) && !forced) { /* catches what is not a number as well */
      run->stats.rejected++;
      rejected = true;
      h = shorter(run, h, dls_is_finite(error) ? factor : 0.2);
      continue;
    }
    run->forced = forced ? run->forced + 1 : 0;
    memcpy(run->q, st.q, (size_t)run->ode.nq * sizeof(double));
    memcpy(run->u, st.x + nu, (size_t)nu * sizeof(double));
    run->t = last ? to : run->t + h;
    /* a step cut short by `to` says nothing about the next */
    run->next_dt = last && run->next_dt > h * factor ? run->next_dt : h * factor;
    run->stats.steps++;
    if (!forced) run->stats.error = dls_max(run->stats.error, error);
    run->stats.judged++;
    return DLS_OK;
  }
  return reason;
}

/* Source: Hairer, Norsett & Wanner, II.6, the extension of DOPRI5. */
void dls_ode_dense(const dls_ode_run *run, const double *q_0, const double *u_0, double h,
                   double theta, double *q, double *u) {
  static const double weight[7] = {-12715105075.0 / 11282082432,  0,
                                   87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                   701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                   69997945.0 / 29380423};
  const double b[7] = {dopri_a[6][0], 0, dopri_a[6][2], dopri_a[6][3], dopri_a[6][4],
                       dopri_a[6][5], 0};
  const int nu = run->ode.nu;
  const bool plain = run->ode.advance == NULL;
  const double *rate = stages_of(run).rate, rest = 1 - theta;
  double *d = stages_of(run).q + run->ode.nq; /* nu: in the chart of q_0 */
  for (int i = 0; i < 2 * nu; i++) {
    double change = 0, fifth = 0;
    for (int s = 0; s < 7; s++) {
      const double k = h * rate[(size_t)s * 2 * (size_t)nu + (size_t)i];
      change += b[s] * k;
      fifth += weight[s] * k;
    }
    const double third = h * rate[i] - change;
    const double fourth = change - h * rate[(size_t)12 * (size_t)nu + (size_t)i] - third;
    const double moved = theta * (change + rest * (third + theta * (fourth + rest * fifth)));
    if (i >= nu) u[i - nu] = u_0[i - nu] + moved;
    else if (plain) q[i] = q_0[i] + moved;
    else d[i] = moved;
  }
  if (plain) return;
  memcpy(q, q_0, (size_t)run->ode.nq * sizeof *q);
  dls_ode_advance(&run->ode, q, 1, d);
}
