/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/pairs3.h"

/* The spatial table of pairs; its entries have files of their own. */
#define DLS_D 3
#include "core/collide/table.inl"

#define ROUND(fn) [DLS_SHAPE_SPHERE] = fn, [DLS_SHAPE_CAPSULE] = fn
#define SHARP(fn)                                                                      \
  [DLS_SHAPE_CYLINDER] = fn, [DLS_SHAPE_CONE] = fn, [DLS_SHAPE_BOX] = fn,              \
  [DLS_SHAPE_CONVEX] = fn
static pair_fn *const table[DLS_N_SHAPES][DLS_N_SHAPES] = {
    [DLS_SHAPE_SPHERE] = {ROUND(dls_pair3_round), SHARP(dls_pair3_convex)},
    [DLS_SHAPE_CAPSULE] = {ROUND(dls_pair3_round), SHARP(dls_pair3_convex)},
    [DLS_SHAPE_CYLINDER] = {SHARP(dls_pair3_convex)},
    [DLS_SHAPE_CONE] = {SHARP(dls_pair3_convex)},
    [DLS_SHAPE_BOX] = {SHARP(dls_pair3_convex)},
    [DLS_SHAPE_CONVEX] = {SHARP(dls_pair3_convex)},
    [DLS_SHAPE_PLANE] = {ROUND(dls_pair3_plane), SHARP(dls_pair3_plane)},
    [DLS_SHAPE_DRUM] = {ROUND(dls_pair3_drum), SHARP(dls_pair3_drum)},
    [DLS_SHAPE_MESH] = {ROUND(dls_pair3_mesh), SHARP(dls_pair3_mesh)},
    [DLS_SHAPE_COMPOUND] = {ROUND(compound_any), SHARP(compound_any),
                            [DLS_SHAPE_PLANE] = compound_any,
                            [DLS_SHAPE_DRUM] = compound_any,
                            [DLS_SHAPE_MESH] = compound_any,
                            [DLS_SHAPE_COMPOUND] = compound_any},
};

bool dls_collide_known(dls_shape_kind a, dls_shape_kind b, bool planar) {
  return planar ? dls_pair2_known(a, b) : dls_pair3_known(a, b);
}
