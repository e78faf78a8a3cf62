/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_GROUP_MOTION_H
#define DLS_JOINTS_GROUP_MOTION_H

#include "core/math/elementary.h"
#include "core/model/motion.h"

/* Bodies that move as one rigid body: inertia about a centre, and the turn that has an angular
** momentum. */

/* Velocities of a body, its mass centre at `arm` from the centre, where that has v, m/s, and all
** turn by `turn`, rad/s. */
static inline void dls_group_velocity(int dim, dls_vec3 v, dls_vec3 turn, dls_vec3 arm, double *u) {
  const dls_vec3 at = dls_v3_add(v, dls_v3_cross(turn, arm));
  u[0] = at.x, u[1] = at.y, u[2] = dim == 2 ? turn.z : at.z;
  if (dim == 3) dls_v3_store(u + 3, turn);
}

/* Adds a body's inertia about the centre, by columns, kg m^2. */
static inline void dls_group_add_inertia(int dim, const dls_body *body, const double *q,
                                         dls_vec3 arm, double inertia[3][3]) {
  for (int k = dim == 2 ? 2 : 0; k < 3; k++) {
    double u[DLS_NU(3)] = {0}, p[DLS_NU(3)] = {0};
    dls_group_velocity(dim, dls_v3(0, 0, 0), dls_v3(k == 0, k == 1, k == 2), arm, u);
    dls_momentum(dim, body, q, u, p);
    const dls_vec3 L = dls_v3_add(dls_v3_cross(arm, dls_point_of(dim, p)), dls_turn_of(dim, p));
    inertia[k][0] += L.x, inertia[k][1] += L.y, inertia[k][2] += L.z;
  }
}

/* The turn with that angular momentum about the centre, the inertia its nine numbers; false: it
** has none about some axis (one point, a row of points), below 1e-12 of the largest. */
static inline bool dls_group_turn(int dim, const double *inertia, dls_vec3 moment, dls_vec3 *turn) {
  static const double LEAST = 1e-12;
  *turn = dls_v3(0, 0, 0);
  if (dim == 2) {
    if (!(inertia[8] > 0)) return false;
    *turn = dls_v3(0, 0, moment.z / inertia[8]);
    return true;
  }
  const dls_vec3 a = dls_v3_load(inertia), b = dls_v3_load(inertia + 3),
                 c = dls_v3_load(inertia + 6);
  const double det = dls_v3_dot(a, dls_v3_cross(b, c)), most = dls_max(a.x, dls_max(b.y, c.z));
  if (!(det > LEAST * most * most * most)) return false;
  const dls_vec3 d = dls_v3_scale(1 / det, moment);
  *turn = dls_v3(dls_v3_dot(d, dls_v3_cross(b, c)), dls_v3_dot(d, dls_v3_cross(c, a)),
                 dls_v3_dot(d, dls_v3_cross(a, b)));
  return true;
}

#endif
