/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/accelerate.h"

#include "core/math/momentum.h"

/* The largest theta: what rounding leaves between velocities and impulses grows by it. */
static const double THETA_MAX = 8;

double dls_accelerate(dls_acceleration *x, dls_sweep_change c) {
  const bool first = x->done++ == 0, gains = !first && c.ff <= x->ff && c.dd > 0;
  x->ff = c.ff;
  if (x->done > x->momentum) return gains ? dls_clamp(c.fd / c.dd, -THETA_MAX, THETA_MAX) : 0;
  const bool grown = !first && c.ff > DLS_RESTART_GROWTH * x->best;
  if (first || grown || c.turn > 0) x->t = 1;
  if (first || grown || c.ff < x->best) x->best = c.ff;
  return -dls_min(dls_momentum_share(&x->t), DLS_BETA_MAX);
}
