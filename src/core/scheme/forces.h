/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_FORCES_H
#define DLS_SCHEME_FORCES_H

#include "core/step/poses.h"

/* Forces on bodies, and the free velocities u_f = u + h M^-1 f. */

/* The forces and torques of hooks.field, added to push. */
dls_status dls_push_fields(dls_step *S);

/* Masses for the rows and free velocities (rows.u_free) of all bodies, whose poses are those at
** q_c. */
void dls_release(dls_step *S);

/* The free velocity of body i, whose mass is known to the rows. */
void dls_release_body(dls_step *S, int i);

/* Force and torque of joints and fields on body i, nu numbers. */
const double *dls_push_on(const dls_step *S, int i);

/* Space: -omega x J omega of body i as a torque, N m: only where the scheme does not carry the
** angular momentum. */
dls_vec3 dls_gyroscopic(const dls_step *S, int i);

#endif
