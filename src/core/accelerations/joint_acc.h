/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_JOINT_ACC_H
#define DLS_ACCELERATIONS_JOINT_ACC_H

#include "core/joints/acc_row.h"
#include "core/joints/joint_rates.h"

/* Rows on accelerations at the world's coordinates and velocities: those of joints and gears; their
** smooth forces. */

/* The most of one joint: limits, held directions, what holds velocities. */
enum { DLS_JOINT_ACC_ROWS = 18 };

/* Limits that are reached, directions that a rigid joint holds, then what holds a velocity: a speed
** motor, dry friction at rest. Answers how many. The drives are those of dls_joints_drive. */
int dls_joint_acc_rows(const dls_world *world, int index, dls_acc_row *rows);

/* One of them, of the frame and bias that dls_joint_frame_moving gives: limit number k, false where
** there is none; velocity k, where the frame is regular, less a motor's speed where it `drives`. */
bool dls_joint_acc_limit(const dls_world *world, const dls_joint_frame *f, const double *bias,
                         int k, dls_acc_row *row);
void dls_joint_acc_velocity(const dls_world *world, const dls_joint_frame *f, const double *bias,
                            int k, bool drives, dls_acc_row *row);

/* The speed motor of a penalty joint and its dry friction at rest; else it is all forces. Answers
** how many. */
int dls_penalty_acc_drives(const dls_world *world, int index, dls_acc_row *rows);

/* The row of a gear; false where a joint's coordinate is not known. */
bool dls_gear_acc_row(const dls_world *world, int index, dls_acc_row *row);

/* Torques, springs and dampers of joints that are not in the tree: added to push (NU a body);
** clears world->joint_own and notes them there. */
void dls_joints_push(dls_world *world, double *push);

#endif
