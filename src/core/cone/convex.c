/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/convex.h"

/* The search ends where phi's slope along the step is this part of the first; halvings at most; a
** secant keeps this part of the bracket at either end. */
#define FLAT 0.1
#define SEARCHES 30
#define INSIDE 0.1

enum { MOST = 3, SQUARE = MOST * MOST }; /* rows of a group */

bool dls_cone_convex_takes(const dls_cone_system *sys) {
  for (int g = 0; g < sys->n_groups; g++)
    if (sys->shape[g].n_parts > 1) return false;
  return true;
}

/* s of each group from the velocities u. */
static void fix_slips(const dls_cone_system *sys, const double *u, double *s) {
  for (int g = 0; g < sys->n_groups; g++) {
    double sum = 0;
    for (int k = 1; k < sys->dim[g]; k++)
      sum += u[sys->groups[g].row + k] * u[sys->groups[g].row + k];
    s[g] = sys->shape[g].n_parts > 0 ? sys->shape[g].mu[0] * sqrt(sum) : 0;
  }
}

/* x <- P_K(x) of a group; D: its slopes. */
static void project(const dls_cone_system *sys, int g, double *x, double *D) {
  const int d = sys->dim[g];
  memset(D, 0, (size_t)(d * d) * sizeof *D);
  if (sys->shape[g].n_parts == 0) {
    const double y = dls_clamp(x[0], sys->lo[g], sys->hi[g]);
    D[0] = y == x[0];
    x[0] = y;
    return;
  }
  const double mu = sys->shape[g].mu[0], size = dls_disk_length(d - 1, x + 1);
  if (mu * size <= -x[0]) {
    memset(x, 0, (size_t)d * sizeof *x);
    return;
  }
  if (size <= mu * x[0]) {
    for (int k = 0; k < d; k++) D[k * (d + 1)] = k == 0 || mu > 0;
    return;
  }
  const double part = 1 / (1 + mu * mu), normal = (x[0] + mu * size) * part,
               turn = normal * mu / size;
  double e[MOST] = {1};
  for (int k = 1; k < d; k++) e[k] = mu * x[k] / size;
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++) {
      D[i * d + k] = part * e[i] * e[k];
      if (i > 0 && k > 0) D[i * d + k] += turn * ((i == k) - x[i] * x[k] / (size * size));
    }
  for (int k = 0; k < d; k++) x[k] = normal * e[k];
}

/* a <- a^-1, symmetric and positive definite. */
static void invert(int d, double *a) {
  for (int k = 0; k < d; k++) {
    const double inverse = 1 / a[k * (d + 1)];
    a[k * (d + 1)] = 1;
    for (int j = 0; j < d; j++) a[k * d + j] *= inverse;
    for (int i = 0; i < d; i++) {
      const double f = a[i * d + k];
      if (i == k) continue;
      a[i * d + k] = 0;
      for (int j = 0; j < d; j++) a[i * d + j] -= f * a[k * d + j];
    }
  }
}

/* Impulses asked of a group by the velocities u + t du, before their projection. */
static void ask(const dls_cone_system *sys, const dls_cone_newton_work *w, int g, double e,
                const double *s, const double *u, double t, const double *du, double *x) {
  const int row = sys->groups[g].row;
  const double soft = 1 / (e * sys->norm[g]);
  for (int k = 0; k < sys->dim[g]; k++)
    x[k] = w->ref[row + k] - soft * (u[row + k] + t * du[row + k] + (k ? 0 : s[g]));
}

/* X, Y of S (D A + E) and F of S E (z - P_K), S = (|A_gg| D + E)^-1, whose rows are of order one.
** Answers the law's error. */
static double form(const dls_cone_system *sys, dls_cone_newton_work *w, double e, const double *s,
                   const double *z, const double *u) {
  double most = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    const int d = sys->dim[g], row = sys->groups[g].row;
    const double soft = e * sys->norm[g];
    double x[MOST], D[SQUARE], S[SQUARE], *X = w->X + sys->diag_at[g], *Y = w->Y + sys->diag_at[g],
                                          sum = 0;
    ask(sys, w, g, e, s, u, 0, u, x);
    project(sys, g, x, D);
    for (int i = 0; i < d * d; i++) S[i] = sys->norm[g] * D[i] + (i % (d + 1) == 0 ? soft : 0);
    invert(d, S);
    for (int i = 0; i < d; i++) {
      w->F[row + i] = w->E[row + i] = 0;
      for (int j = 0; j < d; j++) {
        X[i * d + j] = 0;
        for (int l = 0; l < d; l++) X[i * d + j] += S[i * d + l] * D[l * d + j];
        Y[i * d + j] = soft * S[i * d + j];
        w->F[row + i] += Y[i * d + j] * (z[row + j] - x[j]);
      }
      sum += w->F[row + i] * w->F[row + i];
    }
    most = dls_max(most, sqrt(sum) * sys->norm[g]);
  }
  return most;
}

/* The slope of phi along w->dz at the part t of it. */
static double slope(const dls_cone_system *sys, const dls_cone_newton_work *w, double e,
                    const double *s, const double *z, const double *u, double t) {
  double sum = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    const int row = sys->groups[g].row;
    double x[MOST];
    ask(sys, w, g, e, s, u, t, w->du, x);
    dls_cone_system_admit(sys, g, x);
    for (int k = 0; k < sys->dim[g]; k++)
      sum += w->du[row + k] * (z[row + k] + t * w->dz[row + k] - x[k]);
  }
  return sum;
}

/* The part of the step that leads to the least phi, about; at most 1. */
static double search(const dls_cone_system *sys, const dls_cone_newton_work *w, double e,
                     const double *s, const double *z, const double *u) {
  const double first = slope(sys, w, e, s, z, u, 0);
  double lo = 0, hi = 1, at_lo = first, at_hi = slope(sys, w, e, s, z, u, 1), t = 1;
  if (!(first < 0 && at_hi > -FLAT * first)) return 1;
  for (int k = 0; k < SEARCHES; k++) {
    t = lo + (hi - lo) * dls_clamp(at_lo / (at_lo - at_hi), INSIDE, 1 - INSIDE);
    const double now = slope(sys, w, e, s, z, u, t);
    if (fabs(now) <= -FLAT * first) break;
    if (now > 0) hi = t, at_hi = now;
    else lo = t, at_lo = now;
  }
  return t;
}

void dls_cone_convex_point(const dls_cone_system *sys, dls_cone_newton_work *w, double e,
                           double limit, int steps, double *z, double *u, int *done) {
  double *s = w->u_s; /* a number a group */
  memcpy(z, w->ref, (size_t)sys->n * sizeof(double));
  for (int k = 0;; k++) {
    dls_cone_system_image(sys, z, true, u);
    if (k == 0) fix_slips(sys, u, s);
    const double error = form(sys, w, e, s, z, u);
    if (!(error > limit * sys->scale) || k == steps ||
        dls_stop_poll(sys->problem->stop, w->factor.cost))
      return;
    dls_cone_factor_make(&w->factor, w->X, w->Y, w->E);
    for (int i = 0; i < sys->n; i++) w->dz[i] = -w->F[i];
    dls_cone_factor_solve(&w->factor, w->dz);
    dls_cone_system_image(sys, w->dz, false, w->du);
    const double t = search(sys, w, e, s, z, u);
    for (int i = 0; i < sys->n; i++) z[i] += t * w->dz[i];
    ++*done;
  }
}
