/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* What a table of pairs is for, once for the plane and once for space: planar.c and spatial.c define
** DLS_D and fill `table`. An entry is written for one order of kinds; the other order swaps. */
#if DLS_D == 2
#define NAMED(stem, tail) stem##2##tail
#else
#define NAMED(stem, tail) stem##3##tail
#endif

typedef void pair_fn(const dls_shape *a, const NAMED(dls_pose, ) *pose_a, const dls_shape *b,
                     const NAMED(dls_pose, ) *pose_b, dls_sink *sink);

/* Rows: kind of a. Only one order of two kinds has an entry. */
static pair_fn *const table[DLS_N_SHAPES][DLS_N_SHAPES];

static void compound_any(const dls_shape *a, const NAMED(dls_pose, ) *pose_a, const dls_shape *b,
                         const NAMED(dls_pose, ) *pose_b, dls_sink *sink) {
  for (int i = 0; i < a->n_children; i++) {
    NAMED(dls_pose, ) pose = NAMED(dls_pose, _mul)(pose_a, &a->children[i].NAMED(pose, ));
    uint64_t before = dls_sink_enter(sink, i, true);
    NAMED(dls_pair, )(a->children[i].shape, &pose, b, pose_b, sink);
    dls_sink_leave(sink, before);
  }
}

bool NAMED(dls_pair, _known)(dls_shape_kind a, dls_shape_kind b) { return table[a][b] || table[b][a]; }

void NAMED(dls_pair, )(const dls_shape *a, const NAMED(dls_pose, ) *pose_a, const dls_shape *b,
                     const NAMED(dls_pose, ) *pose_b, dls_sink *sink) {
  pair_fn *fn = table[a->kind][b->kind];
  if (fn) {
    fn(a, pose_a, b, pose_b, sink);
  } else if (table[b->kind][a->kind]) {
    sink->swap = !sink->swap;
    table[b->kind][a->kind](b, pose_b, a, pose_a, sink);
    sink->swap = !sink->swap;
  }
}

int NAMED(dls_collide, )(const dls_shape *a, const NAMED(dls_pose, ) *pose_a, const dls_shape *b,
                       const NAMED(dls_pose, ) *pose_b, double margin, dls_touch *out, int room) {
  dls_sink sink = {out, room, 0, margin, false, false, 0, false};
  NAMED(dls_pair, )(a, pose_a, b, pose_b, &sink);
  return sink.n;
}

int NAMED(dls_approach, )(const dls_shape *a, const NAMED(dls_pose, ) *pose_a, const dls_shape *b,
                        const NAMED(dls_pose, ) *pose_b, double margin, dls_touch *out, int room) {
  dls_sink sink = {out, room, 0, margin, false, false, 0, true};
  NAMED(dls_pair, )(a, pose_a, b, pose_b, &sink);
  return sink.n;
}

bool NAMED(dls_distance, )(const dls_shape *a, const NAMED(dls_pose, ) *pose_a, const dls_shape *b,
                         const NAMED(dls_pose, ) *pose_b, dls_touch *out) {
  dls_sink sink = {out, 1, 0, DLS_INF, false, true, 0, true};
  NAMED(dls_pair, )(a, pose_a, b, pose_b, &sink);
  return sink.n > 0;
}
