/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/make.h"
#include "core/collide/tree3.h"

const char *dls_shape_name(dls_shape_kind kind) {
  static const char *const names[] = {
#define X(code, text) text,
      DLS_SHAPE_LIST(X)
#undef X
  };
  return kind < DLS_N_SHAPES ? names[kind] : "unknown shape";
}

dls_status dls_shape_refuse(dls_fault *fault, int index, double value) {
  if (fault) *fault = (dls_fault){index, value};
  return DLS_ARG;
}

dls_shape *dls_shape_blank(const dls_alloc *alloc, dls_shape_kind kind, unsigned dims) {
  dls_shape *shape = dls_new(alloc, 1, sizeof *shape);
  if (!shape) return NULL;
  shape->kind = kind;
  shape->dims = dims;
  shape->solid = shape->bounded = true;
  shape->alloc = *alloc;
  shape->holders = 1;
  return shape;
}

bool dls_shape_axes(dls_shape *shape, int n_axes) {
  shape->n_axes = n_axes;
  shape->axes = dls_new(&shape->alloc, n_axes, sizeof *shape->axes);
  if (shape->axes && n_axes > 0) shape->axes[0] = dls_v3(1, 0, 0);
  return shape->axes != NULL;
}

bool dls_shape_room(dls_shape *shape, int n_points, int n_faces, int n_face_points, int n_edges) {
  const dls_alloc *alloc = &shape->alloc;
  shape->n_points = n_points, shape->n_faces = n_faces;
  shape->n_face_points = n_face_points, shape->n_edges = n_edges;
  shape->points = dls_new(alloc, n_points, sizeof *shape->points);
  shape->faces = dls_new(alloc, n_faces, sizeof *shape->faces);
  shape->face_points = dls_new(alloc, n_face_points, sizeof *shape->face_points);
  shape->edges = dls_new(alloc, 2 * (size_t)n_edges, sizeof *shape->edges);
  return shape->points && shape->faces && shape->face_points && shape->edges;
}

dls_shape *dls_shape_hold(const dls_shape *shape) {
  dls_shape *held = (dls_shape *)shape; /* the count is the one thing that changes */
  held->holders++;
  return held;
}

void dls_shape_drop(const dls_shape *shape) {
  dls_shape *s = (dls_shape *)shape;
  if (!s || --s->holders > 0) return;
  for (int i = 0; i < s->n_children; i++) dls_shape_drop(s->children[i].shape);
  dls_alloc alloc = s->alloc;
  dls_free(&alloc, s->points, s->n_points, sizeof *s->points);
  dls_free(&alloc, s->faces, s->n_faces, sizeof *s->faces);
  dls_free(&alloc, s->face_points, s->n_face_points, sizeof *s->face_points);
  dls_free(&alloc, s->edges, 2 * (size_t)s->n_edges, sizeof *s->edges);
  dls_free(&alloc, s->axes, s->n_axes, sizeof *s->axes);
  dls_free(&alloc, s->dirs, s->lifters.count, sizeof *s->dirs);
  dls_free(&alloc, s->nodes, s->nodes ? s->n_faces : 0, sizeof *s->nodes);
  dls_free(&alloc, s->tree_faces, s->tree_faces ? s->n_faces : 0, sizeof *s->tree_faces);
  dls_free(&alloc, s->children, s->n_children, sizeof *s->children);
  dls_free(&alloc, s, 1, sizeof *s);
}

void dls_shape_sides(dls_shape *shape) {
  int n = shape->n_points;
  for (int i = 0; i < n; i++) {
    dls_vec3 v = shape->points[i], e = dls_v3_sub(shape->points[i + 1 < n ? i + 1 : 0], v);
    dls_vec3 normal = dls_v3_unit(dls_v3(e.y, -e.x, 0));
    shape->faces[i] = (dls_hull_face){i, 2, normal, dls_v3_dot(normal, v)};
  }
}

void dls_shape_set_reach(dls_shape *shape) {
  double far = 0;
  for (int i = 0; i < shape->n_points; i++) far = dls_max(far, dls_v3_norm(shape->points[i]));
  shape->reach = far + shape->radius;
}

dls_pose2 dls_pose2_mul(const dls_pose2 *T, const dls_pose2 *U) {
  dls_vec2 p = dls_pose2_apply(T, dls_v2(U->x, U->y));
  return (dls_pose2){p.x, p.y, T->c * U->c - T->s * U->s, T->s * U->c + T->c * U->s};
}

dls_pose3 dls_pose3_mul(const dls_pose3 *T, const dls_pose3 *U) {
  return (dls_pose3){dls_m3_mul(&T->R, &U->R), dls_pose3_apply(T, U->p)};
}

/* --- widths ---------------------------------------------------------------------------------- */

/* Of a hull: the least over its faces of what lies below each. */
static double hull_width(const dls_shape *shape) {
  double least = DLS_INF;
  for (int i = 0; i < shape->n_faces; i++) {
    const dls_vec3 n = shape->faces[i].normal;
    double low = DLS_INF, high = -DLS_INF;
    for (int k = 0; k < shape->n_points; k++) {
      const double h = dls_v3_dot(n, shape->points[k]);
      low = dls_min(low, h), high = dls_max(high, h);
    }
    least = dls_min(least, high - low);
  }
  return least;
}

double dls_shape_narrowest(const dls_shape *shape) {
  double least = DLS_INF;
  switch (shape->kind) {
    case DLS_SHAPE_DISK: case DLS_SHAPE_SPHERE: case DLS_SHAPE_CAPSULE: return 2 * shape->radius;
    case DLS_SHAPE_CYLINDER: return 2 * dls_min(shape->radius, shape->half.x);
    case DLS_SHAPE_CONE: return dls_min(shape->radius + shape->radius2, 2 * shape->half.x);
    case DLS_SHAPE_BOX: case DLS_SHAPE_POLYGON: case DLS_SHAPE_CONVEX: return hull_width(shape);
    case DLS_SHAPE_ELLIPSOID: return 2 * dls_shape_girth(shape);
    case DLS_SHAPE_DRUM:
      return shape->lifters.count > 0 ? dls_min(shape->lifters.height, shape->lifters.width)
                                      : DLS_INF;
    case DLS_SHAPE_COMPOUND:
      for (int i = 0; i < shape->n_children; i++)
        least = dls_min(least, shape->children[i].shape->narrowest);
      return least;
    case DLS_SHAPE_SEGMENT: case DLS_SHAPE_PLANE: case DLS_SHAPE_MESH: return DLS_INF;
    default: return shape->bounded ? shape->reach : DLS_INF;
  }
}
