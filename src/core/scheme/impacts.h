/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACTS_H
#define DLS_SCHEME_IMPACTS_H

#include "core/step/step.h"

/* Impact laws that resolve the impacts of a step on the velocities before it, at q_c; the forces
** come after, with e = 0. Newton's law needs none of this: it is a shift of the rows
** (contact_row.c).
**
** Rigid contacts strike; what acts by forces (compliant contacts, motors, friction in joints)
** waits. A contact that was struck keeps the velocity at which it was thrown back through the step,
** as with Newton's law, so that for one contact without friction all laws are the same. Statuses:
** DLS_SINGULAR, a link without inertia where its joint moves. */

static inline bool dls_is_contact(const dls_block *block) { return block->source >= 0; }

/* Whether the contact of a block takes part in impacts. */
static inline bool dls_strikes(const dls_step *S, const dls_block *block) {
  return dls_is_contact(block) && !block->speculative && !(S->rows.gamma[block->row] > 0);
}

/* The normal velocity of a block at the velocities u, m/s. */
double dls_approach_of(const dls_step *S, const dls_contact_stage *C, const dls_block *block,
                       const double *u);

/* Impulses p on the bodies of a block: the velocities u follow, those of trees by their factor. */
void dls_strike(dls_step *S, const dls_joint_stage *joints, const dls_block *block, const double *p,
                double *u);

/* Before the first impact: u = the velocities before the step, no impulses. */
void dls_begin_impacts(dls_step *S, dls_contact_stage *C, const dls_joint_stage *joints, double *u);

/* After the last one: the free velocities take over what the impacts changed (u less that before);
** the rows of contacts keep of restitution only what holds the struck ones at their rebound. */
void dls_end_impacts(dls_step *S, const dls_contact_stage *C, const double *u);

/* After the solve: the impulses of rows with those of the impacts, also as trees feel them. */
void dls_add_impacts(dls_step *S, const dls_contact_stage *C);

/* --- the laws ---------------------------------------------------------------------------- */

/* The sequential law (impact_sequential.c): pairs collide one after another, each by Newton's and
** Coulomb's laws on the velocities it meets, the fastest approach of an island first, ties by
** number, until nobody approaches. With e = 1 that is Newton's cradle. With e < 1 the impacts can
** go on for ever: after 64 a body, or where the fastest approach is below a share of 1e-9 of the
** first, the rest of the island is resolved at once by the rows, with e = 0, and its contact is
** marked as collapsed. All impacts of the step; u_free takes them over. What trees and rigid joints
** hold is struck as a whole (impact_held.h). */
dls_status dls_collide_in_turn(dls_step *S, dls_contact_stage *C, dls_joint_stage *joints);

/* Poisson's law (impact_poisson.c), EQUATIONS E.3, for all rigid contacts of a step at once. u_free
** takes the impacts over; what the rows start from, and what was set aside, is as before. */
dls_status dls_collide_by_poisson(dls_step *S, dls_contact_stage *C, const dls_joint_stage *joints,
                                  const dls_solve_opts *opts, dls_solve_report *report);

#endif
