/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_MANIFOLD3_H
#define DLS_COLLIDE_MANIFOLD3_H

#include "core/collide/sink.h"

#define DLS_MAX_CANDIDATES 64

/* Contact points of one pair before at most four of them are kept. */
typedef struct dls_manifold3 {
  int n;                               /* candidates                         */
  dls_touch c[DLS_MAX_CANDIDATES];     /* the first n                        */
} dls_manifold3;

/* Adds a candidate unless it is beyond the margin; in a full list the highest makes room for it. */
void dls_manifold3_add(dls_manifold3 *m, const dls_sink *sink, dls_vec3 point_a, dls_vec3 point_b,
                       dls_vec3 normal, double gap, uint64_t key);

/* Puts at most four: the deepest, the one farthest from it, the one farthest from their line and
** the one farthest to the other side of it; in the order in which they were added. */
void dls_manifold3_put(const dls_manifold3 *m, dls_sink *sink);

#endif
