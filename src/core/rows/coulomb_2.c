/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/coulomb.h"

/* In the plane: open, stick, or one of both slips, by their closed forms. */

void dls_coulomb_2(double a, double c, double b, const double v_0[2], double mu, double p[2]) {
  p[0] = p[1] = 0;
  if (v_0[0] >= 0 || !(a > 0)) return;
  double det = a * b - c * c;
  if (det > 1e-14 * a * b) {
    double p_n = (c * v_0[1] - b * v_0[0]) / det, p_t = (c * v_0[0] - a * v_0[1]) / det;
    if (p_n >= 0 && fabs(p_t) <= mu * p_n) {
      p[0] = p_n;
      p[1] = p_t;
      return;
    }
  }
  /* Slip: p_t = s mu p_n against v_t. The direction is that of the sliding before normal force
  ** acts against friction; if it does not hold, the other. */
  double s = v_0[1] - c * v_0[0] / a > 0 ? -1 : 1;
  for (int turn = 0; turn < 2; turn++, s = -s) {
    double w = a + s * mu * c;
    if (!(w > 0)) continue;
    double p_n = -v_0[0] / w;
    double v_t = v_0[1] + (c + s * mu * b) * p_n;
    p[0] = p_n;
    p[1] = s * mu * p_n;
    if (s * v_t <= 0) return;
  }
}
