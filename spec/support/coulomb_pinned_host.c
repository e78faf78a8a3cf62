/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/coulomb.h"

#include <math.h>
#include <stdio.h>

/* Contacts in space of which joints leave the normal alone: tangential rows of zeros. 0 <= p_n _|_ a p_n + q_n >= 0, and
** friction mu p_n against what slip there is, in numbers. Prints "ok", or the seed. */

static unsigned long long state;
static double within(double a) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return a * (2 * ((double)(state >> 11) * 0x1p-53) - 1);
}

int main(void) {
  for (int seed = 1; seed <= 2000; seed++) {
    state = (unsigned long long)seed * 2654435761ull;
    const double a = pow(10, within(6)), q[3] = {within(2), seed % 3 ? within(2) : 0, seed % 2 ? within(2) : 0};
    const double W[3][3] = {{a, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double p[3] = {within(1), within(1), within(1)};
    const double mu = seed % 5 ? fabs(within(2)) : 0, slip = sqrt(q[1] * q[1] + q[2] * q[2]);
    dls_coulomb_3(W, q, mu, p);
    const double want = q[0] < 0 ? -q[0] / a : 0;
    double off = fabs(p[0] - want);
    for (int k = 1; k < 3; k++) off = fmax(off, fabs(p[k] + (slip > 0 ? mu * want * q[k] / slip : 0)));
    if (!(off <= 1e-14 * (1 + mu) * want) || isnan(p[1]) || isnan(p[2])) {
      printf("seed %d: %g %g %g, not %g\n", seed, p[0], p[1], p[2], want);
      return 1;
    }
  }
  puts("ok");
  return 0;
}
