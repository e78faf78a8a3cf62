/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/coulomb.h"

/* In space: open, stick, or the slip by one scalar equation in the eigenframe of what the normal
** leaves of the tangents. */

void dls_coulomb_3(const double W[3][3], const double v_0[3], double mu, double p[3]) {
  p[0] = p[1] = p[2] = 0;
  double a = W[0][0];
  if (v_0[0] >= 0 || !(a > 0)) return;
  double c1 = W[1][0], c2 = W[2][0];
  double s11 = W[1][1] - c1 * c1 / a, s12 = W[1][2] - c1 * c2 / a, s22 = W[2][2] - c2 * c2 / a;
  double g1 = v_0[1] - c1 * v_0[0] / a, g2 = v_0[2] - c2 * v_0[0] / a;
  /* Eigenframe (e, e turned left) of S. */
  double half = 0.5 * (s11 - s22), radius = sqrt(half * half + s12 * s12);
  double mean = 0.5 * (s11 + s22), d1 = mean + radius, d2 = mean - radius;
  double e1 = 1, e2 = 0;
  if (radius > 0) {
    double x = half >= 0 ? half + radius : s12, y = half >= 0 ? s12 : radius - half;
    double norm = sqrt(x * x + y * y);
    e1 = x / norm;
    e2 = y / norm;
  }
  double h1 = e1 * g1 + e2 * g2, h2 = e1 * g2 - e2 * g1;
  double k1 = e1 * c1 + e2 * c2, k2 = e1 * c2 - e2 * c1;
  /* What W does not move, no impulse brings to rest: beside a point that joints hold, say. */
  const double floor_d = 1e-14 * (W[1][1] + W[2][2]),
               still = 1e-12 * (fabs(v_0[0]) + fabs(v_0[1]) + fabs(v_0[2]));
  /* no impulse moves it along the tangent: friction is against what slip there is */
  if (!(floor_d > 0)) {
    const double slip = sqrt(v_0[1] * v_0[1] + v_0[2] * v_0[2]);
    p[0] = -v_0[0] / a;
    for (int k = 1; k < 3 && slip > 0; k++) p[k] = -mu * p[0] * v_0[k] / slip;
    return;
  }
  const bool sticks = (d1 > floor_d || fabs(h1) <= still) && (d2 > floor_d || fabs(h2) <= still);
  d1 = dls_max(d1, floor_d), d2 = dls_max(d2, floor_d);
  double x1 = -h1 / d1, x2 = -h2 / d2, n = -(v_0[0] + k1 * x1 + k2 * x2) / a;
  double length = sqrt(x1 * x1 + x2 * x2);
  if (!(sticks && n >= 0 && length <= mu * n)) {
    /* f(l) = |p_t| - mu p_n: > 0 at l = 0, < 0 for large l. */
    double lo = 0, hi = 0, norm_h = sqrt(h1 * h1 + h2 * h2);
    double l = mu > 0 ? dls_max(norm_h * a / (mu * -v_0[0]) - mean, 0) : 0;
    if (!(mu > 0)) {
      p[0] = -v_0[0] / a;
      return;
    }
    for (int i = 0; i < 100; i++) {
      double r1 = 1 / (d1 + l), r2 = 1 / (d2 + l);
      x1 = -h1 * r1;
      x2 = -h2 * r2;
      length = sqrt(x1 * x1 + x2 * x2);
      n = -(v_0[0] + k1 * x1 + k2 * x2) / a;
      double f = length - mu * n;
      if (fabs(f) <= 3e-16 * (length + mu * fabs(n))) break;
      if (f > 0) lo = l;
      else hi = l;
      const double length2 = length * length;
      const double slope =
          mu * ((k1 * x1 * r1 + k2 * x2 * r2) / a * length2 + n * (x1 * x1 * r1 + x2 * x2 * r2));
      double next = slope > 0 ? l + f * length2 / slope : -1;
      if (hi > 0 ? !(next > lo && next < hi) : !(next > lo))
        next = hi > 0 ? 0.5 * (lo + hi) : 2 * l + d1;
      if (next == l || (hi > 0 && hi - lo <= 1e-16 * hi)) break;
      l = next;
    }
    /* The bound exactly: the cone is never left by rounding of l. */
    if (n < 0) n = 0;
    double fit = length > 0 ? mu * n / length : 0;
    x1 *= fit;
    x2 *= fit;
  }
  p[0] = n;
  p[1] = e1 * x1 - e2 * x2;
  p[2] = e2 * x1 + e1 * x2;
}
