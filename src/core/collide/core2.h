/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_CORE2_H
#define DLS_COLLIDE_CORE2_H

#include "core/collide/sink.h"

/* Round-cornered convex bodies of the plane: the points within r of the hull of n corners.
**   n = 1 disk, n = 2 capsule or segment (two sides, one to the left and one to the right),
**   n > 2 polygon, counterclockwise. Side i goes from corner i to corner i + 1.
**
** The pair of two cores. Where the hulls are apart, their distance is that of the nearest
** features, and n joins them; where they overlap, n is the side normal with the largest
** separation  s_i = min_j n_i . (w_j - v_i)  (separating axes: exact, since the Minkowski
** difference of two polygons has these side normals only). The second point comes from clipping
** the incident side to the span of the reference side.
** Source: Ericson 2005, ch. 5; van den Bergen 2003, ch. 4. */
typedef struct dls_core2 {
  int n;                              /* corners                                    */
  double r;                           /* rounding radius, m                         */
  dls_vec2 v[DLS_MAX_CORNERS];        /* corners, world axes, relative to an origin */
  dls_vec2 normal[DLS_MAX_CORNERS];   /* outward unit normals of the sides (n > 1)  */
} dls_core2;

/* The core of a disk, capsule, segment, box or polygon at a pose, seen from `origin`. */
void dls_core2_make(dls_core2 *core, const dls_shape *shape, const dls_pose2 *pose,
                    dls_vec2 origin);

void dls_core2_pair(const dls_core2 *a, const dls_core2 *b, dls_vec2 origin, dls_sink *sink);

#endif
