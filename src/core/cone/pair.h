/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_PAIR_H
#define DLS_CONE_PAIR_H

#include "core/base/real.h"

/* A complementary pair of an interior-point method: a, b strictly inside the Lorentz cone of 1
** (numbers), 2 or 3 dimensions, on the way to a . b = 0. With  x o y = (x . y, x_0 y_T + y_0 x_T)
** the way is  a o b = t e, e = (1, 0, 0). Nesterov and Todd's scaling W = W' takes both to one
** point,  W a = W^-1 b = l,
**
**     W = eta [w_0 w'; w 1 + w w'/(1 + w_0)],   G = W W = eta^2 (2 w w' - J),   J = diag(1, -1, -1),
**
** and a step da, db is asked to hold   l o (W da + W^-1 db) = r,  that is  G da + db = c = W (l \
** r). Source: Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010, sections 4
** and 5. */
typedef struct dls_cone_pair {
  int dim; /* 1 to 3 */
  double a[3], b[3]; /* inside of the cone */
  double w[3], eta, l[3]; /* the scaling; l = W a */
  double c[3], goal;    /* goal = r_0 = a . db + b . da */
  double da[3], db[3];  /* the step */
} dls_cone_pair;

static inline double dls_pair_dot(int d, const double *x, const double *y) {
  double sum = x[0] * y[0];
  for (int k = 1; k < d; k++) sum += x[k] * y[k];
  return sum;
}

static inline double dls_pair_tail(int d, const double *x) {
  return d == 1 ? 0 : d == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

/* x' J x, without cancellation. */
static inline double dls_pair_det(int d, const double *x) {
  const double tail = dls_pair_tail(d, x);
  return (x[0] - tail) * (x[0] + tail);
}

/* x o y; out may be one of them. */
static inline void dls_pair_product(int d, const double *x, const double *y, double *out) {
  double p[3] = {dls_pair_dot(d, x, y), 0, 0};
  for (int k = 1; k < d; k++) p[k] = x[0] * y[k] + y[0] * x[k];
  for (int k = 0; k < d; k++) out[k] = p[k];
}

/* out with l o out = x; out may be x. */
static inline void dls_pair_divide(int d, const double *l, const double *x, double *out) {
  double along = l[0] * x[0];
  for (int k = 1; k < d; k++) along -= l[k] * x[k];
  const double first = d == 1 ? x[0] / l[0] : along / dls_pair_det(d, l);
  for (int k = 1; k < d; k++) out[k] = (x[k] - first * l[k]) / l[0];
  out[0] = first;
}

/* out = W x, or W^-1 x; out may be x. */
static inline void dls_pair_scale(const dls_cone_pair *o, bool back, const double *x, double *out) {
  const double sign = back ? -1 : 1, f = back ? 1 / o->eta : o->eta, first = x[0];
  double sum = 0;
  for (int k = 1; k < o->dim; k++) sum += o->w[k] * x[k];
  for (int k = 1; k < o->dim; k++)
    out[k] = f * (x[k] + o->w[k] * (sign * first + sum / (1 + o->w[0])));
  out[0] = f * (o->w[0] * first + sign * sum);
}

/* The scaling of a, b; false where one has left its cone. */
static inline bool dls_pair_balance(dls_cone_pair *o) {
  const int d = o->dim;
  const double det_a = dls_pair_det(d, o->a), det_b = dls_pair_det(d, o->b);
  if (!(det_a > 0 && det_b > 0 && o->a[0] > 0 && o->b[0] > 0)) return false;
  const double unit_a = 1 / sqrt(det_a), unit_b = 1 / sqrt(det_b);
  double sum = 1, size = 1;
  for (int k = 0; k < d; k++) sum += (o->a[k] * unit_a) * (o->b[k] * unit_b);
  const double half = 1 / (2 * sqrt(sum / 2));
  for (int k = 1; k < d; k++) {
    o->w[k] = (o->b[k] * unit_b - o->a[k] * unit_a) * half;
    size += o->w[k] * o->w[k];
  }
  o->w[0] = sqrt(size);
  o->eta = sqrt(sqrt(det_b) * unit_a);
  dls_pair_scale(o, false, o->a, o->l);
  return o->eta > 0 && dls_is_finite(o->eta) && dls_is_finite(size);
}

/* G_ij. */
static inline double dls_pair_entry(const dls_cone_pair *o, int i, int j) {
  return o->eta * o->eta * (2 * o->w[i] * o->w[j] + (i != j ? 0 : i == 0 ? -1 : 1));
}

/* c and goal for a o b = t e; `correct`: less the second-order part of the step at hand
** (Mehrotra). */
static inline void dls_pair_aim(dls_cone_pair *o, double t, bool correct) {
  double r[3] = {0}, x[3], y[3];
  dls_pair_product(o->dim, o->l, o->l, r);
  for (int k = 0; k < o->dim; k++) r[k] = (k == 0 ? t : 0) - r[k];
  if (correct) {
    dls_pair_scale(o, false, o->da, x);
    dls_pair_scale(o, true, o->db, y);
    dls_pair_product(o->dim, x, y, x);
    for (int k = 0; k < o->dim; k++) r[k] -= x[k];
  }
  o->goal = r[0];
  dls_pair_divide(o->dim, o->l, r, r);
  dls_pair_scale(o, false, r, o->c);
}

/* db = c - G da. */
static inline void dls_pair_answer(dls_cone_pair *o) {
  double x[3];
  dls_pair_scale(o, false, o->da, x);
  dls_pair_scale(o, false, x, x);
  for (int k = 0; k < o->dim; k++) o->db[k] = o->c[k] - x[k];
}

/* How far x can go along dx inside the cone, at most `most`: the least root of
** (x_0 + s dx_0)^2 = |x_T + s dx_T|^2 with a first number that is not negative. */
static inline double dls_pair_reach(int d, const double *x, const double *dx, double most) {
  if (dx[0] < 0) most = dls_min(most, -x[0] / dx[0]);
  if (d == 1) return most;
  double a = dx[0] * dx[0], b = x[0] * dx[0];
  for (int k = 1; k < d; k++) a -= dx[k] * dx[k], b -= x[k] * dx[k];
  const double c = dls_pair_det(d, x), under = b * b - a * c;
  if (under < 0 || (a >= 0 && b >= 0)) return most;
  const double s = b >= 0 ? (-b - sqrt(under)) / a : c / (sqrt(under) - b);
  return s > 0 ? dls_min(most, s) : most;
}

#endif
