/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/points.h"

/* --- Alart and Curnier's equations ----------------------------------------------------------- */

/* Errors E of rows i .. i + m - 1, a part of the group that begins with row `normal`:
** x = P(x - v/w), w the part's largest W_ii and P the projection on the disk of radius mu x_n. */
static void part(const dls_points *N, int normal, int i, int m, double mu, const double *x,
                 const double *v, double *E) {
  const double w = N->most[i], bound = mu * dls_max(x[normal], 0);
  double y[2] = {0}, length = 0;
  for (int k = 0; k < m; k++) y[k] = x[i + k] - v[i + k] / w, length += y[k] * y[k];
  length = sqrt(length);
  for (int k = 0; k < m; k++)
    E[i + k] = length <= bound ? v[i + k] : w * (x[i + k] - bound * y[k] / length);
}

/* Their slopes in the rows of the group's blocks X and Y, d numbers each. */
static void part_slopes(const dls_points *N, int normal, int i, int m, double mu, int d, double *X,
                        double *Y) {
  const double w = N->most[i], bound = mu * dls_max(N->x[normal], 0);
  const int own = i - normal; /* row and column of the part in the group */
  double y[2] = {0}, length = 0;
  for (int k = 0; k < m; k++) y[k] = N->x[i + k] - N->v[i + k] / w, length += y[k] * y[k];
  length = sqrt(length);
  for (int k = own; k < own + m; k++) {
    if (length <= bound) {
      X[k * d + k] = 1;
      continue;
    }
    Y[k * d] -= w * mu * y[k - own] / length;
    Y[k * d + k] += w;
    for (int l = own; l < own + m; l++) {
      const double across = y[k - own] * y[l - own] / (length * length);
      X[k * d + l] = bound / length * ((k == l) - across);
      Y[k * d + l] -= w * X[k * d + l];
    }
  }
}

/* The range of a group's first impulse. */
static void range(const dls_points *N, int g, double *least, double *largest) {
  const dls_cone_group *group = &N->group[g];
  *least = N->least[g], *largest = DLS_INF;
  if (group->kind == DLS_CONE_BOX) *least = group->lo, *largest = group->hi;
  if (group->kind == DLS_CONE_BILATERAL) *least = -DLS_INF;
}

/* Errors of the rows of group g. */
static void law(const dls_points *N, int g, const double *x, const double *v, double *E) {
  const dls_cone_law *of = &dls_cone_laws[N->group[g].kind];
  const int i = N->group[g].row;
  double least, largest;
  range(N, g, &least, &largest);
  const double y = x[i] - v[i] / N->most[i];
  E[i] = y > least && y < largest ? v[i] : N->most[i] * (x[i] - (y > least ? largest : least));
  for (int k = 0, at = i + 1; k < of->n_parts; at += of->rows[k++])
    part(N, i, at, of->rows[k], N->group[g].mu[k], x, v, E);
}

/* Slopes of the rows of group g at x and v, d x d each. */
static void slopes(const dls_points *N, int g, double *X, double *Y) {
  const dls_cone_law *of = &dls_cone_laws[N->group[g].kind];
  const int i = N->group[g].row, d = of->n_rows;
  memset(X, 0, (size_t)(d * d) * sizeof *X);
  memset(Y, 0, (size_t)(d * d) * sizeof *Y);
  if (!(N->most[i] > 0)) { /* nothing moves: x = 0 */
    for (int k = 0; k < d; k++) Y[k * d + k] = 1;
    return;
  }
  double least, largest;
  range(N, g, &least, &largest);
  const double y = N->x[i] - N->v[i] / N->most[i];
  if (y > least && y < largest) X[0] = 1;
  else Y[0] = N->most[i];
  for (int k = 0, at = i + 1; k < of->n_parts; at += of->rows[k++])
    part_slopes(N, i, at, of->rows[k], N->group[g].mu[k], d, X, Y);
}

/* Errors E of all rows; the sum of their squares, (m/s)^2. */
static double judge(const dls_points *N, const double *x, const double *v, double *E) {
  for (int g = 0; g < N->n_groups; g++) {
    const int i = N->group[g].row, end = i + dls_cone_laws[N->group[g].kind].n_rows;
    if (N->most[i] > 0) law(N, g, x, v, E);
    else memcpy(E + i, x + i, (size_t)(end - i) * sizeof *E);
  }
  double sum = 0;
  for (int i = 0; i < N->n; i++) {
    const double e = E[i] * N->length[i];
    sum += e * e;
  }
  return sum;
}

