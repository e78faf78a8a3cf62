/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_PENALTIES_H
#define DLS_JOINTS_PENALTIES_H

#include "core/rows/stability.h"
#include "core/model/world.h"

/* Penalty joints of a world: the rows of each kind, their gains, and what they do to bodies.
**
** Gains (EQUATIONS B.2), m = 1/(1/m_i + 1/m_j):
**   published   alpha = 5000 m, beta = 25 m in metres; 10000 m, 10 m in radians; meant for 3 ms
**   given       the same with the user's numbers
**   sound       alpha = 5000 J, beta = 25 J in radians, 1/J = n.(J_i^-1 + J_j^-1) n about the row's
**               direction n at the zero pose (B.3.9): a body's size does not matter
**   auto        d = dt^2 alpha + 2 dt beta, a quarter of it stiffness, the same for all rows of a joint in
**               metres, for all in radians and for all limits. On one body only the space that such rows
**               span counts, and the body carries that with it, so that the number nu_e of
**               rows/stability.h for the joint's rows on body e alone holds in every pose (plane rows
**               yield to long arms: rows/penalty.h).
**               With n_e penalty joints there, (x_1 + ... + x_n)^2 <= n (x_1^2 + ... + x_n^2) bounds the
**               number of all rows together by the largest n_i nu_i + n_j nu_j of a joint: the d are
**               chosen to make that 2, half of what is stable.
** All are properties of the model and of dt: no state decides them. */

/* Rows of the joint's kind, or of the kind that its chain of motions is; custom ones, driven ones
** and other chains are penalty_general.h's. Its gains are known. False: it has none (free). */
bool dls_penalty_make(const dls_world *w, dls_joint *joint);

/* A joint was added (by = 1) or removed (-1): counts, and the gains are to be found again. */
void dls_penalties_changed(dls_world *w, const dls_joint *joint, int by);

/* Gains of all penalty joints where joints or dt have changed. DLS_NOMEM. */
dls_status dls_penalties_tune(dls_world *w);

/* Whether there are any. */
static inline bool dls_penalties_used(const dls_world *w) { return w->n_penalties > 0; }
static inline bool dls_is_penalty(const dls_joint *joint) {
  return joint->alive && joint->formulation == DLS_PENALTY;
}

/* A body as rows see it, from the world's arrays of coordinates and velocities (u may be NULL). */
dls_penalty_body dls_penalty_body_of(const dls_world *w, int body, const double *q,
                                     const double *u);

/* The rows of a penalty joint where its bodies are. */
void dls_penalty_rows_of(const dls_world *w, int index, const dls_penalty_body body[2],
                         dls_penalty_now out[DLS_PENALTY_ROWS]);

/* The rows of a penalty joint at coordinates q and velocities u of all bodies. */
void dls_penalty_rows_at(const dls_world *w, int index, const double *q, const double *u,
                         dls_penalty_now out[DLS_PENALTY_ROWS]);

/* (dt^2 alpha + 2 dt beta) J M^-1 J' of one row by itself, bodies as if free: stable alone below 4
** (B.3.9). */
double dls_penalty_row_number(const dls_world *w, int index, int row, const dls_penalty_now *now);

/* Spring energy of all penalty joints at q, J. */
double dls_penalties_energy(const dls_world *w, const double *q);

/* Coordinates of a penalty joint, turns counted from its state; with u (not NULL) their rates
** too. */
void dls_penalty_measure(const dls_world *w, int index, const double *q, const double *u,
                         double *coordinates, double *rates);

/* Which coordinate number k is: a dls_penalty_type; not of a ball. */
int dls_penalty_coordinate_type(const dls_joint *joint, int k);

/* Second derivatives of the coordinates (a ball: of its angular velocity) from the accelerations of
** bodies a and b (angular; of the mass centre), world axes. */
void dls_penalty_accelerations(const dls_world *w, int index, const dls_spatial acceleration[2],
                               double *out);

/* The states of the joints follow the bodies: turns are counted on. */
void dls_penalties_follow(dls_world *w);

/* Its coordinates at (q, u), and their rates J u - drift; of a ball x is the rotation vector, and x
** and rates count in the child's axes. */
typedef struct dls_along {
  double x[6], rate[6], drift[6]; /* coordinates; rates; drift */
  double J[6][12]; /* of a, then of b: (linear, angular) */
} dls_along;
void dls_penalty_look_along(const dls_world *w, int index, const double *q, const double *u,
                            dls_along *out);

/* What else acts along its coordinates: TORQUE: the user's; SPRINGS: spring and damper; MOTORS:
** those that hold a position; FRICTION; SMOOTH: the last three, which steps have as rows. Forces on
** a and b (12 numbers as a row's J); false: nothing does, out is untouched. */
enum {
  DLS_DRIVE_TORQUE = 1,
  DLS_DRIVE_SPRINGS = 2,
  DLS_DRIVE_MOTORS = 4,
  DLS_DRIVE_FRICTION = 8,
  DLS_DRIVE_SMOOTH = 14
};
bool dls_penalty_drive(const dls_world *w, int index, const double *q, const double *u, int what,
                       double out[12]);

/* W, at the world's coordinates and velocities: *drives += what prescribed motions of penalty
** joints give, *dampers += what the dampers of their rows take. */
void dls_penalties_powers(const dls_world *w, double *drives, double *dampers);

/* Adds s J's wrench on b about the anchor fixed in b: moment, force, world axes. */
void dls_penalty_add_wrench(const dls_penalty *p, const dls_mat3 *R_j, double s, const double J[12],
                            double out[6]);

/* All of it on the bodies, without a step: adds to push (n_bodies x NU), sets the joints' own
** wrenches. torque: the user's too; friction: of the joints. */
void dls_penalties_push(dls_world *w, bool torque, bool friction, double *push);

#endif
