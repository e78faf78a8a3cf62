/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_SINK_H
#define DLS_COLLIDE_SINK_H

#include "core/collide/collide.h"

/* Where the pairs of the table put what they find. A pair is written for one order of its kinds;
** for the other order the sink swaps. Parts of shapes (children, lifters, triangles) mix their
** number into the keys. */
typedef struct dls_sink {
  dls_touch *out; /* room touches, borrowed                       */
  int room;       /* as told by the caller                        */
  int n;          /* found so far, may exceed room                */
  double margin;  /* points with a gap beyond it are not wanted, m */
  bool swap;      /* a and b of the pair are b and a of the caller */
  bool least;     /* keep only the point of least gap, in out[0]   */
  uint64_t part;  /* number of the part in work; 0 where whole    */
  bool covered;   /* also what a neighbour covers: distances      */
  int child[2];   /* children in work of the caller's a and b, from 1 on; 0: whole */
} dls_sink;

/* One to one in `part` for a given key, and well spread. */
static inline uint64_t dls_key_mix(uint64_t key, uint64_t part) {
  uint64_t x = (key ^ (part * UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xBF58476D1CE4E5B9);
  return x ^ (x >> 31);
}

/* Enters part number `index` (from 0) of either shape; what it returns goes to dls_sink_leave. */
static inline uint64_t dls_sink_enter(dls_sink *sink, int index, bool of_a) {
  uint64_t before = sink->part;
  bool first = of_a != sink->swap;
  sink->part = dls_key_mix(before, 2 * ((uint64_t)index + 1) + (first ? 0 : 1));
  return before;
}
static inline void dls_sink_leave(dls_sink *sink, uint64_t before) { sink->part = before; }

/* Child number i (from 0) of the compound a of a pair; -1: it is left. */
static inline void dls_sink_child(dls_sink *sink, int i) { sink->child[sink->swap] = i + 1; }

static inline void dls_sink_put(dls_sink *sink, dls_vec3 point_a, dls_vec3 point_b,
                                dls_vec3 normal, double gap, uint64_t key) {
  if (!(gap <= sink->margin)) return;
  if (sink->least) {
    if (sink->n > 0 && !(gap < sink->out[0].gap)) return;
    sink->n = 0;
  }
  if (sink->n < sink->room) {
    dls_touch *touch = &sink->out[sink->n];
    touch->point_a = sink->swap ? point_b : point_a;
    touch->point_b = sink->swap ? point_a : point_b;
    touch->normal = sink->swap ? dls_v3_neg(normal) : normal;
    touch->gap = gap;
    touch->key = sink->part ? dls_key_mix(key, sink->part) : key;
    touch->part = sink->part;
    touch->child_a = sink->child[0], touch->child_b = sink->child[1];
  }
  sink->n++;
}

/* Entries of the two tables: see planar.c and spatial.c. */
void dls_pair2(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
               const dls_pose2 *pose_b, dls_sink *sink);
void dls_pair3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
               const dls_pose3 *pose_b, dls_sink *sink);

#endif
