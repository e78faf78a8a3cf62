/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/core2.h"

/* Faces nearly parallel: the side of a is the reference unless that of b separates by more than
** this, relative to the size of the features, so that keys do not flicker between the two. */
#define PREFER_A 1e-9

/* A corner this far beyond the end of the reference side, relative to its length, still counts as
** on it, so that corners above corners keep their keys. */
#define SPAN_SLACK 1e-7

typedef struct separation {
  double value; /* largest separation of any side, m               */
  int side;     /* that side                                       */
  int corner;   /* the other core's corner deepest below it        */
} separation;

void dls_core2_make(dls_core2 *core, const dls_shape *shape, const dls_pose2 *pose,
                    dls_vec2 origin) {
  dls_vec2 shift = dls_v2(pose->x - origin.x, pose->y - origin.y);
  core->n = shape->n_points;
  core->r = shape->kind == DLS_SHAPE_DISK || shape->kind == DLS_SHAPE_CAPSULE ? shape->radius : 0;
  for (int i = 0; i < core->n; i++) {
    dls_vec2 r = dls_v2(shape->points[i].x, shape->points[i].y);
    core->v[i] = dls_v2_add(shift, dls_pose2_turn(pose, r));
  }
  for (int i = 0; i < shape->n_faces; i++) {
    dls_vec2 n = dls_v2(shape->faces[i].normal.x, shape->faces[i].normal.y);
    core->normal[i] = dls_pose2_turn(pose, n);
  }
}

static int next(const dls_core2 *core, int i) { return i + 1 < core->n ? i + 1 : 0; }

/* Key of one corner or side of each: sides are marked by bit 15. */
static uint64_t features(bool side_a, int a, bool side_b, int b) {
  uint64_t high = (uint64_t)a | (side_a ? 0x8000u : 0), low = (uint64_t)b | (side_b ? 0x8000u : 0);
  return high << 16 | low;
}

/* Puts the point where cores come nearest at p (on a) and q (on b), n from a to b, dist their
** distance along n, signed. */
static void put(dls_sink *sink, const dls_core2 *a, const dls_core2 *b, dls_vec2 origin, dls_vec2 p,
                dls_vec2 q, dls_vec2 n, double dist, uint64_t key) {
  dls_vec3 on_a = {origin.x + (p.x + a->r * n.x), origin.y + (p.y + a->r * n.y), 0};
  dls_vec3 on_b = {origin.x + (q.x - b->r * n.x), origin.y + (q.y - b->r * n.y), 0};
  dls_sink_put(sink, on_a, on_b, dls_v3(n.x, n.y, 0), dist - a->r - b->r, key);
}

static void pair_points(const dls_core2 *a, const dls_core2 *b, dls_vec2 origin, dls_sink *sink) {
  dls_vec2 d = dls_v2_sub(b->v[0], a->v[0]);
  double dist = sqrt(dls_v2_dot(d, d));
  dls_vec2 n = dist > 0 ? dls_v2(d.x / dist, d.y / dist) : dls_v2(1, 0);
  put(sink, a, b, origin, a->v[0], b->v[0], n, dist, 0);
}

/* The nearest point of the side from v to w; *where < 0 before v, > 0 beyond w, 0 between. */
static dls_vec2 nearest_on(dls_vec2 v, dls_vec2 w, dls_vec2 p, int *where) {
  dls_vec2 e = dls_v2_sub(w, v);
  double t = dls_v2_dot(dls_v2_sub(p, v), e), ee = dls_v2_dot(e, e);
  *where = t <= 0 ? -1 : (t >= ee ? 1 : 0);
  return t <= 0 ? v : (t >= ee ? w : dls_v2_axpy(v, t / ee, e));
}

