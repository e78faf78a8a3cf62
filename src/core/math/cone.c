/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/cone.h"

/* Squares outside these would leave the range of numbers. */
#define SMALL 1e-140
#define LARGE 1e140

double dls_disk_length(int d, const double *x) {
  if (d == 1) return fabs(x[0]);
  double most = dls_max(fabs(x[0]), fabs(x[1]));
  if (most > SMALL && most < LARGE) return sqrt(x[0] * x[0] + x[1] * x[1]);
  if (!(most > 0) || !dls_is_finite(most)) return most;
  double a = x[0] / most, b = x[1] / most;
  return most * sqrt(a * a + b * b);
}

void dls_disk_project(int d, double radius, double *x) {
  double a = dls_disk_length(d, x);
  if (a <= radius) return;
  if (d == 1) {
    x[0] = x[0] > 0 ? radius : -radius;
    return;
  }
  double f = radius / a;
  x[0] *= f;
  x[1] *= f;
}

/* The root n of n - n_0 - sum_k mu_k max(0, a_k - mu_k n) over n >= 0: parts outside at n = 0 are
** those with a_k > 0; a part leaves the sum once n >= a_k / mu_k, the smallest ratio first. */
static double normal(int m, const double *mu, const double *a, double n_0) {
  bool out[DLS_CONE_PARTS];
  double num = n_0, den = 1;
  for (int k = 0; k < m; k++) {
    out[k] = a[k] > 0 && mu[k] > 0;
    if (out[k]) num += mu[k] * a[k], den += mu[k] * mu[k];
  }
  for (int round = 0; round < m; round++) {
    int next = -1;
    for (int k = 0; k < m; k++) /* the part that comes to lie inside first */
      if (out[k] && (next < 0 || a[k] * mu[next] < a[next] * mu[k])) next = k;
    if (next < 0 || num * mu[next] <= a[next] * den) break;
    out[next] = false; /* n = num/den > a/mu: inside */
    num -= mu[next] * a[next];
    den -= mu[next] * mu[next];
  }
  bool any = false;
  for (int k = 0; k < m; k++) any = any || out[k];
  double n = any ? num / den : n_0; /* n_0 itself, without round-off, where all lie inside */
  return n > 0 ? n : 0;
}

void dls_cone_project(const dls_cone_shape *shape, double *p) {
  double a[DLS_CONE_PARTS];
  int at = 1;
  for (int k = 0; k < shape->n_parts; at += shape->rows[k], k++)
    a[k] = dls_disk_length(shape->rows[k], p + at);
  p[0] = normal(shape->n_parts, shape->mu, a, p[0]);
  at = 1;
  for (int k = 0; k < shape->n_parts; at += shape->rows[k], k++)
    dls_disk_project(shape->rows[k], shape->mu[k] * p[0], p + at);
}
