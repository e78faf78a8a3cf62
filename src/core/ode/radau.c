/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ode/radau.h"

#include "core/math/dense.h"
#include "core/math/elementary.h"

#define SQ6 2.449489742783178
#define REAL 3.637834252744496 /* the real eigenvalue of A^-1                     */
#define NEWTON 12              /* steps of Newton                                 */
#define MET 1e-2               /* of the tolerance: a change that ends them       */
#define TRIES 200              /* steps tried                                     */

static const double node[3] = {(4 - SQ6) / 10, (4 + SQ6) / 10, 1};
static const double weight[3][3] = {
    {(88 - 7 * SQ6) / 360, (296 - 169 * SQ6) / 1800, (-2 + 3 * SQ6) / 225},
    {(296 + 169 * SQ6) / 1800, (88 + 7 * SQ6) / 360, (-2 - 3 * SQ6) / 225},
    {(16 - SQ6) / 36, (16 + SQ6) / 36, 1.0 / 9}};
static const double estimate[3] = {-(13 + 7 * SQ6) / 3, (-13 + 7 * SQ6) / 3, -1.0 / 3};

static size_t doubles_of(size_t nq, size_t nu, size_t room) {
  const size_t m = 3 * room, ld = dls_lanes_ld((int)m);
  return 2 * room * nu + room + room * room + m * ld + 2 * m + 4 * 6 * nu + 2 * nu + nq + 64;
}

size_t dls_radau_bytes(int nq, int nu, int room) {
  const size_t doubles = doubles_of((size_t)nq, (size_t)nu, (size_t)room);
  return dls_bytes_add(dls_arena_bytes(doubles, sizeof(double)),
                       dls_arena_bytes(3 * (size_t)room, sizeof(int)));
}

dls_status dls_radau_begin(dls_radau *radau, dls_ode_run *run, int room, dls_arena *tmp) {
  const size_t nq = (size_t)run->ode.nq, nu = (size_t)run->ode.nu, k = (size_t)room, m = 3 * k;
  double *at = DLS_TAKE(tmp, double, doubles_of(nq, nu, k));
  int *perm = DLS_TAKE(tmp, int, m);
  if (at == NULL || perm == NULL) return DLS_FULL;
  *radau = (dls_radau){.run = run, .room = room, .perm = perm};
  radau->A = at, at += m * dls_lanes_ld((int)m);
  radau->column = at, at += k * nu;
  radau->row = at, at += k * nu;
  radau->drift = at, at += k;
  radau->mixed = at, at += k * k;
  radau->y = at, at += m;
  radau->b = at, at += m;
  radau->Z = at, at += 6 * nu;
  radau->rate = at, at += 6 * nu;
  radau->r = at, at += 6 * nu;
  radau->x = at, at += 6 * nu;
  radau->start = at, at += 2 * nu;
  radau->q = at;
  return DLS_OK;
}

/* (d', udot) at (d, u) of x, a share c of the step. */
static dls_status rates_at(dls_radau *radau, double c, double h, const double *x, double *out) {
  dls_ode_run *run = radau->run;
  const int nu = run->ode.nu;
  memcpy(radau->q, run->q, (size_t)run->ode.nq * sizeof(double));
  if (c > 0) dls_ode_advance(&run->ode, radau->q, 1, x);
  if (run->ode.chart_rate != NULL) run->ode.chart_rate(run->ode.ctx, x, x + nu, out);
  else memcpy(out, x + nu, (size_t)nu * sizeof(double));
  return dls_ode_accelerate(run, run->t + c * h, radau->q, x + nu, out + nu);
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Root mean square of x (d, u) in units of the tolerance, sizes by the state at the start and u
** beside it. */
static double measure(const dls_radau *radau, const double *x, const double *beside) {
  const dls_ode_run *run = radau->run;
  const int nu = run->ode.nu;
  const bool plain = run->ode.advance == NULL;
  double sum = 0;
  for (int i = 0; i < 2 * nu; i++) {
    const double size = i >= nu
                            ? dls_max(fabs(run->u[i - nu]), fabs(run->u[i - nu] + beside[i]))
                            : (plain ? dls_max(fabs(run->q[i]), fabs(run->q[i] + beside[i])) : 1);
    const double scaled = x[i] / (run->opts.atol + run->opts.rtol * size);
    sum += scaled * scaled;
  }
  return nu > 0 ? sqrt(sum / (2 * nu)) : 0;
}

/* I - h a (x) R' C for n stages, factored; `a` n x n with rows of 3. */
static bool factor(dls_radau *radau, int n, const double *a, double h, int k) {
  const int m = n * k;
  const size_t ld = dls_lanes_ld(m);
  memset(radau->A, 0, (size_t)m * ld * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int r = 0; r < k; r++)
        for (int c = 0; c < k; c++) {
          const double unit = i == j && r == c ? 1 : 0;
          radau->A[(size_t)(i * k + r) * ld + (size_t)(j * k + c)] =
              unit - h * a[3 * i + j] * radau->mixed[r * k + c];
        }
  return m == 0 || dls_dense_lu(m, radau->A, ld, radau->perm) < 0;
}

/* Residuals of the stages into r. */
static dls_status residuals(dls_radau *radau, double h) {
  const int nu = radau->run->ode.nu, m = 2 * nu;
  for (int i = 0; i < 3; i++) {
    double *x = radau->x + (size_t)i * (size_t)m;
    const double *Z = radau->Z + (size_t)i * (size_t)m;
    for (int l = 0; l < m; l++) x[l] = Z[l] + (l >= nu ? radau->run->u[l - nu] : 0);
    const dls_status status = rates_at(radau, node[i], h, x, radau->rate + (size_t)i * (size_t)m);
    if (status != DLS_OK) return status;
  }
  for (int i = 0; i < 3; i++)
    for (int l = 0; l < m; l++) {
      double sum = -radau->Z[i * m + l];
      for (int j = 0; j < 3; j++) sum += h * weight[i][j] * radau->rate[j * m + l];
      radau->r[i * m + l] = sum;
    }
  return DLS_OK;
}

/* r <- what Newton's step changes Z by. */
static void newton_step(dls_radau *radau, double h, int k) {
  const int nu = radau->run->ode.nu, m = 2 * nu;
  if (k == 0) return;
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < k; c++)
      radau->b[i * k + c] = dot(nu, radau->row + (size_t)c * (size_t)nu, radau->r + i * m + nu);
  dls_dense_lu_solve(3 * k, radau->A, dls_lanes_ld(3 * k), radau->perm, radau->b, radau->y);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int c = 0; c < k; c++) {
        const double by = h * weight[i][j] * radau->y[j * k + c],
                     *column = radau->column + (size_t)c * (size_t)nu;
        for (int l = 0; l < nu; l++) radau->r[i * m + nu + l] += by * column[l];
      }
}

