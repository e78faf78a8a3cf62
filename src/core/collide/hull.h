/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_HULL_H
#define DLS_COLLIDE_HULL_H

#include "core/base/alloc.h"
#include "core/math/vec.h"

/* Convex hull of n points of space as triangles, counterclockwise seen from outside. The point
** farthest outside is added until none is farther out than eps; what it sees is replaced by the fan
** over the horizon (quickhull; Barber, Dobkin & Huhdanpaa, ACM TOMS 22, 1996). Order of work
** depends on the numbers only.
**   eps    m: closer to a face than this counts as on it
**   tri    out, room for 2 n triples (6 n ints)
**   n_tri  out
** DLS_SINGULAR: all points within eps of one plane, or eps too small for the rounding in these
** points (the horizon is not a simple loop): try a larger one. DLS_NOMEM. */
dls_status dls_hull(const dls_alloc *alloc, int n, const dls_vec3 *points, double eps, int *tri,
                    int *n_tri);

#endif
