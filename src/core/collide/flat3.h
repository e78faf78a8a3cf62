/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_FLAT3_H
#define DLS_COLLIDE_FLAT3_H

#include "core/collide/sink.h"

/* A flat surface that a body rests on: of a plane, of the end of a drum. */
typedef struct dls_flat3 {
  dls_vec3 n;       /* unit normal towards the body                        */
  dls_vec3 to_body; /* from some point of the surface to the body's origin */
} dls_flat3;

/* The lowest points of a convex shape b over the surface, at most four. A cylinder or cone tells
** the lowest point of either rim, and more of a rim that lies flat. */
void dls_flat3_put(dls_flat3 f, const dls_shape *b, const dls_pose3 *pose, dls_sink *sink);

#endif
