/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_POSITION_JOINED_H
#define DLS_SCHEME_POSITION_JOINED_H

#include "core/scheme/position.h"

/* Projections of worlds with joints: position_closed.c shuts contacts that held across a gap, then
** position_joined.c opens what overlaps, by turns of Newton's method with all rows of joints.
** Statuses: DLS_SINGULAR, a link without inertia where its joint moves. */

/* Poses of all bodies, those of trees too, at q'. */
void dls_place_joined(dls_step *S, const dls_joint_stage *joints, dls_position_stage *P);

/* Whether another turn of n rows is within the step's work. */
bool dls_may_turn_again(dls_step *S, const dls_position_stage *P, int n);

/* What joints lack at q' behind the *n rows that are there, and what springs that the step does not
** resolve are to keep. */
void dls_find_what_holds(const dls_step *S, dls_joint_stage *joints, dls_overlap *o, int *n);

/* Contacts that held across a gap are closed (see close_gaps), to what counts as closed: what
** overlaps then is opened behind. The last look is at q'. *moved: it is no more. */
dls_status dls_close_joined(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                            dls_position_stage *P, dls_overlap *o, bool *moved);

#endif
