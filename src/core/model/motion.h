/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_MOTION_H
#define DLS_MODEL_MOTION_H

#include "core/base/dim.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"
#include "core/model/world.h"

/* Free motion of single bodies: poses, inertias, the exponential map. Names in _2 are of the plane,
** in _3 of space; those without take the dimension. */

static inline bool dls_moves_freely(const dls_body *body) {
  return body->alive && body->type == DLS_DYNAMIC;
}

/* The same of body i in a step: in the plane from columns, since a body is three lines of the
** cache. */
static inline bool dls_is_free(const dls_world *w, int i) {
  return w->dim == 2 ? !w->columns.idle[i] : dls_moves_freely(&w->bodies[i]);
}

/* --- coordinates ------------------------------------------------------------------------- */

/* q <- q (+) s u. */
static inline void dls_drift_2(double *q, double s, const double *u) {
  for (int i = 0; i < 3; i++) q[i] += s * u[i];
}
void dls_drift_3(double *q, double s, const double *u);

static inline void dls_drift(int dim, double *q, double s, const double *u) {
  if (dim == 2) dls_drift_2(q, s, u);
  else dls_drift_3(q, s, u);
}

/* The same as EQUATIONS B.1 has it: q' = unit(q + s/2 (0, w) q). */
void dls_drift_linear(int dim, double *q, double s, const double *u);

/* The pose of the body frame, whose origin is the mass centre less R com. */
dls_pose2 dls_pose_2(const dls_body *body, const double *q);
dls_pose3 dls_pose_3(const dls_body *body, const double *q);

/* A vector of the body in world axes. */
static inline dls_vec3 dls_turned_2(const dls_pose2 *T, const double *r_b) {
  const dls_vec2 r = dls_pose2_turn(T, dls_v2(r_b[0], r_b[1]));
  return dls_v3(r.x, r.y, 0);
}
static inline dls_vec3 dls_turned_3(const dls_pose3 *T, const double *r_b) {
  return dls_m3_apply(&T->R, dls_v3_load(r_b));
}

/* The mass centre, or its velocity, of coordinates or velocities; the angular velocity. */
static inline dls_vec3 dls_point_of(int dim, const double *q) {
  return dls_v3(q[0], q[1], dim == 3 ? q[2] : 0);
}
static inline dls_vec3 dls_turn_of(int dim, const double *u) {
  return dim == 2 ? dls_v3(0, 0, u[2]) : dls_v3_load(u + 3);
}

/* The velocity of a point r from the mass centre of a body with the velocities u, m/s. */
static inline dls_vec3 dls_velocity_at(int dim, const double *u, dls_vec3 r) {
  if (dim == 2) return dls_v3(u[0] - u[2] * r.y, u[1] + u[2] * r.x, 0);
  return dls_v3_add(dls_v3_load(u), dls_v3_cross(dls_v3_load(u + 3), r));
}

/* A vector fixed in the body, world axes. */
static inline dls_vec3 dls_turned(int dim, const dls_body *body, const double *q,
                                  const double *r_b) {
  if (dim == 2) {
    const dls_pose2 T = dls_pose_2(body, q);
    return dls_turned_2(&T, r_b);
  }
  const dls_pose3 T = dls_pose_3(body, q);
  return dls_turned_3(&T, r_b);
}

/* aim (-) q of one body: (translation, rotation vector), world axes. */
void dls_way_to(int dim, const double *aim, const double *q, double *x);

/* --- inertia ------------------------------------------------------------------------------- */

/* Inverse mass and inertia of body i for rows; space: R is the rotation of its frame; plane: R is
** not read. */
void dls_body_weigh(const dls_world *w, dls_rows *rows, int i, const dls_mat3 *R);

/* j M^-1 j' of a row j of body i (world axes) as if no joint held it; 0: it does not move, or has
** no mass. Space: R is the rotation of its frame; plane: R is not read. */
double dls_body_answers_alone(const dls_world *w, int i, const dls_mat3 *R, const double *j);

