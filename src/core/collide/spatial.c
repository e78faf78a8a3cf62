/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/pairs3.h"

/* The spatial table of pairs; its entries have files of their own. */
typedef void pair_fn(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                     const dls_pose3 *pose_b, dls_sink *sink);

/* Rows: kind of a. Only one order of two kinds has an entry; for the other the shapes change
** places. */
static pair_fn *const table[DLS_N_SHAPES][DLS_N_SHAPES];

static void compound_any(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                         const dls_pose3 *pose_b, dls_sink *sink) {
  for (int i = 0; i < a->n_children; i++) {
    dls_pose3 pose = dls_pose3_mul(pose_a, &a->children[i].pose3);
    uint64_t before = dls_sink_enter(sink, i, true);
    dls_sink_child(sink, i);
    dls_pair3(a->children[i].shape, &pose, b, pose_b, sink);
    dls_sink_leave(sink, before);
  }
  dls_sink_child(sink, -1);
}

void dls_pair3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
               const dls_pose3 *pose_b, dls_sink *sink) {
  pair_fn *fn = table[a->kind][b->kind];
  if (fn) {
    fn(a, pose_a, b, pose_b, sink);
  } else if (table[b->kind][a->kind]) {
    sink->swap = !sink->swap;
    table[b->kind][a->kind](b, pose_b, a, pose_a, sink);
    sink->swap = !sink->swap;
  }
}

int dls_collide3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                 const dls_pose3 *pose_b, double margin, dls_touch *out, int room) {
  dls_sink sink = {out, room, 0, margin, false, false, 0, false, {0, 0}};
  dls_pair3(a, pose_a, b, pose_b, &sink);
  return sink.n;
}

int dls_approach3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                  const dls_pose3 *pose_b, double margin, dls_touch *out, int room) {
  dls_sink sink = {out, room, 0, margin, false, false, 0, true, {0, 0}};
  dls_pair3(a, pose_a, b, pose_b, &sink);
  return sink.n;
}

bool dls_distance3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                   const dls_pose3 *pose_b, dls_touch *out) {
  dls_sink sink = {out, 1, 0, DLS_INF, false, true, 0, true, {0, 0}};
  dls_pair3(a, pose_a, b, pose_b, &sink);
  return sink.n > 0;
}

#define ROUND(fn) [DLS_SHAPE_SPHERE] = fn, [DLS_SHAPE_CAPSULE] = fn
#define SHARP(fn)                                                                      \
  [DLS_SHAPE_CYLINDER] = fn, [DLS_SHAPE_CONE] = fn, [DLS_SHAPE_BOX] = fn,              \
  [DLS_SHAPE_CONVEX] = fn, [DLS_SHAPE_ELLIPSOID] = fn
static pair_fn *const table[DLS_N_SHAPES][DLS_N_SHAPES] = {
    [DLS_SHAPE_SPHERE] = {ROUND(dls_pair3_round), SHARP(dls_pair3_convex)},
    [DLS_SHAPE_CAPSULE] = {ROUND(dls_pair3_round), SHARP(dls_pair3_convex)},
    [DLS_SHAPE_CYLINDER] = {SHARP(dls_pair3_convex)},
    [DLS_SHAPE_CONE] = {SHARP(dls_pair3_convex)},
    [DLS_SHAPE_BOX] = {SHARP(dls_pair3_convex)},
    [DLS_SHAPE_CONVEX] = {SHARP(dls_pair3_convex)},
    [DLS_SHAPE_ELLIPSOID] = {SHARP(dls_pair3_convex)},
    [DLS_SHAPE_PLANE] = {ROUND(dls_pair3_plane), SHARP(dls_pair3_plane)},
    [DLS_SHAPE_DRUM] = {ROUND(dls_pair3_drum), SHARP(dls_pair3_drum)},
    [DLS_SHAPE_MESH] = {ROUND(dls_pair3_mesh), SHARP(dls_pair3_mesh)},
    [DLS_SHAPE_COMPOUND] = {ROUND(compound_any), SHARP(compound_any),
                            [DLS_SHAPE_PLANE] = compound_any,
                            [DLS_SHAPE_DRUM] = compound_any,
                            [DLS_SHAPE_MESH] = compound_any,
                            [DLS_SHAPE_COMPOUND] = compound_any},
};
