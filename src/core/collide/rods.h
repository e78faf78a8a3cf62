/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_RODS_H
#define DLS_COLLIDE_RODS_H

#include "core/collide/collide.h"
#include "core/collide/segments.h"

/* Spheres and capsules as whoever looks at many of them sees one: one line of the cache. */
typedef struct dls_rod {
  dls_vec3 c, u; /* centre, world, m; unit axis                           */
  double half, r; /* half length; radius, m: what is no rod has a negative one */
} dls_rod;

/* Line contact: the ends of the common part of two axes are told where they overlap by more than
** BESIDE of the smaller radius and the gap there exceeds the least one by less than LINE of the
** radii (the lens of two capsules crossing flatly) ... */
#define DLS_ROD_BESIDE 0.1
#define DLS_ROD_LINE 1e-2
/* ... and the nearest point between them where it is nearer by more than this share. */
#define DLS_ROD_LENS 1e-9
/* Squares of distances beyond the margin's by more than this factor are out of reach. */
#define DLS_ROD_SLACK (1 + 1e-12)

dls_rod dls_rod_make(const dls_shape *shape, const dls_pose3 *pose);

/* The touches of two rods within margin, at most 3, sorted by key; near-parallel ones meet along a
** line. least: only the nearest point. Answers how many. */
int dls_rods_touch(const dls_rod *a, const dls_rod *b, double margin, bool least, dls_touch out[3]);

/* Whether a rod is so far inside of a drum that nothing of it touches within margin. */
bool dls_rod_inside(const dls_shape *drum, const dls_pose3 *pose, const dls_rod *rod,
                    double margin);

#endif