/* --- Newton's steps -------------------------------------------------------------------------- */

/* Newton's direction at x; false: there is none. */
static bool aim(dls_points *N) {
  static const double APART = 1e-10; /* of W_ii: what keeps redundant rows apart */
  const dls_cone_system *sys = &N->system;
  const double unit = sys->unit_a; /* of the system's W */
  if (!N->factor.ready) return false;
  judge(N, N->x, N->v, N->dx);
  for (int g = 0; g < N->n_groups; g++)
    slopes(N, g, N->X + sys->diag_at[g], N->Y + sys->diag_at[g]);
  for (size_t k = 0; k < N->size.diag; k++) N->Y[k] /= unit;
  for (int i = 0; i < N->n; i++) {
    N->dx[i] /= unit;
    N->E[i] = (N->soft[i] + APART * N->most[i]) / unit;
  }
  if (dls_cone_factor_make(&N->factor, N->X, N->Y, N->E) > 0) return false;
  dls_cone_factor_solve(&N->factor, N->dx);
  dls_cone_system_image(sys, N->dx, false, N->dv);
  for (int i = 0; i < N->n; i++) N->dv[i] = unit * N->dv[i] + N->soft[i] * N->dx[i];
  return true;
}

/* x - share dx; the sum of squared errors there. */
static double try_share(dls_points *N, double share) {
  for (int i = 0; i < N->n; i++) {
    N->x_try[i] = N->x[i] - share * N->dx[i];
    N->v_try[i] = N->v[i] - share * N->dv[i];
  }
  return judge(N, N->x_try, N->v_try, N->E);
}

static void go_to_try(dls_points *N) {
  memcpy(N->x, N->x_try, (size_t)N->n * sizeof(double));
  memcpy(N->v, N->v_try, (size_t)N->n * sizeof(double));
}

/* The step halved until the errors fall; false: they do not. */
static bool step_down(dls_points *N, double *sum) {
  enum { HALVINGS = 20 };
  if (!aim(N)) return false;
  double share = 1;
  for (int half = 0; half < HALVINGS; half++, share *= 0.5) {
    const double now = try_share(N, share);
    if (!(now < *sum)) continue;
    go_to_try(N);
    *sum = now;
    return true;
  }
  return false;
}

/* Full steps, which end where the states of all rows are right; where they do not, x and v are as
** before. */
static bool step_freely(dls_points *N, int most, double enough, double *sum) {
  const size_t size = (size_t)N->n * sizeof(double);
  memcpy(N->x_kept, N->x, size);
  memcpy(N->v_kept, N->v, size);
  for (int k = 0; k < most && aim(N); k++) {
    const double now = try_share(N, 1);
    N->steps++;
    go_to_try(N);
    if (!(now <= enough)) continue;
    *sum = now;
    return true;
  }
  memcpy(N->x, N->x_kept, size);
  memcpy(N->v, N->v_kept, size);
  return false;
}

bool dls_points_solve(dls_points *N, double enough) {
  enum { FREE = 12, DAMPED = 20 }; /* steps */
  const double squared = enough * enough;
  const int before = N->steps;
  double sum = judge(N, N->x, N->v, N->E);
  if (!step_freely(N, FREE, squared, &sum))
    for (int k = 0; k < DAMPED && sum > squared && step_down(N, &sum); k++) N->steps++;
  dls_stop_poll(N->stop, (N->steps - before + 1) * (N->factor.cost + (double)N->n * N->n));
  return sum <= squared;
}

/* --- impulses -------------------------------------------------------------------------------- */

void dls_points_go(dls_points *N, const double *x) {
  for (int i = 0; i < N->n; i++) N->dx[i] = x[i] - N->x[i];
  for (int i = 0; i < N->n; i++)
    for (int j = 0; j < N->n; j++) N->v[i] += N->W[(size_t)i * (size_t)N->n + (size_t)j] * N->dx[j];
  memmove(N->x, x, (size_t)N->n * sizeof(double));
}

double dls_points_error(dls_points *N) {
  double worst = 0;
  for (int i = 0; i < N->n; i++) N->v_try[i] = N->v[i] - N->soft[i] * (N->x[i] - N->centre[i]);
  judge(N, N->x, N->v_try, N->E);
  for (int i = 0; i < N->n; i++) worst = dls_max(worst, fabs(N->E[i]) * N->length[i]);
  return worst;
}
