/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/flat3.h"
#include "core/collide/manifold3.h"
#include "core/collide/pairs3.h"

/* Below this sine a disk lies flat and its four points stay at fixed places of the body. */
#define FLAT 1e-9

static void put_corner(dls_manifold3 *m, const dls_sink *sink, dls_flat3 f, const dls_pose3 *pose,
                       dls_vec3 local, double r, uint64_t key) {
  dls_vec3 from = dls_v3_add(f.to_body, dls_m3_apply(&pose->R, local));
  dls_vec3 p = dls_v3_add(pose->p, dls_m3_apply(&pose->R, local));
  double h = dls_v3_dot(f.n, from);
  dls_manifold3_add(m, sink, dls_v3_axpy(p, -h, f.n), dls_v3_axpy(p, -r, f.n), f.n, h - r, key);
}

/* Both rims: the lowest point and those a quarter and a half turn from it. */
static void put_rims(dls_manifold3 *m, const dls_sink *sink, dls_flat3 f, const dls_shape *b,
                     const dls_pose3 *pose) {
  dls_vec3 down = dls_m3_apply_t(&pose->R, dls_v3_neg(f.n));
  double across = sqrt(down.y * down.y + down.z * down.z);
  double y = across > FLAT ? down.y / across : 1, z = across > FLAT ? down.z / across : 0;
  for (int end = 0; end < 2; end++) {
    bool tip = end == 1 && b->kind == DLS_SHAPE_CONE;
    double r = tip ? b->radius2 : b->radius, x = end == 1 ? b->half.x : -b->half.x;
    const double dirs[4][2] = {{y, z}, {-z, y}, {-y, -z}, {z, -y}};
    for (int k = 0; k < (r > 0 ? 4 : 1); k++)
      put_corner(m, sink, f, pose, dls_v3(x, r * dirs[k][0], r * dirs[k][1]), 0,
                 (uint64_t)(4 * end + k));
  }
}

void dls_flat3_put(dls_flat3 f, const dls_shape *b, const dls_pose3 *pose, dls_sink *sink) {
  dls_manifold3 m;
  m.n = 0;
  const double slack = 1e-9 * b->reach, height = dls_v3_dot(f.n, f.to_body);
  if (height - b->reach > sink->margin + slack) return;
  const dls_vec3 down = dls_m3_apply_t(&pose->R, dls_v3_neg(f.n));
  if (height - dls_shape_extent3(b, down) > sink->margin + slack) return;
  if (b->kind == DLS_SHAPE_CYLINDER || b->kind == DLS_SHAPE_CONE) {
    put_rims(&m, sink, f, b, pose);
  } else if (b->kind == DLS_SHAPE_ELLIPSOID) {
    put_corner(&m, sink, f, pose, dls_shape_support(b, false, down), 0, 0);
  } else {
    bool round = b->kind == DLS_SHAPE_SPHERE || b->kind == DLS_SHAPE_CAPSULE;
    for (int i = 0; i < b->n_points; i++)
      put_corner(&m, sink, f, pose, b->points[i], round ? b->radius : 0, (uint64_t)i);
  }
  dls_manifold3_put(&m, sink);
}

void dls_pair3_plane(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                     const dls_pose3 *pose_b, dls_sink *sink) {
  dls_flat3 f;
  f.n = dls_m3_apply(&pose_a->R, a->normal);
  f.to_body = dls_v3_axpy(dls_v3_sub(pose_b->p, pose_a->p), -a->offset, f.n);
  dls_flat3_put(f, b, pose_b, sink);
}
