/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_JOINT_FORCES_H
#define DLS_JOINTS_JOINT_FORCES_H

#include "core/joints/joint_frame.h"

/* Forces along the coordinates of joints that are not in a tree, and the wrench of a joint's own
** rows on b. */

/* Springs and dampers that steps have as rows. */
bool dls_joint_is_sprung(const dls_world *w, const dls_joint *joint);
/* Limits that are rows: those of penalty joints are penalties too. */
bool dls_joint_has_limits(const dls_joint *joint);
/* Limits, dry friction, a motor: rows on its own velocities. */
bool dls_joint_has_laws(const dls_joint *joint);
/* Whether a step has rows of it beside springs. */
bool dls_joint_has_rows(const dls_joint *joint);

/* Whether they are all zero. */
bool dls_joint_is_idle(const dls_world *w, int index);
/* The user's torques along its velocities (6 numbers). */
void dls_joint_torque(const dls_world *w, int index, double *out);
/* All smooth forces along them: torque, damper, spring; rate: of each velocity. */
void dls_joint_force(const dls_world *w, int index, const dls_joint_frame *f, const double *rate,
                     double *out);

/* world->joint_own gets the force of a row J, bodies at q: on b, about the anchor fixed in b:
** moment, force. */
void dls_joint_own_add(dls_world *w, const double *q, int index, const double *J, double force);

#endif