/* A disk b against a core a of several corners: one point, its key never changes. */
static void pair_disk(const dls_core2 *a, const dls_core2 *b, dls_vec2 origin, dls_sink *sink) {
  dls_vec2 p = b->v[0];
  int side = 0, where;
  double most = -DLS_INF;
  for (int i = 0; i < a->n; i++) {
    double s = dls_v2_dot(a->normal[i], dls_v2_sub(p, a->v[i]));
    if (s > most) most = s, side = i;
  }
  if (most - a->r - b->r > sink->margin) return;
  dls_vec2 q = nearest_on(a->v[side], a->v[next(a, side)], p, &where), n = a->normal[side];
  if (most <= 0 && a->n > 2) q = dls_v2_axpy(p, -most, n), where = 0;
  if (where == 0) {
    put(sink, a, b, origin, q, p, n, most, 0);
    return;
  }
  /* Near a corner. The side of largest separation has it at one of its ends. */
  dls_vec2 d = dls_v2_sub(p, q);
  double dist = dls_v2_norm(d);
  if (dist > 0) n = dls_v2(d.x / dist, d.y / dist);
  put(sink, a, b, origin, q, p, n, dist, 0);
}

/* By side i of a; where that is no more than `least`, some value that is no more either. */
static separation separate_by(const dls_core2 *a, int i, const dls_core2 *b, double least) {
  separation s = {DLS_INF, i, 0};
  for (int j = 0; j < b->n && s.value > least; j++) {
    const double value = dls_v2_dot(a->normal[i], dls_v2_sub(b->v[j], a->v[i]));
    if (value < s.value) s.value = value, s.corner = j;
  }
  return s;
}

static separation separate(const dls_core2 *a, const dls_core2 *b) {
  separation best = {-DLS_INF, 0, 0};
  for (int i = 0; i < a->n; i++) {
    const separation s = separate_by(a, i, b, best.value);
    if (s.value > best.value) best = s;
  }
  return best;
}

/* Whether a side of a along n, and not one across it, is level with b to `slack`. */
static bool is_level(const dls_core2 *a, const dls_core2 *b, dls_vec2 n, double slack) {
  static const double ALONG = 0.5; /* cosine of the side's normal to n */
  for (int i = 0; i < a->n; i++)
    if (fabs(dls_v2_dot(a->normal[i], n)) < ALONG &&
        fabs(separate_by(a, i, b, -DLS_INF).value) <= slack)
      return true;
  return false;
}

/* Whether the ends of a core of two corners lie on one side of all of the other's: the axis that
** separates collinear segments. */
static bool apart_along(const dls_core2 *a, const dls_core2 *b) {
  if (a->n != 2) return false;
  dls_vec2 e = dls_v2_sub(a->v[1], a->v[0]);
  double lo = DLS_INF, hi = -DLS_INF;
  for (int j = 0; j < b->n; j++) {
    double t = dls_v2_dot(e, dls_v2_sub(b->v[j], a->v[0]));
    lo = dls_min(lo, t), hi = dls_max(hi, t);
  }
  return lo > dls_v2_dot(e, e) || hi < 0;
}

typedef struct nearest {
  double dist2; /* squared distance                                  */
  dls_vec2 p, q; /* the points on a and on b                         */
  int i, j;     /* corner or side of a, of b                         */
  int kind;     /* 0 corner to corner, 1 side of a, 2 side of b      */
} nearest;

/* Corners of b against sides of a; `kind` says how a hit on a side is to be called. */
static void scan(const dls_core2 *a, const dls_core2 *b, int kind, nearest *best) {
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < b->n; j++) {
      int where;
      dls_vec2 q = nearest_on(a->v[i], a->v[next(a, i)], b->v[j], &where);
      dls_vec2 d = dls_v2_sub(b->v[j], q);
      double dist2 = dls_v2_dot(d, d);
      if (!(dist2 < best->dist2)) continue;
      int corner = where < 0 ? i : next(a, i);
      *best = (nearest){dist2, q, b->v[j], where == 0 ? i : corner, j, where == 0 ? kind : 0};
      if (kind == 2) {
        best->p = b->v[j], best->q = q;
        int own = best->i;
        best->i = j, best->j = own;
      }
    }
}

