/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Comparisons and signs of LANES numbers, for eliminate.inc.h. */
#define MASK_ALL (~(mask){0})

static inline mask above_bound(real x, real bound) { return x > bound; }
static inline bool all_of(mask m) {
  long long all = -1;
  for (int l = 0; l < LANES; l++) all &= DLS_HOLDS(m, l);
  return all != 0;
}
static inline real magnitude(real x) {
#ifdef DLS_PLAIN_C
  return fabs(x);
#else
  return (real)((mask)x & ((mask){0} + 0x7fffffffffffffffLL));
#endif
}
static inline void each_large_angle(real x, real *s, real *c) {
  if (all_of(magnitude(x) < (real){0} + DLS_LANE_ANGLE)) return;
  for (int l = 0; l < LANES; l++) {
    if (fabs(DLS_LANE(x, l)) < DLS_LANE_ANGLE) continue;
    double sin_x, cos_x;
    dls_sincos(DLS_LANE(x, l), &sin_x, &cos_x);
    DLS_LANE(*s, l) = sin_x;
    DLS_LANE(*c, l) = cos_x;
  }
}
