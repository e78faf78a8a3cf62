/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_KINEMATICS_H
#define DLS_FOREST_KINEMATICS_H

#include "core/forest/state.h"

/* Poses from q, drives and given links. Quaternions are taken as unit. */
void dls_forest_place(const dls_forest *forest, dls_forest_state *state);

/* Velocities and w* from u; after dls_forest_place. */
void dls_forest_move(const dls_forest *forest, dls_forest_state *state);

/* A link's frame in the inertial frame; its centre of mass; after dls_forest_place. */
dls_place dls_forest_link_place(const dls_forest *forest, const dls_forest_state *state, int link);
dls_vec3 dls_forest_link_centre(const dls_forest *forest, const dls_forest_state *state, int link);

/* Angular velocity and velocity of the centre of mass, inertial axes; after dls_forest_move. */
dls_spatial dls_forest_link_velocity(const dls_forest *forest, const dls_forest_state *state,
                                     int link);
/* The same for any generalized velocity: V[6 link ..] = J_link u (GIVEN, drives: at rest where
** `moving` is false). V holds 6 n_links numbers. Needs 6 scratch numbers per node. */
void dls_forest_velocities(const dls_forest *forest, dls_forest_state *state, const double *u,
                           bool moving, double *V);
/* Angular acceleration and acceleration of the centre, inertial axes, gravity included;
** after an acceleration. */
dls_spatial dls_forest_link_acceleration(const dls_forest *forest, const dls_forest_state *state,
                                         int link);

/* J (6 x nu, row-major, angular rows first): velocity of the point fixed in the link that is now
** at `point` (inertial frame); after dls_forest_place. */
void dls_forest_jacobian(const dls_forest *forest, const dls_forest_state *state, int link,
                         dls_vec3 point, double *J);

/* Generalized force of wrenches on all links (6 per link: moment about the centre of mass, force,
** inertial axes): f = sum J' wrench (nu). Needs 6 scratch numbers per node. */
void dls_forest_generalized(const dls_forest *forest, dls_forest_state *state,
                            const double *wrench, double *f);

/* q (+) h u, in place: quaternions by the exponential map, then made unit. */
void dls_forest_advance(const dls_forest *forest, double *q, double h, const double *u);
/* The same of n states side by side: number i of state k is at [i n + k]. */
void dls_forest_advance_lanes(const dls_forest *forest, double *q, double h, const double *u,
                              int n);

/* Makes all quaternions of q unit; how far the worst was from it. */
double dls_forest_normalise(const dls_forest *forest, double *q);

/* Rates of the coordinates (nq each): qdot of u, and qddot of u and udot where qddot is not NULL.
** Quaternions: y' = 1/2 y o (0, w), y'' = 1/2 (y' o (0, w) + y o (0, w')), w in child axes. */
void dls_forest_rates(const dls_forest *forest, const double *q, const double *u,
                      const double *udot, double *qdot, double *qddot);
/* The u (nu) whose rates are qdot; what qdot has along a quaternion is dropped. */
void dls_forest_velocities_of(const dls_forest *forest, const double *q, const double *qdot,
                              double *u);
/* The rate of d where q = q0 (+) d moves with u: d' = u but for rotations, where
** d' = w + 1/2 d x w + (1 - a cot a)/|d|^2 d x (d x w), a = |d|/2. */
void dls_forest_chart_rate(const dls_forest *forest, const double *d, const double *u, double *out);

#endif