/* M u of one body with the coordinates q. */
void dls_momentum(int dim, const dls_body *body, const double *q, const double *u, double *out);

/* --- rotation in space ------------------------------------------------------------------- */

/* Whether the inertia is the same about all axes. */
static inline bool dls_is_isotropic(const dls_body *body) {
  const double *J = body->inertia;
  return J[0] == J[4] && J[4] == J[8] && J[1] == 0 && J[2] == 0 && J[5] == 0;
}

/* Space: whether body i, when it moves freely, turns with its angular momentum. */
static inline bool dls_may_tumble(const dls_world *w, int i) {
  const dls_body *body = &w->bodies[i];
  return body->type == DLS_DYNAMIC && body->mass > 0 && !dls_is_isotropic(body) &&
         !w->semi_implicit;
}

/* R J R' omega at q, and the angular velocity that has the angular momentum L there; world axes. */
dls_vec3 dls_angular_momentum(const dls_body *body, const double *q, const double *u);
dls_vec3 dls_angular_rate(const dls_body *body, const double *q, dls_vec3 L);

/* A projection has turned a body from its pose `from` to q, by dR: what its omega in u is there,
** by how much its angular momentum L changes, world axes, and its energy (the answer). With J_m the
** largest principal moment
**
**     L' = (J/J_m) L + (1 - J/J_m) dR L,    J at q,
**
** least of |L' - L|^2/J_m + (L' - dR L) . (1/J - 1/J_m) (L' - dR L): what is round keeps L, a rod
** that is turned by forces on its axis its spin, of which these have no moment. (To keep L changes
** the spin by J_m/J times the turn, without bound as the rod gets thin.) */
double dls_spin_on(const dls_body *body, const double *from, const double *q, double *u,
                   dls_vec3 *change);

/* q' = exp(s omega') q_c with J(q') omega' = L; u holds omega at q_c on entry, omega' after. */
void dls_drift_with_momentum(const dls_body *body, double *q, double s, double *u, dls_vec3 L);

/* Whether a free turn is so large that it is made by dls_tumble_on (math/tumble.h), which keeps the
** energy beside the angular momentum: with `before` for the time early, or then with u for the time
** late. (The step above may end with any energy that goes with the angular momentum. The errors of
** its two halves cancel each other, so that what goes far in the first does so in the second.) */
bool dls_turns_far(const dls_body *body, const double *before, double early, const double *u,
                   double late);

/* q and the angular part of u go on by the time s so; the mass centre goes straight. */
void dls_turn_far(const dls_body *body, double *q, double s, double *u);

/* --- energy, J --------------------------------------------------------------------------- */

static inline double dls_kinetic_of_2(double mass, double inertia, const double *u) {
  return 0.5 * mass * (u[0] * u[0] + u[1] * u[1]) + 0.5 * inertia * u[2] * u[2];
}
double dls_kinetic_3(const dls_body *body, const double *q, const double *u);
/* The same where L, its angular momentum, is known. */
double dls_kinetic_with(const dls_body *body, const double *u, dls_vec3 L);

static inline double dls_kinetic(int dim, const dls_body *body, const double *q, const double *u) {
  return dim == 2 ? dls_kinetic_of_2(body->mass, body->inertia[0], u) : dls_kinetic_3(body, q, u);
}

/* Of a body that moves freely, in a step. */
static inline double dls_mass_at(const dls_world *w, int i) {
  return w->dim == 2 ? w->columns.mass[i] : w->bodies[i].mass;
}

static inline double dls_kinetic_at(const dls_world *w, int i, const double *q, const double *u) {
  return w->dim == 2 ? dls_kinetic_of_2(w->columns.mass[i], w->columns.inertia[i], u)
                     : dls_kinetic_3(&w->bodies[i], q, u);
}

/* -m g . x */
static inline double dls_potential_at(const dls_world *w, int i, const double *q) {
  double sum = w->gravity[0] * q[0];
  for (int k = 1; k < w->dim; k++) sum += w->gravity[k] * q[k];
  return -dls_mass_at(w, i) * sum;
}

#endif
