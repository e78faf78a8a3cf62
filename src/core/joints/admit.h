/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_ADMIT_H
#define DLS_JOINTS_ADMIT_H

#include "core/joints/stage.h"

/* Velocities as joints admit them, reduced and rigid alike, in one turn: at the start of a step,
** before anything touches, and at its end. Statuses: DLS_SINGULAR, a link without inertia where its
** joint moves. */

/* q_c = q and u_c = u; velocities that rigid joints do not admit (set by hand, or by joints made on
** moving bodies) give way before the step. */
dls_status dls_joints_admit_start(dls_joint_stage *S);

/* q_c goes to the nearest point that joints admit; angular momenta there are those before the fit,
** but for what goes with the bodies (dls_spin_on). */
dls_status dls_joints_fit_middle(dls_joint_stage *S);

/* S->u_ahead: u_f with what rigid joints do about it before anything touches; approaching contacts
** are told by it. S->u_off = u_c - P u_c, P u_c the nearest velocities that joints admit at q_c: by
** trees; */
dls_status dls_joints_look_ahead(dls_joint_stage *S);
/* and by all joints, where contacts are to read it. */
dls_status dls_joints_find_off(dls_joint_stage *S);

/* Where bodies went by themselves, with the angular momenta of the solve at q_c, before anything is
** projected. */
void dls_joints_note_alone(dls_joint_stage *S);
/* Bodies that joints hold stand at q': their angular velocities there, as in the middle. */
void dls_joints_spin_on(dls_joint_stage *S);

/* What projections of positions changed of momenta, back in u_n (moment.h); of loops that could not
** follow, the velocities of their way (gone.h). */
dls_status dls_joints_keep_momenta(dls_joint_stage *S);

/* The velocities u_n at the end as the joints admit them at q', reactions, and what joints lack
** there (world->apart_joint). */
dls_status dls_joints_admit_end(dls_joint_stage *S);

/* Power of prescribed motions inside trees, and of given bodies that carry them, by the reactions
** in node[].R: J where those are impulses. */
double dls_trees_drive_power(const dls_trees *t);

/* Their work in the last step, J, less that of what closed before it (closed_kinematic) and of its
** last projection of velocities, which the correction has. Reactions are recalled (reactions.h):
** impulses of joints work at q_c, where those of rows do. */
double dls_trees_drive_work(dls_trees *t);

#endif