/* x <- (I - by J)^-1 x, the velocities' part: nu numbers; where rows move by themselves, with
** `drifts` of that. */
static void damp(dls_radau *radau, double by, int k, bool drifts, double *x) {
  static const double one[3] = {1, 0, 0};
  const int nu = radau->run->ode.nu;
  if (k == 0 || !factor(radau, 1, one, by, k)) return;
  for (int c = 0; c < k; c++)
    radau->b[c] = dot(nu, radau->row + (size_t)c * (size_t)nu, x) + (drifts ? radau->drift[c] : 0);
  dls_dense_lu_solve(k, radau->A, dls_lanes_ld(k), radau->perm, radau->b, radau->y);
  for (int c = 0; c < k; c++)
    for (int l = 0; l < nu; l++)
      x[l] += by * radau->y[c] * radau->column[(size_t)c * (size_t)nu + (size_t)l];
}

/* The stages of a step h into Z, from their prediction there; *solved: whether Newton's steps
** ended. */
static dls_status stages(dls_radau *radau, double h, int k, bool *solved) {
  const int m = 2 * radau->run->ode.nu;
  double before = DLS_INF;
  *solved = false;
  if (!factor(radau, 3, &weight[0][0], h, k)) return DLS_OK;
  for (int step = 0; step < NEWTON; step++) {
    const dls_status status = residuals(radau, h);
    if (status != DLS_OK) return status;
    newton_step(radau, h, k);
    double change = 0;
    for (int i = 0; i < 3; i++) {
      change = dls_max(change, measure(radau, radau->r + i * m, radau->Z + 2 * m));
      for (int l = 0; l < m; l++) radau->Z[i * m + l] += radau->r[i * m + l];
    }
    const double rate = change / before;
    if (!(change < DLS_INF) || (step > 1 && rate > 2)) return DLS_OK;
    if (change <= 1e-3 * MET || (step > 0 && rate < 1 && change * rate / (1 - rate) <= MET)) {
      *solved = true;
      return DLS_OK;
    }
    before = change;
  }
  return DLS_OK;
}

/* The step's error into r, and its size in units of the tolerance; `rates` those at the start. */
static double error_by(dls_radau *radau, double h, int k, const double *rates) {
  const int nu = radau->run->ode.nu, m = 2 * nu;
  const double by = h / REAL;
  double *e = radau->r;
  for (int l = 0; l < m; l++) {
    e[l] = h * rates[l];
    for (int i = 0; i < 3; i++) e[l] += estimate[i] * radau->Z[i * m + l];
    e[l] /= REAL;
  }
  damp(radau, by, k, false, e + nu);
  return measure(radau, e, radau->Z + 2 * m);
}

/* Its size; where that is too much by rates at the start that the error is added to (IV.8.20): what
** is stiff may begin off the state to which it tends, since projections moved it. */
static double error_of(dls_radau *radau, double h, int k) {
  const int nu = radau->run->ode.nu;
  const double error = error_by(radau, h, k, radau->start);
  if (k == 0 || !(error > 1 && error < DLS_INF)) return error;
  memcpy(radau->x, radau->r, 2 * (size_t)nu * sizeof(double));
  for (int l = 0; l < nu; l++) radau->x[nu + l] += radau->run->u[l];
  if (rates_at(radau, 0, h, radau->x, radau->rate) != DLS_OK) return error;
  return error_by(radau, h, k, radau->rate);
}

