/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/points.h"

#include "core/math/dense.h"

/* --- Alart and Curnier's equations ----------------------------------------------------------- */

static void copy_row(const dls_points *N, int i, double factor, double *A) {
  for (int j = 0; j < N->n; j++) A[j] += factor * N->W[(size_t)i * (size_t)N->n + (size_t)j];
  A[i] += factor * N->soft[i];
}

/* Rows i .. i + m - 1, a part of the group that begins with row `normal`: x = P(x - v/w), w the
** group's largest W_ii and P the projection on the disk of radius mu x_n. Errors E, and their
** slopes A where A is wanted. */
static void part(const dls_points *N, int normal, int i, int m, double mu, const double *x,
                 const double *v, double *E,
                 double *A) {
  const double w = N->most[i], bound = mu * dls_max(x[normal], 0);
  double y[2] = {0}, length = 0;
  for (int k = 0; k < m; k++) y[k] = x[i + k] - v[i + k] / w, length += y[k] * y[k];
  length = sqrt(length);
  const bool inside = length <= bound;
  for (int k = 0; k < m; k++) {
    E[i + k] = inside ? v[i + k] : w * (x[i + k] - bound * y[k] / length);
    double *row = A ? A + (size_t)(i + k) * N->ld : NULL;
    if (!row) continue;
    if (inside) {
      copy_row(N, i + k, 1, row);
      continue;
    }
    row[i + k] += w;
    row[normal] -= w * mu * y[k] / length;
    for (int l = 0; l < m; l++) {
      const double slope = bound / length * ((k == l) - y[k] * y[l] / (length * length));
      row[i + l] -= w * slope;
      copy_row(N, i + l, slope, row);
    }
  }
}

/* Rows of a group that moves nothing from row i on: x = 0. */
static void rest(const dls_points *N, int n, int i, const double *x, double *E, double *A) {
  for (int k = i; k < i + n; k++) {
    E[k] = x[k];
    if (A) A[(size_t)k * N->ld + (size_t)k] = 1;
  }
}

/* Rows of group g: its first row, what follows a normal. */
static void law(const dls_points *N, int g, const double *x, const double *v, double *E,
                double *A) {
  const dls_cone_group *group = &N->group[g];
  const dls_cone_law *of = &dls_cone_laws[group->kind];
  const bool holds = group->kind == DLS_CONE_BILATERAL, box = group->kind == DLS_CONE_BOX;
  const double least = box ? group->lo : N->least[g], largest = box ? group->hi : DLS_INF;
  const int i = group->row;
  const double y = x[i] - v[i] / N->most[i], end = y > least ? largest : least;
  const bool moves = holds || (y > least && y < largest);
  E[i] = moves ? v[i] : N->most[i] * (x[i] - end);
  if (A && moves) copy_row(N, i, 1, A + (size_t)i * N->ld);
  if (A && !moves) A[(size_t)i * N->ld + (size_t)i] = N->most[i];
  for (int k = 0, at = i + 1; k < of->n_parts; at += of->rows[k++])
    part(N, i, at, of->rows[k], group->mu[k], x, v, E, A);
}

/* Errors E of all rows, and their slopes where A is wanted; the sum of their squares, (m/s)^2. */
static double judge(const dls_points *N, const double *x, const double *v, double *E, double *A) {
  if (A) memset(A, 0, (size_t)N->n * N->ld * sizeof(double));
  for (int g = 0; g < N->n_groups; g++) {
    const int i = N->group[g].row;
    if (N->most[i] > 0) law(N, g, x, v, E, A);
    else rest(N, dls_cone_laws[N->group[g].kind].n_rows, i, x, E, A);
  }
  double sum = 0;
  for (int i = 0; i < N->n; i++) {
    const double e = E[i] / N->length[i];
    sum += e * e;
  }
  return sum;
}

/* --- Newton's steps -------------------------------------------------------------------------- */

/* Newton's direction at x; false: there is none. */
static bool aim(dls_points *N) {
  static const double APART = 1e-10; /* of W_ii: what keeps redundant rows apart */
  judge(N, N->x, N->v, N->E, N->A);
  for (int i = 0; i < N->n; i++) N->A[(size_t)i * N->ld + (size_t)i] += APART * N->most[i];
  if (dls_dense_lu(N->n, N->A, N->ld, N->perm) >= 0) return false;
  dls_dense_lu_solve(N->n, N->A, N->ld, N->perm, N->E, N->dx);
  for (int i = 0; i < N->n; i++) {
    N->dv[i] = N->soft[i] * N->dx[i];
    for (int j = 0; j < N->n; j++)
      N->dv[i] += N->W[(size_t)i * (size_t)N->n + (size_t)j] * N->dx[j];
  }
  return true;
}

/* x - share dx; the sum of squared errors there. */
static double try_share(dls_points *N, double share) {
  for (int i = 0; i < N->n; i++) {
    N->x_try[i] = N->x[i] - share * N->dx[i];
    N->v_try[i] = N->v[i] - share * N->dv[i];
  }
  return judge(N, N->x_try, N->v_try, N->E, NULL);
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
  double sum = judge(N, N->x, N->v, N->E, NULL);
  if (!step_freely(N, FREE, squared, &sum))
    for (int k = 0; k < DAMPED && sum > squared && step_down(N, &sum); k++) N->steps++;
  dls_stop_poll(N->stop, (double)(N->steps - before + 1) * N->n * (double)N->n * N->n / 3);
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
  judge(N, N->x, N->v_try, N->E, NULL);
  for (int i = 0; i < N->n; i++) worst = dls_max(worst, fabs(N->E[i]) / N->length[i]);
  return worst;
}
