/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_SEPARATE3_H
#define DLS_COLLIDE_SEPARATE3_H

#include "core/collide/collide.h"

/* The gap of two convex bodies of space as the largest separation over all directions,
**
**     gap = max over |n| = 1 of  s(n),     s(n) = n . y - n . x,
**     x the farthest point of a along n, y that of b along -n.
**
** s(n) is a lower bound of the gap for every n, apart or not, so candidates can only improve it.
** Where s is smooth or creased decides where its maximum lies:
**   a face normal of either                                              (face, end of a cylinder)
**   n across an edge (n . e = 0) of each: where two such circles meet    (edge on edge, side on side)
**   n on one such circle, s stationary along it                          (side or edge on a rim, corner)
**   n anywhere, s stationary                 (rim on rim, corner on corner, ellipsoid on any of them)
** For a cone the circle of its side is n . e = (r1 - r2) / |side|. The first two can be written
** down; the others are climbed to from the best of them: false position on s' within a bracket, and
** Newton's method on the sphere with the curvature of the rims, accepted only where s grows. What
** is reached is the answer where something shows that no direction has more: a point of one body so
** deep in the other, two points at that distance (GJK), or branch and bound over all directions
** (bound3.h), which otherwise says where to climb next. Sources: Gilbert, Johnson & Keerthi, IEEE
** J. Robotics and Automation 4 (1988); van den Bergen 2003, ch. 4; Gottschalk, Lin & Manocha,
** SIGGRAPH 1996 (separating axes). */

/* A convex shape placed relative to an origin near the pair; its rounding radius is left out. */
typedef struct dls_body3 {
  /* sphere, capsule, cylinder, cone, box, convex (also a triangle), ellipsoid */
  const dls_shape *shape;
  dls_mat3 R;             /* rotation to world axes                                          */
  dls_vec3 p;             /* its origin                                                      */
  double tilt;            /* n . axis on the circle of its edges or side: 0 but for a cone   */
} dls_body3;

dls_body3 dls_body3_make(const dls_shape *shape, const dls_pose3 *pose, dls_vec3 origin);

bool dls_body3_round(const dls_body3 *body); /* a cylinder, cone or ellipsoid */

/* The farthest point of the unrounded body along n (world axes, need not be unit). */
dls_vec3 dls_body3_support(const dls_body3 *body, dls_vec3 n);

typedef struct dls_separation3 {
  double value;   /* s(n), radii left out                                  */
  dls_vec3 n;     /* unit                                                  */
  dls_vec3 x, y;  /* farthest points of a along n and of b along -n        */
} dls_separation3;

/* Whether n points behind a front, beyond the last digits of directions on its edge; nothing is
** behind none. */
static inline bool dls_behind(dls_vec3 n, dls_vec3 front) { return dls_v3_dot(n, front) < -1e-12; }

/* The best of the directions that can be written down: between the axes, face normals, crossings.
** Only normals that are not behind the front are considered where it is not zero. Of flat bodies
** that overlap it is the answer. */
dls_separation3 dls_separate3_candidates(const dls_body3 *a, const dls_body3 *b, double enough,
                                         dls_vec3 front);

/* The largest separation, from the best candidate on; gives up as soon as some s(n) > enough (the
** result is then a lower bound). No direction has more than dls_separate3_tolerance beyond it. */
dls_separation3 dls_separate3(const dls_body3 *a, const dls_body3 *b, double enough,
                              dls_vec3 front, const dls_separation3 *from);

/* What a proof that a separation is the largest leaves open, m. */
double dls_separate3_tolerance(const dls_body3 *a, const dls_body3 *b, double value);

/* How far a point is inside of the unrounded body: its distance from all sides; not positive
** outside, and of a body that has no inside. */
double dls_body3_depth(const dls_body3 *body, dls_vec3 p);

/* The nearest points of bodies that are apart by more than about 1e-12 of their size, by GJK: v = y
** - x at least distance. False where they overlap or touch. */
bool dls_gjk3(const dls_body3 *a, const dls_body3 *b, dls_vec3 *x, dls_vec3 *y);

#endif
