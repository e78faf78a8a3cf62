/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SPEC_CHANCE_H
#define DLS_SPEC_CHANCE_H

#include <stdint.h>

/* Numbers by chance for hosts of specs: the same for a seed everywhere. */
static uint64_t state;
static inline double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static inline double within(double a) { return a * (2 * uniform() - 1); }
static inline double between(double a, double b) { return a + (b - a) * uniform(); }

#endif
