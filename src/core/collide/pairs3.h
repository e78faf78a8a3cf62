/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_PAIRS3_H
#define DLS_COLLIDE_PAIRS3_H

#include "core/collide/sink.h"

/* Entries of the spatial table (spatial.c), one file each. */
typedef void dls_pair3_fn(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                          const dls_pose3 *pose_b, dls_sink *sink);

/* Spheres and capsules: closed forms. Near-parallel capsules meet along a line: two stable points
** at the ends of the common part, and the nearest one between them where it is nearer. */
dls_pair3_fn dls_pair3_round;

/* a plane, b sphere, capsule, cylinder, cone, box, convex or ellipsoid: its lowest points, at most
** 4. */
dls_pair3_fn dls_pair3_plane;

/* a drum, b as above: shell, ends and lifters. */
dls_pair3_fn dls_pair3_drum;

/* a mesh, b as above. */
dls_pair3_fn dls_pair3_mesh;

/* Any two convex shapes, one of them with edges or an ellipsoid. */
dls_pair3_fn dls_pair3_convex;

#endif
