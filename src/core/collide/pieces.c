/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/pieces.h"

#include "core/collide/tree3.h"

int dls_piece_faces(const dls_piece *c) {
  if (c->triangle >= 0) return 4;
  if (c->shape->kind == DLS_SHAPE_PLANE) return 1;
  return c->shape->kind == DLS_SHAPE_SEGMENT ? 4 : c->shape->n_faces;
}

static dls_vec3 corner(const dls_piece *c, int k) {
  return c->triangle >= 0
             ? c->shape->points[c->shape->face_points[3 * (size_t)c->triangle + (size_t)k]]
             : c->shape->points[k];
}

static int corners_of(const dls_piece *c) { return c->triangle >= 0 ? 3 : c->shape->n_points; }

dls_piece_face dls_piece_face_at(const dls_piece *c, int i) {
  const dls_shape *s = c->shape;
  dls_piece_face f;
  if (s->kind == DLS_SHAPE_PLANE) return (dls_piece_face){s->normal, s->offset};
  if (c->triangle >= 0) {
    const dls_vec3 n = s->faces[c->triangle].normal;
    if (i == 0) return (dls_piece_face){n, s->faces[c->triangle].offset};
    const dls_vec3 a = corner(c, i - 1), b = corner(c, i % 3);
    f.m = dls_v3_unit(dls_v3_cross(dls_v3_sub(b, a), n));
    f.d = dls_v3_dot(f.m, a);
    return f;
  }
  if (s->kind == DLS_SHAPE_SEGMENT && i >= 2) {
    const dls_vec3 way = dls_v3_unit(dls_v3_sub(s->points[1], s->points[0]));
    f.m = i == 2 ? way : dls_v3_neg(way);
    f.d = dls_v3_dot(f.m, s->points[i == 2]);
    return f;
  }
  return (dls_piece_face){s->faces[i].normal, s->faces[i].offset};
}

double dls_piece_beyond(const dls_piece *c, dls_vec3 x) {
  double most = -DLS_INF;
  for (int i = 0; i < dls_piece_faces(c); i++) {
    const dls_piece_face f = dls_piece_face_at(c, i);
    const double h = dls_v3_dot(f.m, x) - f.d;
    most = dls_max(most, i == 0 && c->triangle >= 0 ? fabs(h) : h);
  }
  return most;
}

double dls_piece_support(const dls_piece *c, dls_vec3 n) {
  if (c->shape->kind == DLS_SHAPE_PLANE) {
    const dls_vec3 m = c->shape->normal;
    const bool along =
        dls_v3_norm(dls_v3_axpy(n, -dls_v3_dot(n, m), m)) <= DLS_PIECE_TINY && dls_v3_dot(n, m) > 0;
    return along ? c->shape->offset : DLS_INF;
  }
  double most = -DLS_INF;
  for (int k = 0; k < corners_of(c); k++) most = dls_max(most, dls_v3_dot(n, corner(c, k)));
  return most;
}

/* --- the pieces about a point ----------------------------------------------------------------- */

static void gather_one(dls_around *at, const dls_shape *s, const dls_pose3 *pose, int triangle,
                       bool of_body, bool alike) {
  if (at->count == DLS_AROUND_MOST) return;
  dls_piece *c = &at->all[at->count];
  /* own_pose is large */
  c->shape = s, c->pose = pose, c->triangle = triangle, c->size = s->bounded ? s->reach : 1;
  if (triangle >= 0) { /* the mesh may be large */
    const dls_vec3 x = corner(c, 0), y = corner(c, 1), z = corner(c, 2);
    c->size = dls_max(dls_v3_norm(dls_v3_sub(y, x)), dls_v3_norm(dls_v3_sub(z, x)));
  }
  const double out = dls_piece_beyond(c, dls_pose3_back(pose, at->p));
  if (!(out <= at->slack)) return;
  c->own = of_body && out <= DLS_PIECE_ON * c->size;
  c->alike = alike;
  at->n_own += c->own;
  at->count++;
}

static void gather_mesh(dls_around *at, const dls_shape *mesh, const dls_pose3 *pose, bool of_body,
                        bool alike) {
  const dls_vec3 p = dls_pose3_back(pose, at->p);
  const double r = at->slack;
  const dls_vec3 lo = dls_v3(p.x - r, p.y - r, p.z - r), hi = dls_v3(p.x + r, p.y + r, p.z + r);
  for (int i = 0; i < mesh->n_nodes;) {
    const dls_node3 *node = &mesh->nodes[i];
    if (!dls_node3_meets(node, lo, hi)) {
      i = node->skip;
      continue;
    }
    for (int k = 0; k < node->count; k++)
      gather_one(at, mesh, pose, mesh->tree_faces[node->first + k], of_body, alike);
    i++;
  }
}

bool dls_is_piece(const dls_shape *s) {
  return s->kind == DLS_SHAPE_BOX || s->kind == DLS_SHAPE_CONVEX || s->kind == DLS_SHAPE_POLYGON ||
         s->kind == DLS_SHAPE_SEGMENT || s->kind == DLS_SHAPE_PLANE;
}

static void gather_shape(dls_around *at, const dls_shape *s, const dls_pose3 *pose, bool of_body,
                         bool alike) {
  if (s->kind == DLS_SHAPE_MESH) gather_mesh(at, s, pose, of_body, alike);
  else if (dls_is_piece(s)) gather_one(at, s, pose, -1, of_body, alike);
}

void dls_around_gather(dls_around *at, const dls_ground *ground, bool of_body) {
  const dls_shape *s = ground->shape;
  if (s->kind != DLS_SHAPE_COMPOUND) {
    gather_shape(at, s, &ground->pose, of_body, ground->alike);
    return;
  }
  const dls_vec3 p = dls_pose3_back(&ground->pose, at->p);
  for (int i = 0; i < s->n_children; i++) {
    const dls_child *child = &s->children[i];
    const bool planar = !(s->dims & DLS_SPATIAL);
    const dls_pose2 *flat = &child->pose2;
    const dls_pose3 local =
        planar ? (dls_pose3){{{flat->c, -flat->s, 0, flat->s, flat->c, 0, 0, 0, 1}},
                             {flat->x, flat->y, 0}}
               : child->pose3;
    const dls_vec3 d = dls_v3_sub(p, local.p);
    const double far = child->shape->reach + at->slack;
    if (dls_v3_dot(d, d) > far * far) continue;
    const int first = at->count;
    const dls_pose3 pose = dls_pose3_mul(&ground->pose, &local);
    gather_shape(at, child->shape, &pose, of_body, ground->alike);
    for (int k = first; k < at->count; k++)
      at->all[k].own_pose = pose, at->all[k].pose = &at->all[k].own_pose;
  }
}

int dls_piece_way_out(const dls_piece *a, dls_vec3 x) {
  int nearest = -1;
  double least = -DLS_INF;
  for (int i = 0; i < dls_piece_faces(a); i++) {
    const dls_piece_face f = dls_piece_face_at(a, i);
    const double h = dls_v3_dot(f.m, x) - f.d;
    if (h > least) least = h, nearest = i;
  }
  return least < 0 ? nearest : -1;
}