typedef struct clipped {
  dls_vec2 ref, inc; /* the point on the reference side and on the incident side */
  double dist;       /* signed distance along the reference normal               */
  uint64_t key;      /* of the touch: its corners and sides */
} clipped;

/* The incident side of `inc` against side `i` of `ref`: at most two points, along the side. */
static int clip(const dls_core2 *ref, int i, const dls_core2 *inc, bool ref_is_a,
                clipped out[2]) {
  dls_vec2 n = ref->normal[i], v = ref->v[i], e = dls_v2_sub(ref->v[next(ref, i)], v);
  double length = dls_v2_norm(e);
  dls_vec2 t = dls_v2_scale(1 / length, e);

  /* The incident side: the one facing the reference side most. */
  int j = 0;
  double facing = DLS_INF;
  for (int k = 0; k < inc->n; k++) {
    double dot = dls_v2_dot(inc->normal[k], n);
    if (dot < facing) facing = dot, j = k;
  }
  int ends[2] = {next(inc, j), j}; /* runs against e, so its end comes first along e */
  double s[2], h[2];
  for (int k = 0; k < 2; k++) {
    dls_vec2 d = dls_v2_sub(inc->v[ends[k]], v);
    s[k] = dls_v2_dot(d, t), h[k] = dls_v2_dot(d, n);
  }
  double slack = SPAN_SLACK * length;
  if (s[1] < -slack || s[0] > length + slack || !(s[1] >= s[0])) return 0;
  int count = 0;
  for (int k = 0; k < 2; k++) {
    bool beyond = k == 0 ? s[0] < -slack : s[1] > length + slack;
    double at = beyond ? (k == 0 ? 0 : length) : s[k];
    /* By the slack the cut may lie beyond the other end, which is told itself. */
    if (beyond && !(at > s[0] && at < s[1])) continue;
    double height = beyond ? h[0] + (h[1] - h[0]) * ((at - s[0]) / (s[1] - s[0])) : h[k];
    int corner = k == 0 ? i : next(ref, i);
    clipped *point = &out[count++];
    point->ref = dls_v2_axpy(v, at, t);
    point->inc = dls_v2_axpy(point->ref, height, n);
    point->dist = height;
    bool ref_side = !beyond;
    int f = beyond ? corner : i, g = beyond ? j : ends[k];
    point->key = ref_is_a ? features(ref_side, f, beyond, g) : features(beyond, g, ref_side, f);
  }
  return count;
}

/* Two points between reference side and incident side, or the one corner that is deepest: where it
** is deeper by more than slack (m), for on parallel sides all are equally deep but for
** round-off. */
static void put_sides(const dls_core2 *a, const dls_core2 *b, separation s, bool ref_is_a,
                      double slack, dls_vec2 origin, dls_sink *sink) {
  const dls_core2 *ref = ref_is_a ? a : b, *inc = ref_is_a ? b : a;
  dls_vec2 n = ref->normal[s.side], out = ref_is_a ? n : dls_v2_neg(n);
  clipped points[2];
  int count = clip(ref, s.side, inc, ref_is_a, points);
  bool whole = false;
  for (int k = 0; k < count; k++) whole = whole || points[k].dist <= s.value + slack;
  if (!whole) {
    /* The deepest corner is not on the clipped side (its sides face the reference equally, or it
    ** lies beyond the side's ends): it alone is told. */
    points[0].inc = inc->v[s.corner];
    points[0].ref = dls_v2_axpy(points[0].inc, -s.value, n);
    points[0].dist = s.value;
    points[0].key = ref_is_a ? features(true, s.side, false, s.corner)
                             : features(false, s.corner, true, s.side);
    count = 1;
  }
  for (int k = 0; k < count; k++)
    put(sink, a, b, origin, ref_is_a ? points[k].ref : points[k].inc,
        ref_is_a ? points[k].inc : points[k].ref, out, points[k].dist, points[k].key);
}

