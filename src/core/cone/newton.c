/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/newton.h"

#include "core/math/alart_curnier.h"
#include "core/cone/smooth.h"

/* Steps of the stand-alone method; halvings of a step; sweeps before the first step and after a
** failed line search (doubled each time up to a limit). */
#define STEPS 5000
#define FIRST_STEPS 150
#define FIRST_PATIENCE 3
#define HALVINGS 8
#define FIRST_SWEEPS 20
#define MOST_SWEEPS 640
/* Damping E / norm: DAMP times the residual, between these. */
#define DAMP 1e-2
#define DAMP_LEAST 1e-12
#define DAMP_MOST 1.0
/* Factor by which it rises when a damped problem was hard and falls when it was easy. */
#define TURN 10.0
/* Newton steps on one damped problem, and the gain in |F| that is asked of them. */
#define INNER 12
#define GAIN 1e-2
/* rho |A_gg|: the first, and what follows after failed line searches. */
static const double TIMES[] = {10, 100, 1, 1000};

/* --- Alart and Curnier's function ------------------------------------------------------------- */

/* F of one group from its impulses and velocities. */
static void value(const dls_cone_system *sys, int g, double times, const double *z,
                  const double *u, double *F) {
  const dls_cone_shape *shape = &sys->shape[g];
  double rho = times / sys->norm[g], x_n = z[0] - rho * u[0];
  if (shape->n_parts == 0) {
    F[0] = z[0] - dls_clamp(x_n, sys->lo[g], sys->hi[g]);
    return;
  }
  x_n = dls_max(x_n, 0);
  F[0] = z[0] - x_n;
  for (int k = 0, at = 1; k < shape->n_parts; at += shape->rows[k], k++) {
    double x[2];
    for (int i = 0; i < shape->rows[k]; i++) x[i] = z[at + i] - rho * u[at + i];
    dls_disk_project(shape->rows[k], shape->mu[k] * x_n, x);
    for (int i = 0; i < shape->rows[k]; i++) F[at + i] = z[at + i] - x[i];
  }
}

double dls_cone_newton_merit(const dls_cone_system *sys, dls_cone_newton_work *w, const double *z,
                             const double *u) {
  const double times = w->times;
  double *F = w->F, sum = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    int row = sys->groups[g].row;
    double unit = sys->norm[g] / (sys->scale * dls_max(times, 1));
    value(sys, g, times, z + row, u + row, F + row);
    for (int k = 0; k < sys->dim[g]; k++) sum += (F[row + k] * unit) * (F[row + k] * unit);
  }
  return sum;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* u of the damped problem: out = u + E (z - ref). */
static void damped(const dls_cone_system *sys, const double *E, const double *ref, const double *z,
                   const double *u, double *out) {
  for (int i = 0; i < sys->n; i++) out[i] = u[i] + E[i] * (z[i] - ref[i]);
}

void dls_cone_newton_direction(const dls_cone_system *sys, dls_cone_newton_work *w, const double *z,
                               const double *u) {
  for (int g = 0; g < sys->n_groups; g++) {
    int row = sys->groups[g].row;
    dls_alart_curnier_slopes(&sys->shape[g], sys->dim[g], sys->lo[g], sys->hi[g],
                             w->times / sys->norm[g], z + row, u + row, w->X + sys->diag_at[g],
                             w->Y + sys->diag_at[g]);
  }
  dls_cone_factor_make(&w->factor, w->X, w->Y, w->E);
  for (int i = 0; i < sys->n; i++) w->dz[i] = -w->F[i];
  dls_cone_factor_solve(&w->factor, w->dz);
}

/* z, u <- the first cut of the step that lowers the merit enough; then w->F, w->u_s follow. */
static bool search(const dls_cone_system *sys, dls_cone_newton_work *w, double *least, double *z,
                   double *u) {
  double t = 1;
  for (int k = 0; k <= HALVINGS; k++, t /= 2) {
    for (int i = 0; i < sys->n; i++) {
      w->z_try[i] = z[i] + t * w->dz[i];
      w->u_try[i] = u[i] + t * w->du[i];
    }
    damped(sys, w->E, w->ref, w->z_try, w->u_try, w->u_s);
    double now = dls_cone_newton_merit(sys, w, w->z_try, w->u_s);
    if (now <= (1 - 1e-3 * t) * *least) {
      memcpy(z, w->z_try, (size_t)sys->n * sizeof(double));
      memcpy(u, w->u_try, (size_t)sys->n * sizeof(double));
      *least = now;
      return true;
    }
  }
  return false;
}

typedef enum inner_end {
  DONE, /* the merit fell to `target` or by the square of GAIN */
  SLOW, /* it fell in every step, but not so far               */
  STUCK /* no cut of the last step lowered it                  */
} inner_end;

