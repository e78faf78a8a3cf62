/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_SEGMENTS_H
#define DLS_COLLIDE_SEGMENTS_H

#include "core/math/vec.h"

/* Below this sine squared two axes are parallel, and the middle of their common part is taken. */
#define DLS_PARALLEL 1e-14

typedef struct dls_nearest {
  double s, t; /* places of least distance from the two centres, m */
} dls_nearest;

/* The nearest places of the segments s u, |s| <= half_u, and d + t v, |t| <= half_v (u, v unit):
** the clamped minimiser of a convex quadratic, one place given the other.
** Source: Ericson 2005, ch. 5.1.9. */
static inline dls_nearest dls_segments_nearest(dls_vec3 d, dls_vec3 u, double half_u, dls_vec3 v,
                                               double half_v) {
  double uv = dls_v3_dot(u, v), du = dls_v3_dot(d, u), dv = dls_v3_dot(d, v);
  dls_vec3 w = dls_v3_cross(u, v);
  double det = dls_v3_dot(w, w), s;
  if (det > DLS_PARALLEL) {
    s = (du - uv * dv) / det;
  } else {
    double reach = fabs(uv) * half_v;
    s = 0.5 * (dls_max(-half_u, du - reach) + dls_min(half_u, du + reach));
  }
  s = dls_clamp(s, -half_u, half_u);
  double t = dls_clamp(s * uv - dv, -half_v, half_v);
  s = dls_clamp(du + t * uv, -half_u, half_u);
  return (dls_nearest){s, dls_clamp(s * uv - dv, -half_v, half_v)};
}

#endif
