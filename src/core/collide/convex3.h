/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_CONVEX3_H
#define DLS_COLLIDE_CONVEX3_H

#include "core/collide/sink.h"

/* Two convex shapes. Where they overlap, the normal (from a to b) must have n . front >= 0; with
** front zero it may be any.
**
** Direction and gap come from dls_separate3. The points: each body offers a patch towards the
** other, the face (end, side line) that faces it most; the patches, seen along n, are cut against
** each other, and the corners of what they share are the candidates. Where they share nothing but a
** corner or a crossing of edges, or none is as deep as the gap says, the one nearest point is
** told. Source: Sutherland & Hodgman, CACM 17, 1974 (cutting polygons). */
void dls_convex3_put(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                     const dls_pose3 *pose_b, dls_vec3 front, dls_sink *sink);

#endif
