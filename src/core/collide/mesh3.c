/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/convex3.h"
#include "core/collide/pairs3.h"
#include "core/collide/tree3.h"

/* One triangle as a flat convex body in place: two faces, three edges. */
typedef struct triangle {
  dls_shape shape;
  dls_vec3 points[3], axes[3];
  dls_hull_face faces[2];
} triangle;

static const int around[6] = {0, 1, 2, 0, 2, 1};

static void fill(triangle *t, const dls_shape *mesh, int f) {
  const int *v = mesh->face_points + 3 * (size_t)f;
  dls_shape *s = &t->shape;
  memset(s, 0, sizeof *s);
  s->kind = DLS_SHAPE_CONVEX, s->dims = DLS_SPATIAL, s->bounded = true;
  for (int k = 0; k < 3; k++) t->points[k] = mesh->points[v[k]];
  for (int k = 0; k < 3; k++)
    t->axes[k] = dls_v3_unit(dls_v3_sub(t->points[(k + 1) % 3], t->points[k]));
  dls_vec3 n = mesh->faces[f].normal;
  t->faces[0] = (dls_hull_face){0, 3, n, mesh->faces[f].offset};
  t->faces[1] = (dls_hull_face){3, 3, dls_v3_neg(n), -mesh->faces[f].offset};
  s->points = t->points, s->n_points = 3;
  s->axes = t->axes, s->n_axes = 3;
  s->faces = t->faces, s->n_faces = 2;
  s->face_points = (int *)around, s->n_face_points = 6;
  s->reach = mesh->reach;
}

static bool apart(const triangle *t, dls_vec3 lo, dls_vec3 hi) {
  dls_vec3 l = t->points[0], h = l;
  for (int k = 1; k < 3; k++) {
    dls_vec3 p = t->points[k];
    l = dls_v3(dls_min(l.x, p.x), dls_min(l.y, p.y), dls_min(l.z, p.z));
    h = dls_v3(dls_max(h.x, p.x), dls_max(h.y, p.y), dls_max(h.z, p.z));
  }
  return l.x > hi.x || h.x < lo.x || l.y > hi.y || h.y < lo.y || l.z > hi.z || h.z < lo.z;
}

/* Triangles that the body's bounds reach and whose outer side its centre is on: normals to that side
** only. */
void dls_pair3_mesh(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                    const dls_pose3 *pose_b, dls_sink *sink) {
  dls_pose3 local = {dls_m3_t_mul(&pose_a->R, &pose_b->R), dls_pose3_back(pose_a, pose_b->p)};
  dls_vec3 lo, hi;
  dls_shape_bounds3(b, &local, &lo, &hi);
  double m = sink->margin;
  dls_vec3 centre = dls_pose3_apply(&local, b->mass3.centre);
  lo = dls_v3(lo.x - m, lo.y - m, lo.z - m), hi = dls_v3(hi.x + m, hi.y + m, hi.z + m);
  for (int i = 0; i < a->n_nodes;) {
    const dls_node3 *node = &a->nodes[i];
    if (!dls_node3_meets(node, lo, hi)) {
      i = node->skip;
      continue;
    }
    for (int k = 0; k < node->count; k++) {
      const int f = a->tree_faces[node->first + k];
      if (dls_v3_dot(a->faces[f].normal, centre) < a->faces[f].offset) continue; /* behind */
      triangle t;
      fill(&t, a, f);
      if (apart(&t, lo, hi)) continue;
      uint64_t before = dls_sink_enter(sink, f, true);
      dls_convex3_put(&t.shape, pose_a, b, pose_b, dls_m3_apply(&pose_a->R, a->faces[f].normal),
                      sink);
      dls_sink_leave(sink, before);
    }
    i++;
  }
}
