/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_MOTION_H
#define DLS_BIND_MOTION_H

#include "bind/world.h"

/* What a kinematic body's `motion` says of a time:
**
**     motion(t) -> position, rotation, velocity, angular_velocity, acceleration, angular_acceleration
**
** as the properties of these names: the position is that of the body frame's origin, velocity and
** acceleration are those of the mass centre. A nil place stays what it is; rates that are not told
** are central differences, a hundredth of a step wide (a tenth for second ones). */
typedef struct dls_motion_told {
  double position[3]; /* in: where the body is; out: the origin's place, m        */
  double rotation[4]; /* in and out: quaternion, or the angle in [0]              */
  double velocity[3]; /* m/s                                                      */
  double angular[3];  /* rad/s, world axes; [0] in the plane                      */
  double acceleration[6]; /* m/s^2, and rad/s^2 from [3] on                       */
  bool velocity_of_origin, acceleration_of_origin; /* differences of positions    */
} dls_motion_told;

/* Calls the function at idx for time t; raises what it raises, and where its answer is none.
** second: accelerations are wanted. */
void dls_motion_ask(lua_State *L, int idx, const dls_world *w, double t, bool second,
                    dls_motion_told *told);

/* The same for now, between steps: false where the function fails, which the next step will tell.
** It may no more step or change the world than in a step. */
bool dls_motion_try(lua_State *L, int idx, dls_world *w, dls_motion_told *told);

/* Velocity and acceleration of the mass centre, which is com (body frame) from the origin; the
** position becomes that of the mass centre too. */
void dls_motion_to_centre(int dim, const double com[3], dls_motion_told *told);

/* Puts a body where its function has told it to be, and gives it that velocity. */
void dls_motion_begin(dls_world *w, int body, dls_motion_told *told);

#endif
