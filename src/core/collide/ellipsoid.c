/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/ellipsoid.h"

double dls_ellipsoid_bend(dls_vec3 semi, dls_vec3 n, dls_vec3 x, dls_vec3 e, dls_vec3 g) {
  const double h = dls_v3_dot(n, x);
  const dls_vec3 De = dls_v3(semi.x * e.x, semi.y * e.y, semi.z * e.z);
  const dls_vec3 Dg = dls_v3(semi.x * g.x, semi.y * g.y, semi.z * g.z);
  return (dls_v3_dot(De, Dg) - dls_v3_dot(x, e) * dls_v3_dot(x, g)) / h;
}

/* With the least semi-axis as unit: the square of the distance is at least
**
**     G(t) = -t (1 - sum r_i^2 / (a_i^2 + t))            for every t in (-1, 0],
**
** and equal to it where  F(t) = sum (a_i r_i / (a_i^2 + t))^2 = 1, found by Newton's method on 1 /
** sqrt(F), which is nearly straight. */
double dls_ellipsoid_depth(dls_vec3 semi, dls_vec3 r) {
  enum { TURNS = 40 };
  const double least = dls_min(semi.x, dls_min(semi.y, semi.z));
  const double a[3] = {semi.x / least, semi.y / least, semi.z / least};
  const double p[3] = {r.x / least, r.y / least, r.z / least};
  /* `at`: where the largest term alone is 1, on the left of the root */
  double outside = -1, at = -1;
  for (int i = 0; i < 3; i++) {
    outside += p[i] / a[i] * (p[i] / a[i]);
    at = dls_max(at, a[i] * fabs(p[i]) - a[i] * a[i]);
  }
  if (!(outside < 0)) return -DLS_INF;
  double t = dls_max(at, -1 + 1e-12);
  for (int turn = 0; turn < TURNS; turn++) {
    double F = 0, slope = 0;
    for (int i = 0; i < 3; i++) {
      const double below = a[i] * a[i] + t, share = a[i] * p[i] / below;
      F += share * share, slope -= 2 * share * share / below;
    }
    if (!(slope < 0)) break;
    const double next = dls_clamp(t - 2 * F * (sqrt(F) - 1) / slope, -1 + 1e-12, 0);
    if (fabs(next - t) <= 1e-16) break;
    t = next;
  }
  double rest = 1;
  for (int i = 0; i < 3; i++) rest -= p[i] * p[i] / (a[i] * a[i] + t);
  return least * sqrt(dls_max(0, -t * rest));
}
