/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/collide.h"

/* Rays in the shape's frame: p(t) = o + t d, 0 <= t <= 1. Each function lowers *t and sets *n where
** it finds an entry earlier than *t, and says so. */
typedef struct ray {
  dls_vec2 o, d; /* start and way */
} ray;

/* Entry into the circle of radius r about c from outside. */
static bool enter_disk(ray p, dls_vec2 c, double r, double *t, dls_vec2 *n) {
  dls_vec2 m = dls_v2_sub(p.o, c);
  double a = dls_v2_dot(p.d, p.d), b = dls_v2_dot(m, p.d), k = dls_v2_dot(m, m) - r * r;
  if (k < 0 || b >= 0) return false;
  double disc = b * b - a * k;
  if (disc < 0) return false;
  double at = k / (-b + sqrt(disc)); /* the smaller root, without cancellation */
  if (!(at < *t)) return false;
  *t = at;
  *n = dls_v2_scale(1 / r, dls_v2_axpy(m, at, p.d));
  return true;
}

/* Entry through half planes n_i . x <= offset_i shared by all: the last of the entries. */
static bool enter_polygon(ray p, const dls_shape *shape, double *t, dls_vec2 *n) {
  double in = -1, out = DLS_INF;
  dls_vec2 side = {0, 0};
  for (int i = 0; i < shape->n_faces; i++) {
    dls_vec2 m = {shape->faces[i].normal.x, shape->faces[i].normal.y};
    double h = dls_v2_dot(m, p.o) - shape->faces[i].offset, rate = dls_v2_dot(m, p.d);
    if (rate == 0 && h > 0) return false;
    if (rate < 0 && h / -rate > in) in = h / -rate, side = m;
    if (rate > 0) out = dls_min(out, h / -rate);
  }
  if (!(in >= 0 && in <= out && in < *t)) return false;
  *t = in, *n = side;
  return true;
}

/* Either side of the segment from v to w. */
static bool cross_segment(ray p, dls_vec2 v, dls_vec2 w, double *t, dls_vec2 *n) {
  dls_vec2 e = dls_v2_sub(w, v), m = dls_v2_sub(v, p.o);
  double det = dls_v2_cross(p.d, e);
  if (det == 0) return false;
  double at = dls_v2_cross(m, e) / det, along = dls_v2_cross(m, p.d) / det;
  if (!(at >= 0 && at < *t && along >= 0 && along <= 1)) return false;
  dls_vec2 left = dls_v2_scale(1 / dls_v2_norm(e), dls_v2_left(e));
  *t = at, *n = dls_v2_dot(left, p.d) > 0 ? dls_v2_neg(left) : left;
  return true;
}

static bool enter_capsule(ray p, const dls_shape *shape, double *t, dls_vec2 *n) {
  double h = shape->half.x, r = shape->radius;
  double along = dls_clamp(p.o.x, -h, h), dx = p.o.x - along;
  if (dx * dx + p.o.y * p.o.y < r * r) return false; /* begins inside */
  bool hit = enter_disk(p, dls_v2(-h, 0), r, t, n);
  hit = enter_disk(p, dls_v2(h, 0), r, t, n) || hit;
  hit = (h > 0 && cross_segment(p, dls_v2(-h, r), dls_v2(h, r), t, n)) || hit;
  return (h > 0 && cross_segment(p, dls_v2(-h, -r), dls_v2(h, -r), t, n)) || hit;
}

static bool enter_plane(ray p, const dls_shape *shape, double *t, dls_vec2 *n) {
  dls_vec2 m = {shape->normal.x, shape->normal.y};
  double h = dls_v2_dot(m, p.o) - shape->offset, rate = dls_v2_dot(m, p.d);
  if (!(h >= 0 && rate < 0 && h / -rate < *t)) return false;
  *t = h / -rate, *n = m;
  return true;
}

/* A lifter: the bar from R - height outward. */
static bool enter_lifter(ray p, const dls_shape *drum, int k, double *t, dls_vec2 *n) {
  dls_vec2 d = drum->dirs[k], l = dls_v2_left(d);
  double in = drum->radius - drum->lifters.height, half = 0.5 * drum->lifters.width;
  dls_hull_face sides[3] = {{0, 0, {-d.x, -d.y, 0}, -in},
                            {0, 0, {l.x, l.y, 0}, half},
                            {0, 0, {-l.x, -l.y, 0}, half}};
  dls_shape bar = {.n_faces = 3, .faces = sides};
  return enter_polygon(p, &bar, t, n);
}

/* From the free inside out through the shell: the later crossing of the circle. */
static bool enter_drum(ray p, const dls_shape *drum, double *t, dls_vec2 *n) {
  double R = drum->radius, a = dls_v2_dot(p.d, p.d), b = dls_v2_dot(p.o, p.d);
  double k = dls_v2_dot(p.o, p.o) - R * R, disc = b * b - a * k;
  bool hit = false;
  if (disc < 0 || a == 0) return false;
  double far = b > 0 ? -k / (b + sqrt(disc)) : (-b + sqrt(disc)) / a;
  if (far >= 0 && far < *t) {
    *t = far, hit = true;
    *n = dls_v2_scale(-1 / R, dls_v2_axpy(p.o, far, p.d));
  }
  for (int i = 0; i < drum->lifters.count; i++) hit = enter_lifter(p, drum, i, t, n) || hit;
  return hit;
}

static bool enter(const dls_shape *shape, ray p, double *t, dls_vec2 *n) {
  switch (shape->kind) {
    case DLS_SHAPE_DISK: return enter_disk(p, dls_v2(0, 0), shape->radius, t, n);
    case DLS_SHAPE_CAPSULE: return enter_capsule(p, shape, t, n);
    case DLS_SHAPE_BOX:
    case DLS_SHAPE_POLYGON: return enter_polygon(p, shape, t, n);
    case DLS_SHAPE_SEGMENT:
      return cross_segment(p, dls_v2(shape->points[0].x, shape->points[0].y),
                           dls_v2(shape->points[1].x, shape->points[1].y), t, n);
    case DLS_SHAPE_PLANE: return enter_plane(p, shape, t, n);
    case DLS_SHAPE_DRUM: return enter_drum(p, shape, t, n);
    default: return false;
  }
}

bool dls_raycast2(const dls_shape *shape, const dls_pose2 *pose, dls_vec2 from, dls_vec2 to,
                  dls_hit *hit) {
  if (shape->kind == DLS_SHAPE_COMPOUND) {
    bool any = false;
    for (int i = 0; i < shape->n_children; i++) {
      dls_hit one;
      dls_pose2 child = dls_pose2_mul(pose, &shape->children[i].pose2);
      if (!dls_raycast2(shape->children[i].shape, &child, from, to, &one)) continue;
      if (!any || one.fraction < hit->fraction) *hit = one;
      any = true;
    }
    return any;
  }
  ray p = {dls_pose2_back(pose, from), dls_pose2_turn_back(pose, dls_v2_sub(to, from))};
  double t = 1 + 1e-15;
  dls_vec2 n = {0, 0};
  if (!enter(shape, p, &t, &n)) return false;
  t = dls_min(t, 1);
  n = dls_pose2_turn(pose, n);
  dls_vec2 point = dls_v2_axpy(from, t, dls_v2_sub(to, from));
  *hit = (dls_hit){t, {point.x, point.y, 0}, {n.x, n.y, 0}};
  return true;
}
