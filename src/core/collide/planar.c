/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/core2.h"

/* The planar table of pairs, and its entries. */
typedef void pair_fn(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                     const dls_pose2 *pose_b, dls_sink *sink);

/* Rows: kind of a. Only one order of two kinds has an entry; for the other the shapes change
** places. */
static pair_fn *const table[DLS_N_SHAPES][DLS_N_SHAPES];

static void compound_any(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                         const dls_pose2 *pose_b, dls_sink *sink) {
  for (int i = 0; i < a->n_children; i++) {
    dls_pose2 pose = dls_pose2_mul(pose_a, &a->children[i].pose2);
    uint64_t before = dls_sink_enter(sink, i, true);
    dls_sink_child(sink, i);
    dls_pair2(a->children[i].shape, &pose, b, pose_b, sink);
    dls_sink_leave(sink, before);
  }
  dls_sink_child(sink, -1);
}

void dls_pair2(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
               const dls_pose2 *pose_b, dls_sink *sink) {
  pair_fn *fn = table[a->kind][b->kind];
  if (fn) {
    fn(a, pose_a, b, pose_b, sink);
  } else if (table[b->kind][a->kind]) {
    sink->swap = !sink->swap;
    table[b->kind][a->kind](b, pose_b, a, pose_a, sink);
    sink->swap = !sink->swap;
  }
}

int dls_collide2(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                 const dls_pose2 *pose_b, double margin, dls_touch *out, int room) {
  dls_sink sink = {out, room, 0, margin, false, false, 0, false, {0, 0}};
  dls_pair2(a, pose_a, b, pose_b, &sink);
  return sink.n;
}

int dls_approach2(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                  const dls_pose2 *pose_b, double margin, dls_touch *out, int room) {
  dls_sink sink = {out, room, 0, margin, false, false, 0, true, {0, 0}};
  dls_pair2(a, pose_a, b, pose_b, &sink);
  return sink.n;
}

bool dls_distance2(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                   const dls_pose2 *pose_b, dls_touch *out) {
  dls_sink sink = {out, 1, 0, DLS_INF, false, true, 0, true, {0, 0}};
  dls_pair2(a, pose_a, b, pose_b, &sink);
  return sink.n > 0;
}

/* Disk, capsule, segment, box, polygon: by their cores, seen from the origin of a. */
static void core_core(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                      const dls_pose2 *pose_b, dls_sink *sink) {
  dls_core2 core_a, core_b;
  dls_vec2 origin = {pose_a->x, pose_a->y};
  double dx = pose_b->x - pose_a->x, dy = pose_b->y - pose_a->y;
  double far = a->reach + b->reach + sink->margin;
  if (dx * dx + dy * dy > far * far) return;
  dls_core2_make(&core_a, a, pose_a, origin);
  dls_core2_make(&core_b, b, pose_b, origin);
  dls_core2_pair(&core_a, &core_b, origin, sink);
}

/* Of a convex core the corner of the least value, and that one beside it to which the value rises
** least on the way: a turn of the core leads it there first. In order of their numbers; answers how
** many. */
static int lowest_edge(const dls_core2 *core, const double value[], int pick[2]) {
  int low = 0;
  for (int i = 1; i < core->n; i++)
    if (value[i] < value[low]) low = i;
  const int next = low + 1 < core->n ? low + 1 : 0, last = low > 0 ? low - 1 : core->n - 1;
  const double to_next = dls_v2_norm(dls_v2_sub(core->v[next], core->v[low])),
               to_last = dls_v2_norm(dls_v2_sub(core->v[last], core->v[low])),
               rise_next = (value[next] - value[low]) * to_last,
               rise_last = (value[last] - value[low]) * to_next;
  const bool even = rise_next == rise_last;
  const int other = (even ? next < last : rise_next < rise_last) ? next : last;
  pick[0] = low < other ? low : other;
  pick[1] = low < other ? other : low;
  return core->n > 1 ? 2 : 1;
}

static dls_vec3 lift(dls_vec2 origin, dls_vec2 p) {
  return dls_v3(origin.x + p.x, origin.y + p.y, 0);
}

