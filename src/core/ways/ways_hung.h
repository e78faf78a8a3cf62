/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WAYS_WAYS_HUNG_H
#define DLS_WAYS_WAYS_HUNG_H

#include "core/ways/ways.h"

/* Ways along joints. Every body that a joint leads to hangs on another one, its carrier, and turns
** beside that by a constant rotation vector about the joint's place, which goes straight in the
** carrier's axes (dls_hung, first_touch.h): along arcs, where bodies' own ways go along tangents.
** From one pose of all joints to another such a way begins and ends at both, whatever the joints
** are; loops are open a little between. */

/* joint: n_bodies: by which each hangs on its carrier, -1: it has none. Those that do not move
** freely have none. known: n_bodies: 1, they do not, or joints lead to them. */
void dls_ways_find_carriers(const dls_ways *ways, int *joint, unsigned char *known);

/* From the pose q to the pose q_n of all bodies in the time t (s); u and u_n: about how fast they
** go at these, which tells whole turns. */
void dls_ways_hang_between(const dls_ways *ways, const int *joint, const double *q, const double *u,
                           const double *q_n, const double *u_n, double t, dls_hung *hung);

/* On from q by the velocities u, to which `more` is added, if there is any, for the time t. */
void dls_ways_hang_along(const dls_ways *ways, const int *joint, const double *q, const double *u,
                         const double *more, double t, dls_hung *hung);

/* No point of body i goes farther, m; beyond: how far those of it that matter are from its mass
** centre, where it has no bounds. */
double dls_ways_hung_fastest(const dls_ways *ways, const dls_hung *hung, int i, double beyond);

/* Nor has any a greater acceleration, m (the whole way as the unit of time): beside its carrier by
** c + 2 w v + w^2 r, where the joint turns by w (rad), c and v bound its acceleration and velocity
** before and r how far it is from the joint's place. Of bodies that have bounds. */
double dls_ways_hung_curve(const dls_ways *ways, const dls_hung *hung, int i);

/* Where joints hold a body that turns far in the step its free way, and that of what it carries, is
** along them: arcs and hung of ways, from the arena. DLS_FULL: dls_ways_want. */
dls_status dls_ways_find_arcs(dls_ways *ways);

/* Leg k of body i is along its joints, if it goes so. */
void dls_ways_bend_leg(const dls_ways *ways, int i, int k, dls_leg *leg);

/* How much of a turn about the vector w body i's own points feel: none of a ball's, of what is
** round what is across its axis. */
double dls_ways_felt(const dls_ways *ways, int i, const double *q, dls_vec3 w);

/* Of body i: its turning at velocities u, rad/s, and its mass centre's velocity; where that is at
** q. */
static inline dls_vec3 dls_ways_spin(const dls_ways *ways, const double *u, int i) {
  const double *v = u + (size_t)i * DLS_NU((size_t)ways->w->dim);
  return ways->w->dim == 2 ? dls_v3(0, 0, v[2]) : dls_v3_load(v + 3);
}

static inline dls_vec3 dls_ways_centre_speed(const dls_ways *ways, const double *u, int i) {
  const double *v = u + (size_t)i * DLS_NU((size_t)ways->w->dim);
  return dls_v3(v[0], v[1], ways->w->dim == 2 ? 0 : v[2]);
}

static inline dls_vec3 dls_ways_centre(const dls_ways *ways, const double *q, int i) {
  const double *x = q + (size_t)i * DLS_NQ((size_t)ways->w->dim);
  return dls_v3(x[0], x[1], ways->w->dim == 2 ? 0 : x[2]);
}

#endif
