/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/collide.h"
#include "core/collide/ellipsoid.h"

static dls_vec3 farthest(const dls_shape *shape, dls_vec3 d) {
  int best = 0;
  double most = -DLS_INF;
  for (int i = 0; i < shape->n_points; i++) {
    double s = dls_v3_dot(shape->points[i], d);
    if (s > most) most = s, best = i;
  }
  return shape->points[best];
}

/* The rim of larger value: x = -h with radius r1, or x = h with r2. d across the axis picks the
** point on it; along the axis any would do. */
static dls_vec3 on_rims(double h, double r1, double r2, dls_vec3 d) {
  double across = sqrt(d.y * d.y + d.z * d.z);
  bool upper = h * d.x + r2 * across > -h * d.x + r1 * across;
  double r = upper ? r2 : r1;
  double y = across > 0 ? d.y / across : 1, z = across > 0 ? d.z / across : 0;
  return dls_v3(upper ? h : -h, r * y, r * z);
}

static dls_vec3 child_support(const dls_child *child, bool planar, dls_vec3 d) {
  if (planar) {
    dls_vec2 back = dls_pose2_turn_back(&child->pose2, dls_v2(d.x, d.y));
    dls_vec3 p = dls_shape_support(child->shape, true, dls_v3(back.x, back.y, 0));
    dls_vec2 q = dls_pose2_apply(&child->pose2, dls_v2(p.x, p.y));
    return dls_v3(q.x, q.y, 0);
  }
  dls_vec3 back = dls_m3_apply_t(&child->pose3.R, d);
  return dls_pose3_apply(&child->pose3, dls_shape_support(child->shape, false, back));
}

dls_vec3 dls_shape_support(const dls_shape *shape, bool planar, dls_vec3 d) {
  if (planar) d.z = 0;
  dls_vec3 unit = dls_v3_unit(d), best = {0, 0, 0};
  switch (shape->kind) {
    case DLS_SHAPE_DISK:
    case DLS_SHAPE_SPHERE:
    case DLS_SHAPE_CAPSULE: return dls_v3_axpy(farthest(shape, d), shape->radius, unit);
    case DLS_SHAPE_CYLINDER: return on_rims(shape->half.x, shape->radius, shape->radius, d);
    case DLS_SHAPE_CONE: return on_rims(shape->half.x, shape->radius, shape->radius2, d);
    case DLS_SHAPE_ELLIPSOID: return dls_ellipsoid_point(shape->half, d);
    case DLS_SHAPE_COMPOUND:
      for (int i = 0; i < shape->n_children; i++) {
        dls_vec3 p = child_support(&shape->children[i], planar, d);
        if (i == 0 || dls_v3_dot(p, d) > dls_v3_dot(best, d)) best = p;
      }
      return best;
    default: return farthest(shape, d);
  }
}

double dls_shape_extent3(const dls_shape *shape, dls_vec3 d) {
  if (shape->kind == DLS_SHAPE_SPHERE) return shape->radius;
  if (shape->kind == DLS_SHAPE_CAPSULE) return shape->half.x * fabs(d.x) + shape->radius;
  if (shape->kind == DLS_SHAPE_BOX)
    return shape->half.x * fabs(d.x) + shape->half.y * fabs(d.y) + shape->half.z * fabs(d.z);
  return dls_v3_dot(d, dls_shape_support(shape, false, d));
}

/* A half space along an axis ends where its face is. */
static void bound_face(const dls_shape *plane, const dls_pose3 *pose, double lo[3], double hi[3]) {
  const dls_vec3 n = dls_m3_apply(&pose->R, plane->normal);
  const double along[3] = {n.x, n.y, n.z}, p[3] = {pose->p.x, pose->p.y, pose->p.z};
  for (int k = 0; k < 3; k++) {
    if (along[(k + 1) % 3] != 0 || along[(k + 2) % 3] != 0) continue;
    if (along[k] > 0) hi[k] = p[k] + plane->offset;
    if (along[k] < 0) lo[k] = p[k] - plane->offset;
  }
}

void dls_shape_bounds3(const dls_shape *shape, const dls_pose3 *pose, dls_vec3 *lo, dls_vec3 *hi) {
  double l[3] = {-DLS_INF, -DLS_INF, -DLS_INF}, h[3] = {DLS_INF, DLS_INF, DLS_INF};
  double p[3] = {pose->p.x, pose->p.y, pose->p.z};
  if (shape->kind == DLS_SHAPE_PLANE) bound_face(shape, pose, l, h);
  for (int k = 0; k < 3 && shape->bounded; k++) {
    dls_vec3 axis = dls_m3_row(&pose->R, k); /* the world's axis in the shape's frame */
    h[k] = p[k] + dls_shape_extent3(shape, axis);
    l[k] = p[k] - dls_shape_extent3(shape, dls_v3_neg(axis));
  }
  *lo = dls_v3_load(l), *hi = dls_v3_load(h);
}
