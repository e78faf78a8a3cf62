/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Coulomb's law of one planar block against its conditions, for random positive definite W (W12 != 0) and velocities:
** u = W p + q, 0 <= p_n, 0 <= u_n, p_n u_n = 0, |p_t| <= mu p_n, and p_t = -mu p_n sign(u_t) where u_t != 0. */
#include "core/base/random.h"
#include "core/rows/coulomb.h"

#include <stdio.h>

int main(void) {
  int slips[2] = {0, 0}, sticks = 0, apart = 0, wrong = 0;
  for (int seed = 1; seed <= 2000; seed++) {
    dls_random r = dls_random_seed((uint64_t)seed);
    const double a = dls_random_range(&r, 0.5, 2), b = dls_random_range(&r, 0.5, 2), mu = dls_random_range(&r, 0.05, 1.5);
    const double c = dls_random_range(&r, -0.95, 0.95) * sqrt(a * b);
    const double q[2] = {dls_random_range(&r, -1, 0.2), dls_random_range(&r, -2, 2)};
    if (mu * fabs(c) >= a) continue; /* Painleve: several answers, or none */
    double p[2];
    dls_coulomb_2(a, c, b, q, mu, p);
    const double u_n = a * p[0] + c * p[1] + q[0], u_t = c * p[0] + b * p[1] + q[1], eps = 1e-13;
    bool good = p[0] >= 0 && u_n >= -eps && fabs(p[0] * u_n) <= eps && fabs(p[1]) <= mu * p[0] * (1 + eps);
    if (fabs(u_t) > eps && p[0] > 0) {
      good = good && fabs(p[1] + mu * p[0] * (u_t > 0 ? 1 : -1)) <= eps;
      slips[u_t > 0]++;
    } else if (p[0] > 0) sticks++;
    else apart++;
    if (!good) {
      printf("seed %d: a %g b %g c %g mu %g q %g %g: p %g %g, u %g %g\n", seed, a, b, c, mu, q[0], q[1], p[0], p[1], u_n, u_t);
      if (++wrong > 5) break;
    }
  }
  const bool all = slips[0] > 200 && slips[1] > 200 && sticks > 200 && apart > 50;
  if (wrong == 0) printf(all ? "ok\n" : "too few of a case: %d %d %d %d\n", slips[0], slips[1], sticks, apart);
  return wrong;
}
