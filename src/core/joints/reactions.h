/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_REACTIONS_H
#define DLS_JOINTS_REACTIONS_H

#include "core/joints/trees.h"

/* What is known of joints: coordinates, reactions, how far they are apart. */

/* q and u of a joint, in the order of its state; of the bodies where it is no reduced joint. */
void dls_joint_now(const dls_world *w, int index, double *q, double *u);

/* Whether the child stands and moves where the joint's state says. */
bool dls_joint_is_settled(const dls_world *w, int index);

/* Accelerations of the joint's coordinates in the last evaluation or step; false: not known. */
bool dls_joint_rates(dls_world *w, int index, double *udot);

/* Force, and moment about the anchor fixed in b, that the joint exerts on b, world axes: of the
** last evaluation, or the mean over the last step at q_c. */
bool dls_joint_reaction(dls_world *w, int index, double force[3], double moment[3]);

/* What the one prescribed motion of a joint needs: the reaction along it, N m or N. */
bool dls_joint_drive_force(dls_world *w, int index, double *force);

/* How far the joint has come apart from the nearest pose that it admits, whatever its formulation:
** distance between its anchors along what it holds, m; angle of the rotation between its frames in
** what it holds, rad. */
void dls_joint_violation(const dls_world *w, int index, double apart[2]);

/* The forest as it was when the reactions were: after it the nodes' R and poses are those. */
bool dls_trees_recall(dls_world *w);

#endif
