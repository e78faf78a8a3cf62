/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_BOUND3_H
#define DLS_COLLIDE_BOUND3_H

#include "core/collide/separate3.h"

/* Bounds of the separation s(n) = min over c in C of n . c, C = b - a, over all directions n.
**
** Below: s(n) itself, for any n. Above: every point c of C, for s(n) <= n . c. Over a triangle of
** directions n1 n2 n3 (all n = sum l_i n_i / |sum l_i n_i| with l >= 0, sum l = 1) and a point c of
** C,
**
**     s(n) <= V / |sum l_i n_i|,   V = max_i n_i . c,     1 >= |sum l_i n_i| >= r, its plane's distance.
**
** c is a mixture of the farthest points c_j along n_j, of which V is least: the value of a game of
** 3 x 3. Since each c_j is the farthest, V exceeds the largest s in the triangle by at most
** diameter x C's diameter, and by its square over a radius of curvature where C is smooth. Halving
** the longest edges of triangles that may hold more than the best known so far therefore ends, with
** a proof. Sources: B. Mordukhovich & N. Nam, "An Easy Path to Convex Analysis", 2014 (supports);
** R. Horst & H. Tuy, "Global Optimization", 1996, ch. IV (simplicial branch and bound). */

/* True: no direction with n . front >= 0 (any, where front is zero) has s(n) > best->value +
** tolerance. False: *best is one that has.
**   witness   a point of C that is near -|s| n of the best, or any */
bool dls_bound3(const dls_body3 *a, const dls_body3 *b, dls_vec3 front, dls_vec3 witness,
                double tolerance, dls_separation3 *best);

#endif