/* Newton's method on the problem damped about the present z (A + E, c - E z); z and u are the last
** accepted ones. */
static inner_end inner(const dls_cone_system *sys, dls_cone_newton_work *w, double damp,
                       double target, int steps, double *z, double *u, int *done) {
  memcpy(w->ref, z, (size_t)sys->n * sizeof(double));
  memcpy(w->u_s, u, (size_t)sys->n * sizeof(double));
  for (int g = 0; g < sys->n_groups; g++)
    for (int k = 0; k < sys->dim[g]; k++) w->E[sys->groups[g].row + k] = damp * sys->norm[g];
  double least = dls_cone_newton_merit(sys, w, z, w->u_s), first = least;
  for (int k = 0; k < steps; k++) {
    ++*done;
    dls_cone_newton_direction(sys, w, z, w->u_s);
    dls_cone_system_image(sys, w->dz, false, w->du);
    if (!search(sys, w, &least, z, u)) return STUCK;
    if (dls_stop_poll(sys->problem->stop, w->factor.cost)) return SLOW;
    if (least <= target || least <= GAIN * GAIN * first) return DONE;
  }
  return SLOW;
}

double dls_cone_newton_settle(const dls_cone_system *sys, const double *z, double *out, double *u) {
  memcpy(out, z, (size_t)sys->n * sizeof(double));
  for (int g = 0; g < sys->n_groups; g++) dls_cone_system_admit(sys, g, out + sys->groups[g].row);
  dls_cone_system_image(sys, out, true, u);
  return dls_cone_system_residual(sys, out, u);
}

double dls_cone_newton_steps(const dls_cone_system *sys, dls_cone_newton_work *w,
                             double tolerance, int steps, int patience, double *z, double *u,
                             int *done, bool *helped) {
  size_t bytes = (size_t)sys->n * sizeof(double);
  int sweeps = FIRST_SWEEPS, end = *done + steps;
  double best = dls_cone_sweeps(&w->sweeper, tolerance, steps < FIRST_SWEEPS ? steps : FIRST_SWEEPS,
                                z, u, done);
  const bool ready = best > tolerance && dls_cone_newton_factor(sys, w)->ready;
  double rise = 1;
  int turn = 0;
  w->times = TIMES[0];
  memcpy(w->best, z, bytes);
  while (*done < end && !(best <= tolerance) && !dls_cone_stopped(sys, 1)) {
    double damp = dls_clamp(best * rise * DAMP, DAMP_LEAST, DAMP_MOST);
    const int left = end - *done, most = left < INNER ? left : INNER;
    inner_end how = ready ? inner(sys, w, damp, tolerance * tolerance, most, z, u, done) : STUCK;
    if (ready) {
      double now = dls_cone_newton_settle(sys, z, w->z_try, w->u_try);
      if (now < best) best = now, memcpy(w->best, w->z_try, bytes);
    }
    if (how == DONE) {
      rise = dls_max(1e-3, rise / TURN);
      continue;
    }
    if (how == SLOW) {
      rise = dls_min(rise * TURN, 1e12);
      continue;
    }
    *helped = true;
    if (patience-- <= 0) break;
    rise = dls_min(rise * TURN, 1e12);
    w->times = TIMES[++turn % (int)(sizeof TIMES / sizeof *TIMES)];
    memcpy(z, w->best, bytes);
    int ended = 0;
    const int rest = end - *done;
    double now =
        dls_cone_sweeps(&w->sweeper, tolerance, sweeps < rest ? sweeps : rest, z, u, &ended);
    *done += ended;
    if (now < best) best = now, memcpy(w->best, z, bytes);
    sweeps = sweeps * 2 < MOST_SWEEPS ? sweeps * 2 : MOST_SWEEPS;
  }
  memcpy(z, w->best, bytes);
  dls_cone_system_image(sys, z, true, u);
  return best;
}

/* --- the method ------------------------------------------------------------------------------- */

size_t dls_cone_newton_work_bytes(const dls_cone_problem *pr) {
  size_t m = (size_t)pr->n_groups, n = dls_arena_bytes((size_t)pr->n_rows, sizeof(double));
  size_t block = dls_arena_bytes(m * DLS_CONE_ROWS * DLS_CONE_ROWS, sizeof(double));
  size_t sum = dls_bytes_add(dls_cone_factor_bytes(pr), dls_bytes_add(block, block));
  for (int k = 0; k < 10; k++) sum = dls_bytes_add(sum, n);
  return dls_bytes_add(sum, dls_cone_sweeper_bytes(pr));
}

