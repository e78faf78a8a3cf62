/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_MOMENT_H
#define DLS_JOINTS_MOMENT_H

#include "core/joints/stage.h"

/* Angular momentum of what joints hold together and nothing else holds in its place. Impulses at
** q_c keep it; projections of positions move masses m by dx beside their velocities v, which
** changes it by dx x m v, of third order in the step, and turn bodies, with which a part of their
** own angular momenta goes (dls_spin_on). A turn of the whole about its centre at the
** end of the step gives it back: joints admit that, and of all changes of velocity with this moment
** it is the least in the metric of M. */

/* Projections have changed the angular momentum of body i by `more`. */
void dls_joints_add_moment(dls_joint_stage *S, int i, dls_vec3 more);

/* A projection has moved bodies from S->aim to q, with velocities u. */
void dls_joints_note_moment(dls_joint_stage *S, const double *q, const double *u);

/* Rows of a projection have their multipliers: what they pushed out of what does not move freely
** does not keep its moment. */
void dls_joints_note_pushed(dls_joint_stage *S, const dls_overlap *o, int n);

/* S->u_n at q_n turns it back; the energy of that is in the correction. What whirls gets no energy
** by it: S->moment_lost tells. */
void dls_joints_keep_moment(dls_joint_stage *S);
/* Where u_n goes by the way that bodies went, nothing turns it back: S->moment_lost tells. */
void dls_joints_lose_moment(dls_joint_stage *S);

#endif