/* A core b against a half plane a: its lowest edge, and what else is below. */
static void plane_core(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                       const dls_pose2 *pose_b, dls_sink *sink) {
  dls_core2 core;
  double height[DLS_MAX_CORNERS];
  dls_vec2 origin = {pose_b->x, pose_b->y}, from_a = {pose_b->x - pose_a->x, pose_b->y - pose_a->y};
  dls_vec2 n = dls_pose2_turn(pose_a, dls_v2(a->normal.x, a->normal.y));
  double base = dls_v2_dot(n, from_a) - a->offset;
  if (base - b->reach > sink->margin) return;
  dls_core2_make(&core, b, pose_b, origin);
  height[0] = base; /* of no corner: the compiler does not know that there is one */
  for (int i = 0; i < core.n; i++) height[i] = base + dls_v2_dot(n, core.v[i]);
  int pick[2], count = lowest_edge(&core, height, pick);
  for (int i = 0; i < core.n; i++) {
    const dls_vec2 v = core.v[i];
    const double h = height[i];
    if (i != pick[0] && (count < 2 || i != pick[1]) && !(h < core.r)) continue;
    dls_sink_put(sink, lift(origin, dls_v2_axpy(v, -h, n)),
                 lift(origin, dls_v2_axpy(v, -core.r, n)), dls_v3(n.x, n.y, 0), h - core.r,
                 (uint64_t)i);
  }
}

/* A corner v of radius r inside the shell a, `way` from it. */
static void shell_point(const dls_shape *a, dls_vec2 origin, dls_vec2 v, double r, double way,
                        uint64_t key, dls_sink *sink) {
  const double dist = dls_v2_norm(v);
  const dls_vec2 out = dist > 0 ? dls_v2_scale(1 / dist, v) : dls_v2(1, 0), n = dls_v2_neg(out);
  dls_sink_put(sink, lift(origin, dls_v2_scale(a->radius, out)),
               lift(origin, dls_v2_axpy(v, r, out)), dls_v3(n.x, n.y, 0), way - r, key);
}

/* A core b inside the shell a: gap = R - r - |v|, least at a corner. */
static void shell_core(const dls_shape *a, const dls_pose2 *pose_a, const dls_core2 *core,
                       dls_sink *sink) {
  double value[DLS_MAX_CORNERS];
  dls_vec2 origin = {pose_a->x, pose_a->y};
  for (int i = 0; i < core->n; i++) value[i] = a->radius - dls_v2_norm(core->v[i]);
  int pick[2], count = lowest_edge(core, value, pick);
  for (int k = 0; k < count; k++)
    shell_point(a, origin, core->v[pick[k]], core->r, value[pick[k]], (uint64_t)pick[k], sink);
}

/* Lifter k as a rectangle that goes on outward beyond the shell, so that its back is never the
** nearest side. */
static void make_lifter(dls_core2 *core, const dls_shape *drum, int k, const dls_pose2 *pose) {
  double in = drum->radius - drum->lifters.height, half = 0.5 * drum->lifters.width;
  double out = drum->radius + drum->lifters.height + drum->lifters.width;
  dls_vec2 d = dls_pose2_turn(pose, drum->dirs[k]), t = dls_v2_left(d);
  core->n = 4;
  core->r = 0;
  core->v[0] = dls_v2_axpy(dls_v2_scale(in, d), half, t);
  core->v[1] = dls_v2_axpy(dls_v2_scale(in, d), -half, t);
  core->v[2] = dls_v2_axpy(dls_v2_scale(out, d), -half, t);
  core->v[3] = dls_v2_axpy(dls_v2_scale(out, d), half, t);
  core->normal[0] = dls_v2_neg(d), core->normal[1] = dls_v2_neg(t);
  core->normal[2] = d, core->normal[3] = t;
}

