/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_MOMENTUM_H
#define DLS_MATH_MOMENTUM_H

#include "core/base/real.h"

/* The share of its last change by which an iterate is carried on, Nesterov's sequence (1983):
**
**     beta = (t - 1) / t',    t' = (1 + sqrt(1 + 4 t^2)) / 2
**
** from t = 1, where beta = 0: there momentum begins and is begun again. */
static inline double dls_momentum_share(double *t) {
  const double next = 0.5 * (1 + sqrt(1 + 4 * *t * *t)), beta = (*t - 1) / next;
  *t = next;
  return beta;
}

#endif
