/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The structured form (fast.inc.h) of one state. */
#if !defined(DLS_FOREST_FAST_ONE_INC_H)
#define DLS_FOREST_FAST_ONE_INC_H

#include "core/math/elementary.h"

typedef double real;
typedef double creal;
typedef int mask;
typedef dls_node_state lane_state;
#define LANES 1
#define MASK_ALL 1
static inline mask above_bound(real x, real bound) { return x > bound; }
static inline bool all_of(mask m) { return m != 0; }
static inline real magnitude(real x) { return fabs(x); }
static inline void each_large_angle(real x, real *s, real *c) {
  if (!(fabs(x) < DLS_LANE_ANGLE)) dls_sincos(x, s, c);
}
#include "core/forest/fast.inc.h"

#endif
