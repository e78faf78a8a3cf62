/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_FRAMES_H
#define DLS_MODEL_FRAMES_H

#include "core/base/dim.h"
#include "core/math/elementary.h"
#include "core/model/world.h"

/* A body's numbers in the world's arrays as frames and twists; the plane lies in z = 0. */

static inline size_t dls_nq_of(const dls_world *w) { return (size_t)DLS_NQ(w->dim); }
static inline size_t dls_nu_of(const dls_world *w) { return (size_t)DLS_NU(w->dim); }

static inline bool dls_is_dynamic(const dls_world *w, int body) {
  return w->bodies[body].type == DLS_DYNAMIC;
}

/* The frame of a body from its coordinates q. */
static inline dls_place dls_frame_of(const dls_world *w, int body, const double *q) {
  dls_place T;
  if (w->dim == 2) {
    double s = 0, c = 1;
    if (q[2] != 0) dls_sincos(q[2], &s, &c);
    T.R = (dls_mat3){{c, -s, 0, s, c, 0, 0, 0, 1}};
    T.p = dls_v3(q[0], q[1], 0);
  } else {
    T.R = dls_q_matrix(dls_q_load(q + 3));
    T.p = dls_v3_load(q);
  }
  T.p = dls_v3_sub(T.p, dls_m3_apply(&T.R, dls_v3_load(w->bodies[body].com)));
  return T;
}

/* Angular velocity, and velocity of the mass centre, of a body with the velocities u. */
static inline dls_spatial dls_twist_of(const dls_world *w, const double *u) {
  if (w->dim == 2) return (dls_spatial){{0, 0, u[2]}, {u[0], u[1], 0}};
  return (dls_spatial){dls_v3_load(u + 3), dls_v3_load(u)};
}

/* p times the numbers j (v, w) of a row on one body, as a wrench (moment, force) about its mass
** centre. */
static inline void dls_wrench_add(int dim, double *wrench, double p, const double *j) {
  if (dim == 2) {
    wrench[2] += p * j[2];
    wrench[3] += p * j[0];
    wrench[4] += p * j[1];
    return;
  }
  for (int i = 0; i < 3; i++) {
    wrench[i] += p * j[3 + i];
    wrench[3 + i] += p * j[i];
  }
}

/* The mass centre of a body with the coordinates q. */
static inline dls_vec3 dls_centre_of(const dls_world *w, const double *q) {
  return dls_v3(q[0], q[1], w->dim == 3 ? q[2] : 0);
}

#endif
