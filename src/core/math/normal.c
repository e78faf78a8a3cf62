/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/normal.h"

#include "core/math/elementary.h"

double dls_random_normal(dls_random *random) {
  const double u = dls_random_uniform(random), v = dls_random_uniform(random);
  return sqrt(-2 * dls_log(1 - u)) * dls_cos(2 * DLS_PI * v);
}
