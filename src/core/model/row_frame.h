/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_ROW_FRAME_H
#define DLS_MODEL_ROW_FRAME_H

#include "core/model/motion.h"

/* The frame of a contact and its rows; dim is 2 or 3, and a constant where that is worth it. */

/* A gap of this share of the smaller body is closed: bodies at rest on each other fall together
** when nothing holds them, so that a gap of round-off alone would not be seen to close. */
#define DLS_CLOSED 1e-9

/* Where the impulse acts on each body: both at one point between the surfaces, so that nothing is
** added to the angular momentum; beside a body that does not move freely, each at its own. */
static inline void dls_points_of(const dls_world *w, int a, int b, const dls_touch *touch,
                                 dls_vec3 *on_a, dls_vec3 *on_b) {
  *on_a = touch->point_a;
  *on_b = touch->point_b;
  if (dls_moves_freely(&w->bodies[a]) && dls_moves_freely(&w->bodies[b]))
    *on_a = *on_b = dls_v3_scale(0.5, dls_v3_add(touch->point_a, touch->point_b));
}

/* From the mass centre of a body with the coordinates q to a point. */
static inline dls_vec3 dls_arm_to(int dim, const double *q, dls_vec3 point) {
  return dls_v3_sub(point, dls_point_of(dim, q));
}

/* One row, 2 nu numbers: force along d at r_b on b, -d at r_a on a. */
static inline void dls_write_row(int dim, double *J, dls_vec3 d, dls_vec3 r_a, dls_vec3 r_b) {
  if (dim == 2) {
    J[0] = -d.x;
    J[1] = -d.y;
    J[2] = -(r_a.x * d.y - r_a.y * d.x);
    J[3] = d.x;
    J[4] = d.y;
    J[5] = r_b.x * d.y - r_b.y * d.x;
  } else {
    dls_v3_store(J, dls_v3_neg(d));
    dls_v3_store(J + 3, dls_v3_neg(dls_v3_cross(r_a, d)));
    dls_v3_store(J + 6, d);
    dls_v3_store(J + 9, dls_v3_cross(r_b, d));
  }
}

/* One row of relative rotation about d (the plane's only axis, or an axis in space). */
static inline void dls_write_turn(int dim, double *J, dls_vec3 d) {
  memset(J, 0, 2 * (size_t)DLS_NU(dim) * sizeof(double));
  if (dim == 2) {
    J[2] = -1;
    J[5] = 1;
  } else {
    dls_v3_store(J + 3, dls_v3_neg(d));
    dls_v3_store(J + 9, d);
  }
}

/* The tangent of the plane is the normal turned by -90 degrees; in space any two. */
static inline void dls_tangents(int dim, dls_vec3 n, dls_vec3 *t1, dls_vec3 *t2) {
  *t1 = dim == 2 ? dls_v3(n.y, -n.x, 0) : dls_v3_orthogonal(n);
  *t2 = dim == 2 ? dls_v3(0, 0, 1) : dls_v3_cross(n, *t1);
}

#endif