/* Whether the deepest corner stands over the side, its ends and SPAN_SLACK beyond included: boxes
** stacked flush stand corner over corner. */
static bool over_side(const dls_core2 *ref, const dls_core2 *inc, separation s) {
  dls_vec2 v = ref->v[s.side], e = dls_v2_sub(ref->v[next(ref, s.side)], v);
  double t = dls_v2_dot(dls_v2_sub(inc->v[s.corner], v), e), ee = dls_v2_dot(e, e);
  return t >= -SPAN_SLACK * ee && t <= (1 + SPAN_SLACK) * ee;
}

static void pair_sides(const dls_core2 *a, const dls_core2 *b, dls_vec2 origin, dls_sink *sink) {
  double reach = sink->margin + a->r + b->r;
  separation on_a = separate(a, b);
  if (on_a.value > reach) return;
  separation on_b = separate(b, a);
  if (on_b.value > reach) return;
  dls_vec2 e = dls_v2_sub(a->v[1], a->v[0]), f = dls_v2_sub(b->v[1], b->v[0]);
  double size = dls_max(fabs(e.x) + fabs(e.y), fabs(f.x) + fabs(f.y));
  const double slack = PREFER_A * size;
  bool ref_is_a = !(on_b.value > on_a.value + slack);
  separation s = ref_is_a ? on_a : on_b;

  /* Level with each other, and apart along the level: they slide past each other. The corner that a
  ** block slides towards, where one piece of a floor ends and the next begins, would stop it. (A
  ** distance is one all the same.) */
  if (s.value > slack && a->r + b->r <= 0 && !sink->least && !sink->covered) {
    const dls_vec2 n = (ref_is_a ? a : b)->normal[s.side];
    if (is_level(a, b, n, slack) || is_level(b, a, n, slack)) return;
  }

  /* Sides that touch are apart or not by round-off: as good as overlapping. */
  bool overlap = s.value <= slack && !apart_along(a, b) && !apart_along(b, a);
  if (overlap || (s.value > 0 && over_side(ref_is_a ? a : b, ref_is_a ? b : a, s))) {
    put_sides(a, b, s, ref_is_a, slack, origin, sink);
    return;
  }
  /* Apart, and not straight above the side of largest separation: all features. */
  nearest best = {DLS_INF, {0, 0}, {0, 0}, 0, 0, 0};
  scan(a, b, 1, &best);
  scan(b, a, 2, &best);
  double dist = sqrt(best.dist2);
  if (best.kind == 0 || !(dist > 0)) {
    dls_vec2 d = dls_v2_sub(best.q, best.p);
    dls_vec2 n = ref_is_a ? a->normal[s.side] : dls_v2_neg(b->normal[s.side]);
    if (dist > 0) n = dls_v2(d.x / dist, d.y / dist);
    put(sink, a, b, origin, best.p, best.q, n, dist, features(false, best.i, false, best.j));
    return;
  }
  s = best.kind == 1 ? (separation){dist, best.i, best.j} : (separation){dist, best.j, best.i};
  const dls_core2 *ref = best.kind == 1 ? a : b, *inc = best.kind == 1 ? b : a;
  s.value = dls_v2_dot(ref->normal[s.side], dls_v2_sub(inc->v[s.corner], ref->v[s.side]));
  if (s.value < 0) s.side = ref->n == 2 ? 1 - s.side : s.side, s.value = dist;
  put_sides(a, b, s, best.kind == 1, slack, origin, sink);
}

void dls_core2_pair(const dls_core2 *a, const dls_core2 *b, dls_vec2 origin, dls_sink *sink) {
  if (a->n == 1 && b->n == 1) {
    pair_points(a, b, origin, sink);
  } else if (b->n == 1) {
    pair_disk(a, b, origin, sink);
  } else if (a->n == 1) {
    sink->swap = !sink->swap;
    pair_disk(b, a, origin, sink);
    sink->swap = !sink->swap;
  } else {
    pair_sides(a, b, origin, sink);
  }
}
