/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_CONE_H
#define DLS_MATH_CONE_H

#include "core/base/real.h"

/* Euclidean projections on the sets of dry friction. A friction cone with several parts,
**
**     K = { (n, p_1, ..., p_m) :  n >= 0,  |p_k| <= mu_k n },
**
** has one part for sliding (mu_1 a number), and may have one for spinning and one for rolling
** (mu_k then an arm). A part has one row (in the plane, or spinning) or two.
**
** P_K: with a_k = |p_k|, the normal n >= 0 is the root of the increasing, piecewise linear
**     n - n_0 - sum_k mu_k max(0, a_k - mu_k n),
** found exactly by adding parts in the order in which they come to lie outside; then p_k is cut
** to the disk of radius mu_k n. For one part these are the three cases of the second-order cone.
** Source: Parikh & Boyd, Proximal Algorithms, 2014, section 6.3 (one part). */
#define DLS_CONE_PARTS 3
#define DLS_CONE_ROWS 6

typedef struct dls_cone_shape {
  int n_parts;              /* 1 .. DLS_CONE_PARTS                              */
  int rows[DLS_CONE_PARTS]; /* 1 or 2 rows each, in the order of the components */
  double mu[DLS_CONE_PARTS]; /* >= 0, finite                                    */
} dls_cone_shape;

/* p <- P_K(p), in place; p holds n, then the parts. */
void dls_cone_project(const dls_cone_shape *shape, double *p);

/* |x| of d = 1 or 2 numbers, without overflow or underflow. */
double dls_disk_length(int d, const double *x);

/* x <- the nearest point of the disk |x| <= radius (d rows, 1 or 2; radius >= 0). */
void dls_disk_project(int d, double radius, double *x);

#endif
