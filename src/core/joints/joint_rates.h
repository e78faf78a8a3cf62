/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_JOINT_RATES_H
#define DLS_JOINTS_JOINT_RATES_H

#include "core/joints/joint_frame.h"

/* The frame of a joint at the world's coordinates, the velocities u of its coordinates (6), and
** what a row's true accelerations J (accelerations of the bodies) are where its own coordinates do
** not accelerate: bias (6), as a twist that functionals are applied to. */
dls_joint_frame dls_joint_frame_moving(const dls_world *w, int index, double *u, double *bias);

/* udot of a rigid joint's coordinates from the accelerations of its bodies a and b (angular; of the
** mass centre), world axes; a ball's is that of its angular velocity in the child's axes. */
void dls_rigid_joint_rates(const dls_world *w, int index, const dls_spatial a[2], double *udot);

#endif
