/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_CONSTRAIN_H
#define DLS_ACCELERATIONS_CONSTRAIN_H

#include "core/joints/trees.h"

/* Joints that are no part of the trees, and limits, on a world's forest: with the rows'
** accelerations J udot + bias = a,
**
**     M udot = f + J' lambda,   a = 0 (rigid joints),  0 <= lambda _|_ a >= 0 (limits that are reached),
**     a = 0 but for lambda at its bound (motors that hold a speed, dry friction at rest).
**
** Rows may depend on each other: with bilateral rows alone lambda is the least one. The forest is
** gathered, placed and moving, and the bodies' arrays agree with it. DLS_SINGULAR: the body in
** w->trees->fault; DLS_STATE: fault.value (dls_acc_found, laws.h) tells whether no lambda obeys all
** laws, several do that differ in accelerations, or none was found. Where one was found and not all
** were sought, trees->one_of_more. Memory is got where it is too little. */

/* Whether some joint is rigid. */
bool dls_world_is_constrained(const dls_world *w);

/* After an acceleration without rows (state->udot, w), with the contacts of shapes where asked:
** their forces join state->wrench, and world->joint_own knows them. The caller accelerates
** again. */
dls_status dls_constrain_accelerations(dls_world *w, bool contacts);

/* Motors and friction that give all they have: into state->wrench, before the accelerations. */
dls_status dls_constrain_saturated(dls_world *w);

/* The nearest coordinates and velocities, in the metric of M, that rigid joints admit at the time
** t: state->q and u, and the bodies' arrays follow. DLS_STOPPED by a drive. */
dls_status dls_constrain_state(dls_world *w, double t);
/* The same where the world stands, if it is off beyond round-off; bits stay where it is not. */
dls_status dls_constrain_start(dls_world *w, double time);

/* Degrees of freedom of the forest, and rows of rigid joints: how many there are and how many are
** independent. */
dls_status dls_constrain_count(dls_world *w, int *rows, int *rank);

#endif