/* Columns and rows at a state. */
static dls_status stiffness(dls_radau *radau, double t, const double *q, const double *u, int *k) {
  const int nu = radau->run->ode.nu;
  const dls_status status =
      radau->stiff(radau->ctx, t, q, u, k, radau->column, radau->row, radau->drift);
  if (status != DLS_OK) return status;
  for (int r = 0; r < *k; r++)
    for (int c = 0; c < *k; c++)
      radau->mixed[r * *k + c] =
          dot(nu, radau->row + (size_t)r * (size_t)nu, radau->column + (size_t)c * (size_t)nu);
  return DLS_OK;
}

/* Z as the start goes on, what is stiff damped; columns and rows at the second stage of that. */
static dls_status predict(dls_radau *radau, double h, int *k) {
  const dls_ode_run *run = radau->run;
  const int nu = run->ode.nu, m = 2 * nu;
  double *rate = radau->rate, *u = radau->x;
  memcpy(rate, radau->start, (size_t)m * sizeof(double));
  dls_status status = stiffness(radau, run->t, run->q, run->u, k);
  if (status != DLS_OK) return status;
  damp(radau, h / REAL, *k, true, rate + nu);
  for (int i = 0; i < 3; i++)
    for (int l = 0; l < m; l++) radau->Z[i * m + l] = node[i] * h * rate[l];
  memcpy(radau->q, run->q, (size_t)run->ode.nq * sizeof(double));
  dls_ode_advance(&run->ode, radau->q, 1, radau->Z + m);
  for (int l = 0; l < nu; l++) u[l] = run->u[l] + radau->Z[m + nu + l];
  return stiffness(radau, run->t + node[1] * h, radau->q, u, k);
}

dls_status dls_radau_step(dls_radau *radau, double to) {
  dls_ode_run *run = radau->run;
  const int nu = run->ode.nu, m = 2 * nu;
  const double span = to - run->t;
  if (!(span > 0)) return DLS_ARG;
  memset(radau->x, 0, (size_t)m * sizeof(double));
  memcpy(radau->x + nu, run->u, (size_t)nu * sizeof(double));
  dls_status status = rates_at(radau, 0, 0, radau->x, radau->start);
  if (status != DLS_OK) return status;
  double h = run->next_dt > 0 ? run->next_dt : 1e-3 * span;
  bool rejected = false;
  for (int tries = 0; tries < TRIES; tries++) {
    const bool last = h >= span * (1 - 1e-12);
    if (last) h = span;
    if (!(h > 4e-16 * fabs(run->t))) return DLS_STATE;
    int k = 0;
    bool solved = false;
    status = predict(radau, h, &k);
    if (status == DLS_OK) status = stages(radau, h, k, &solved);
    if (status != DLS_OK && status != DLS_RANGE && status != DLS_SINGULAR) return status;
    const double error = status == DLS_OK && solved ? error_of(radau, h, k) : DLS_INF;
    if (!(error <= 1)) {
      run->stats.rejected++;
      rejected = true;
      h *= error < DLS_INF ? dls_clamp(0.9 * dls_pow(error, -0.25), 0.2, 0.9) : 0.25;
      continue;
    }
    const double factor =
        error > 0 ? dls_clamp(0.9 * dls_pow(error, -0.25), 0.2, rejected ? 1 : 5) : 5;
    dls_ode_advance(&run->ode, run->q, 1, radau->Z + 2 * m);
    for (int l = 0; l < nu; l++) run->u[l] += radau->Z[2 * m + nu + l];
    run->t = last ? to : run->t + h;
    run->next_dt = last && run->next_dt > h * factor ? run->next_dt : h * factor;
    run->stats.steps++;
    run->stats.error = dls_max(run->stats.error, error);
    run->stats.judged++;
    radau->h = h;
    return DLS_OK;
  }
  return DLS_STATE;
}

void dls_radau_dense(const dls_radau *radau, const double *q_0, const double *u_0, double theta,
                     double *q, double *u) {
  const dls_ode_run *run = radau->run;
  const int nu = run->ode.nu, m = 2 * nu;
  const bool plain = run->ode.advance == NULL;
  double base[3]; /* Lagrange's polynomials over 0 and the nodes */
  for (int i = 0; i < 3; i++) {
    base[i] = theta / node[i];
    for (int j = 0; j < 3; j++)
      if (j != i) base[i] *= (theta - node[j]) / (node[i] - node[j]);
  }
  double *d = radau->r;
  for (int l = 0; l < m; l++) {
    double moved = 0;
    for (int i = 0; i < 3; i++) moved += base[i] * radau->Z[i * m + l];
    if (l >= nu) u[l - nu] = u_0[l - nu] + moved;
    else if (plain) q[l] = q_0[l] + moved;
    else d[l] = moved;
  }
  if (plain) return;
  memcpy(q, q_0, (size_t)run->ode.nq * sizeof *q);
  dls_ode_advance(&run->ode, q, 1, d);
}
