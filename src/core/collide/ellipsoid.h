/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_ELLIPSOID_H
#define DLS_COLLIDE_ELLIPSOID_H

#include "core/math/mat.h"

/* The ellipsoid { x : |D^-1 x| <= 1 }, D the diagonal of its semi-axes, in its own frame. With
**
**     h(n) = |D n|            its reach along n (support function, of degree 1),
**     x(n) = D^2 n / h        the point there whose outward normal is along n,
**
** the second derivative of h is  (D^2 - x x') / h: along unit n what a normal's turn moves the
** point by. Source: D. Eberly, "Distance from a point to an ellipse, an ellipsoid, or a
** hyperellipsoid", 2013 (depth). */

/* x(d): d need not be unit; a zero d has the end of the first axis. */
static inline dls_vec3 dls_ellipsoid_point(dls_vec3 semi, dls_vec3 d) {
  const dls_vec3 w = dls_v3(semi.x * d.x, semi.y * d.y, semi.z * d.z);
  const double reach = dls_v3_norm(w);
  if (!(reach > 0)) return dls_v3(semi.x, 0, 0);
  return dls_v3(semi.x * (w.x / reach), semi.y * (w.y / reach), semi.z * (w.z / reach));
}

/* e . h''(n) g for a unit n, x = x(n). */
double dls_ellipsoid_bend(dls_vec3 semi, dls_vec3 n, dls_vec3 x, dls_vec3 e, dls_vec3 g);

/* A lower bound of how far r inside is from the surface, exact to rounding but for the last bits;
** -infinity outside. */
double dls_ellipsoid_depth(dls_vec3 semi, dls_vec3 r);

#endif
