/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/make.h"

/* Lengths below this share of the polygon's size count as nothing. */
#define NOTHING 1e-12

static dls_vec2 point(const double *points, int i) {
  return dls_v2(points[2 * i], points[2 * i + 1]);
}

static double extent(int n, const double *points) {
  dls_vec2 lo = point(points, 0), hi = lo;
  for (int i = 1; i < n; i++) {
    dls_vec2 p = point(points, i);
    lo = dls_v2(dls_min(lo.x, p.x), dls_min(lo.y, p.y));
    hi = dls_v2(dls_max(hi.x, p.x), dls_max(hi.y, p.y));
  }
  return dls_max(hi.x - lo.x, hi.y - lo.y);
}

/* Twice the signed area. */
static double area2(int n, const double *points) {
  double sum = 0;
  dls_vec2 o = point(points, 0);
  for (int i = 1; i + 1 < n; i++)
    sum += dls_v2_cross(dls_v2_sub(point(points, i), o), dls_v2_sub(point(points, i + 1), o));
  return sum;
}

/* Keeps the corners that turn, counterclockwise; returns how many, or -1 - i where corner i of the
** given ones repeats its neighbour. */
static int keep_corners(int n, const double *points, double size, int keep[]) {
  bool clockwise = area2(n, points) < 0;
  int count = 0;
  for (int k = 0; k < n; k++) {
    int i = clockwise ? n - 1 - k : k;
    int before = clockwise ? (i + 1) % n : (i + n - 1) % n;
    int after = clockwise ? (i + n - 1) % n : (i + 1) % n;
    dls_vec2 e = dls_v2_sub(point(points, i), point(points, before));
    dls_vec2 f = dls_v2_sub(point(points, after), point(points, i));
    if (!(dls_v2_norm(e) > NOTHING * size)) return -1 - i;
    bool straight = fabs(dls_v2_cross(e, f)) <= NOTHING * dls_v2_norm(e) * dls_v2_norm(f);
    if (!(straight && dls_v2_dot(e, f) > 0)) keep[count++] = i;
  }
  return count;
}

/* The first kept corner that lies outside of some side, which makes the polygon concave (or wound
** more than once); -1 where there is none. */
static int find_outside(const double *points, int count, const int keep[], double size) {
  for (int i = 0; i < count; i++) {
    dls_vec2 v = point(points, keep[i]), e = dls_v2_sub(point(points, keep[(i + 1) % count]), v);
    double length = dls_v2_norm(e);
    for (int j = 0; j < count; j++) {
      double out = -dls_v2_cross(e, dls_v2_sub(point(points, keep[j]), v)) / length;
      if (out > NOTHING * size) return keep[(i + 1) % count];
    }
  }
  return -1;
}

dls_status dls_shape_polygon(const dls_alloc *alloc, int n, const double *points,
                             dls_shape **out, dls_fault *fault) {
  int keep[DLS_MAX_CORNERS];
  if (n < 3 || n > DLS_MAX_CORNERS) return dls_shape_refuse(fault, -1, n);
  for (int i = 0; i < 2 * n; i++)
    if (!dls_is_finite(points[i])) return dls_shape_refuse(fault, i / 2, points[i]);
  double size = extent(n, points), area = fabs(area2(n, points));
  if (!(area > NOTHING * size * size)) return dls_shape_refuse(fault, -1, 0);
  int count = keep_corners(n, points, size, keep);
  if (count < 0) return dls_shape_refuse(fault, -1 - count, 0);
  int concave = find_outside(points, count, keep, size);
  if (concave >= 0 || count < 3) return dls_shape_refuse(fault, concave, 1);

  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_POLYGON, DLS_PLANAR);
  if (!shape) return DLS_NOMEM;
  if (!dls_shape_room(shape, count, count, 0, 0)) {
    dls_shape_drop(shape);
    return DLS_NOMEM;
  }
  for (int i = 0; i < count; i++)
    shape->points[i] = dls_v3(points[2 * keep[i]], points[2 * keep[i] + 1], 0);
  dls_shape_sides(shape);
  dls_shape_set_reach(shape);
  dls_mass_polygon(count, shape->points, &shape->mass2);
  shape->narrowest = dls_shape_narrowest(shape);
  *out = shape;
  return DLS_OK;
}
