/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_BODY_H
#define DLS_MODEL_BODY_H

#include "core/model/world.h"

/* One body of a world: where it is, how it moves, an impulse on it. World axes. */

/* Whether two bodies may touch by their groups and by the maker's filter. */
static inline bool dls_bodies_meet(const dls_world *world, int a, int b) {
  const dls_body *x = &world->bodies[a], *y = &world->bodies[b];
  if (!(x->collides & y->group) || !(y->collides & x->group)) return false;
  return !world->hooks.filter || world->hooks.filter(world->hooks.ud, a < b ? a : b, a < b ? b : a);
}

/* How far a point of a body with a shape may be from its mass centre, m. */
static inline double dls_longest_of(const dls_body *body) {
  return body->shape->reach + dls_v3_norm(dls_v3_load(body->com));
}

/* Pose of the body frame: origin (3) and rotation (quaternion, or angle first). */
void dls_body_pose(const dls_world *world, int index, double position[3], double rotation[4]);
void dls_body_place(dls_world *world, int index, const double position[3],
                    const double rotation[4]);
/* The pose between the last step's (alpha = 0) and now (1). */
void dls_body_between(const dls_world *world, int index, double alpha, double position[3],
                      double rotation[4]);
/* The mass centre; the rotation, body to world. */
dls_vec3 dls_body_centre(const dls_world *world, int index);
dls_mat3 dls_body_rotation(const dls_world *world, int index);
/* A point of the body in the world; a vector from body to world axes, and back. */
dls_vec3 dls_body_point(const dls_world *world, int index, dls_vec3 in_body);
dls_vec3 dls_body_turn(const dls_world *world, int index, dls_vec3 in_body);
dls_vec3 dls_body_turn_back(const dls_world *world, int index, dls_vec3 in_world);
/* Velocity of the body's point that is at `point`, m/s. */
dls_vec3 dls_body_velocity_at(const dls_world *world, int index, dls_vec3 point);
/* Angular momentum about its mass centre, kg m^2/s. */
dls_vec3 dls_body_spin(const dls_world *world, int index);

/* An impulse (N s) at a point and an angular one, at once. */
void dls_body_impulse(dls_world *world, int index, dls_vec3 impulse, dls_vec3 angular,
                      const dls_vec3 *at);

#endif