dls_status dls_cone_newton_take(const dls_cone_system *sys, dls_arena *tmp, size_t beside,
                                dls_cone_newton_work *w) {
  size_t block = (size_t)sys->n_groups * DLS_CONE_ROWS * DLS_CONE_ROWS;
  w->X = DLS_TAKE(tmp, double, block);
  w->Y = DLS_TAKE(tmp, double, block);
  w->E = DLS_TAKE(tmp, double, sys->n);
  w->F = DLS_TAKE(tmp, double, sys->n);
  w->dz = DLS_TAKE(tmp, double, sys->n);
  w->du = DLS_TAKE(tmp, double, sys->n);
  w->z_try = DLS_TAKE(tmp, double, sys->n);
  w->u_try = DLS_TAKE(tmp, double, sys->n);
  w->ref = DLS_TAKE(tmp, double, sys->n);
  w->u_s = DLS_TAKE(tmp, double, sys->n);
  w->best = DLS_TAKE(tmp, double, sys->n);
  w->room = tmp;
  w->planned = false;
  if (!w->best || !w->u_s || !w->ref || !w->u_try || !w->z_try || !w->du || !w->dz || !w->F ||
      !w->E || !w->Y || !w->X)
    return DLS_FULL;
  const dls_status status = dls_cone_sweeper_take(sys, tmp, &w->sweeper);
  if (status != DLS_OK) return status;
  return dls_arena_has(tmp, dls_bytes_add(dls_cone_factor_bytes(sys->problem), beside)) ? DLS_OK
                                                                                        : DLS_FULL;
}

dls_cone_factor *dls_cone_newton_factor(const dls_cone_system *sys, dls_cone_newton_work *w) {
  /* not ready where it fails */
  if (!w->planned) (void)dls_cone_factor_plan(sys, w->room, &w->factor);
  w->planned = true;
  return &w->factor;
}

size_t dls_cone_newton_bytes(const dls_cone_problem *pr) {
  size_t n = dls_arena_bytes((size_t)pr->n_rows, sizeof(double));
  size_t sum = dls_bytes_add(dls_cone_system_bytes(pr), dls_cone_newton_work_bytes(pr));
  return dls_bytes_add(sum, dls_bytes_add(n, n));
}

/* Steps on the law; where they stall, on the smoothed one; then on the law again to the end. */
static void solve(const dls_cone_system *sys, dls_cone_newton_work *w, double tolerance, int limit,
                  double *z, double *u, dls_cone_report *report) {
  int *done = &report->iterations;
  double now = dls_cone_newton_steps(sys, w, tolerance, limit < FIRST_STEPS ? limit : FIRST_STEPS,
                                     FIRST_PATIENCE, z, u, done, &report->fallback);
  for (int k = 0; k < 2 && now > tolerance && *done < limit; k++) {
    int steps = k == 0 ? 100 : 200;
    now = dls_cone_smooth_steps(sys, w, tolerance, k == 0 ? 0.3 : 0.7,
                                steps < limit - *done ? steps : limit - *done, z, u, done);
  }
  if (now > tolerance && *done < limit)
    dls_cone_newton_steps(sys, w, tolerance, limit - *done, STEPS, z, u, done, &report->fallback);
}

/* Multiplications of a sweep in lanes, about. */
static double sweep_cost(const dls_cone_problem *pr) {
  const double all =
      pr->size ? (double)(pr->size->values + pr->size->diag) : (double)pr->n_rows * pr->n_rows;
  return dls_max(1, 0.25 * all + 15.0 * pr->n_groups);
}

dls_status dls_cone_newton(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                           double *p, double *v, dls_cone_report *report) {
  size_t mark = dls_arena_mark(tmp);
  dls_cone_system sys;
  dls_cone_newton_work w;
  *report = (dls_cone_report){.outcome = DLS_LIMIT, .method = "newton", .fault = {-1, 0}};
  dls_status status = dls_cone_system_build(pr, tmp, &sys, &report->fault);
  double *z = DLS_TAKE(tmp, double, pr->n_rows), *u = DLS_TAKE(tmp, double, pr->n_rows);
  if (status == DLS_OK) status = z && u ? dls_cone_newton_take(&sys, tmp, 0, &w) : DLS_FULL;
  if (status == DLS_OK) {
    dls_cone_system_start(&sys, opts->start, z);
    int limit = opts->max_iterations > 0 ? opts->max_iterations : STEPS;
    const double sweep = sweep_cost(pr);
    if (opts->work > 0) { /* each a factor, but for the sweeps before */
      const double swept = dls_min(FIRST_SWEEPS, opts->work / sweep),
                   rest = dls_max(0, opts->work - swept * sweep);
      const double most = swept + rest / dls_max(dls_cone_newton_factor(&sys, &w)->cost, 1);
      if (most < limit) limit = (int)dls_max(most, 1);
    }
    solve(&sys, &w, opts->tolerance / 2, limit, z, u, report);
    const int swept = report->iterations < FIRST_SWEEPS ? report->iterations : FIRST_SWEEPS;
    report->work =
        opts->work > 0 ? sweep * swept + w.factor.cost * (report->iterations - swept) : 0;
    dls_cone_system_finish(&sys, z, p);
    dls_cone_admit(pr, p);
    dls_cone_judge(pr, opts, p, v, DLS_LIMIT, report);
  }
  dls_arena_release(tmp, mark);
  return status;
}
