/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* What the sweeps in lanes (lanes.inc.h, lanes3.inc.h, sweep_lanes.inc.h) say of vectors: their
** types are vec, mask (whole numbers as wide) and loose (a vec anywhere in memory). */
#include "core/base/vector.h"

#define PICK(m, x, y) DLS_PICK(vec, mask, m, x, y)
#define KEEP(m, x) DLS_KEEP(vec, mask, m, x)
#define LOAD(p) ((vec)*(const loose *)(p))
#define STORE(p, x) (*(loose *)(p) = (loose)(x))

/* Bodies are read and written as rows of numbers and turned into columns of lanes; where the
** compiler has no shuffles, number by number. */
#if defined(__has_builtin) && !defined(DLS_PLAIN_C)
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE __builtin_shufflevector
#endif
#endif

/* The sum of sixteen lanes, in the one tree, and the largest of them, which are no less than 0. */
static inline double sum_of_sixteen(const float *s) {
  float x[8];
  for (int i = 0; i < 8; i++) x[i] = s[i] + s[i + 8];
  return (double)(((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])));
}

static inline double most_of_sixteen(const float *s) {
  float most = 0;
  for (int i = 0; i < 16; i++)
    if (!(s[i] <= most)) most = s[i];
  return (double)most;
}