/* The inside of a drum a: shell first, then the lifters in reach, each a part of its own. */
static void drum_core(const dls_shape *a, const dls_pose2 *pose_a, const dls_shape *b,
                      const dls_pose2 *pose_b, dls_sink *sink) {
  dls_core2 core, bar;
  dls_vec2 origin = {pose_a->x, pose_a->y};
  dls_vec2 at = {pose_b->x - pose_a->x, pose_b->y - pose_a->y};
  double dist = dls_v2_norm(at), near = b->reach + sink->margin;
  if (dist + near < a->radius - a->lifters.height) return;
  const bool disk = b->kind == DLS_SHAPE_DISK;
  core.n = 0;
  if (disk) {
    shell_point(a, origin, at, b->radius, a->radius - dist, 0, sink);
  } else {
    dls_core2_make(&core, b, pose_b, origin);
    shell_core(a, pose_a, &core, sink);
  }
  for (int k = 0; k < a->lifters.count; k++) {
    /* Too far to the side of the bar, or on the other side of the drum. */
    dls_vec2 d = dls_pose2_turn(pose_a, a->dirs[k]);
    if (fabs(dls_v2_cross(d, at)) > near + 0.5 * a->lifters.width) continue;
    if (dls_v2_dot(d, at) < a->radius - a->lifters.height - near) continue;
    if (core.n == 0) dls_core2_make(&core, b, pose_b, origin);
    make_lifter(&bar, a, k, pose_a);
    uint64_t before = dls_sink_enter(sink, k, true);
    dls_core2_pair(&bar, &core, origin, sink);
    dls_sink_leave(sink, before);
  }
}

#define CORES(fn)                                                                     \
  [DLS_SHAPE_DISK] = fn, [DLS_SHAPE_CAPSULE] = fn, [DLS_SHAPE_BOX] = fn,              \
  [DLS_SHAPE_POLYGON] = fn
static pair_fn *const table[DLS_N_SHAPES][DLS_N_SHAPES] = {
    [DLS_SHAPE_DISK] = {CORES(core_core)},
    [DLS_SHAPE_CAPSULE] = {CORES(core_core)},
    [DLS_SHAPE_BOX] = {CORES(core_core)},
    [DLS_SHAPE_POLYGON] = {CORES(core_core)},
    [DLS_SHAPE_SEGMENT] = {CORES(core_core)},
    [DLS_SHAPE_PLANE] = {CORES(plane_core)},
    [DLS_SHAPE_DRUM] = {CORES(drum_core)},
    [DLS_SHAPE_COMPOUND] = {CORES(compound_any),
                            [DLS_SHAPE_SEGMENT] = compound_any,
                            [DLS_SHAPE_PLANE] = compound_any,
                            [DLS_SHAPE_DRUM] = compound_any,
                            [DLS_SHAPE_COMPOUND] = compound_any},
};

/* A half plane along an axis ends where its edge is. */
static void bound_edge(const dls_shape *plane, const dls_pose2 *pose, dls_vec2 *lo, dls_vec2 *hi) {
  const dls_vec2 n = dls_pose2_turn(pose, dls_v2(plane->normal.x, plane->normal.y));
  if (n.y == 0 && n.x > 0) hi->x = pose->x + plane->offset;
  if (n.y == 0 && n.x < 0) lo->x = pose->x - plane->offset;
  if (n.x == 0 && n.y > 0) hi->y = pose->y + plane->offset;
  if (n.x == 0 && n.y < 0) lo->y = pose->y - plane->offset;
}

void dls_shape_bounds2(const dls_shape *shape, const dls_pose2 *pose, dls_vec2 *lo, dls_vec2 *hi) {
  *lo = dls_v2(-DLS_INF, -DLS_INF), *hi = dls_v2(DLS_INF, DLS_INF);
  if (shape->kind == DLS_SHAPE_PLANE) bound_edge(shape, pose, lo, hi);
  if (!shape->bounded) return;
  dls_vec2 l = *hi, h = *lo;
  double r = shape->kind == DLS_SHAPE_DISK || shape->kind == DLS_SHAPE_CAPSULE ? shape->radius : 0;
  for (int i = 0; i < shape->n_points; i++) {
    dls_vec2 p = dls_pose2_apply(pose, dls_v2(shape->points[i].x, shape->points[i].y));
    l = dls_v2(dls_min(l.x, p.x - r), dls_min(l.y, p.y - r));
    h = dls_v2(dls_max(h.x, p.x + r), dls_max(h.y, p.y + r));
  }
  for (int i = 0; i < shape->n_children; i++) {
    dls_pose2 child = dls_pose2_mul(pose, &shape->children[i].pose2);
    dls_vec2 cl, ch;
    dls_shape_bounds2(shape->children[i].shape, &child, &cl, &ch);
    l = dls_v2(dls_min(l.x, cl.x), dls_min(l.y, cl.y));
    h = dls_v2(dls_max(h.x, ch.x), dls_max(h.y, ch.y));
  }
  *lo = l, *hi = h;
}
