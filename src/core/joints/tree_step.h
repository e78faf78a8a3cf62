/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_TREE_STEP_H
#define DLS_JOINTS_TREE_STEP_H

#include "core/joints/stage.h"

/* Reduced joints in a step. A tree's step is the exact elimination of the step its bodies would
** make with rigid joints: each body drifts and turns by itself (model/motion.h), and the tree is
** the subspace on which the answer is sought that is nearest in the metric of M,
**
**     du = argmin | S du - x |_M = (S' M S)^-1 S' M x       (Gauss),
**
** S du the bodies' velocities. No velocity terms are needed: they are what this leaves of the
** bodies' momenta. admit.h does the same with multipliers where joints are rigid. Statuses:
** DLS_SINGULAR, a link without inertia where its joint moves. */

/* Velocities u of bodies in trees from generalized ones g; moving: with those of drives and
** carriers. */
void dls_trees_spread(const dls_joint_stage *S, const double *g, bool moving, double *u);

/* du = (S' M S)^-1 (S' M x + f) by the factor at hand; x: velocities of the bodies in trees, at q;
** f: generalized impulses, or NULL. */
void dls_trees_answer(const dls_joint_stage *S, const double *q, const double *x, const double *f,
                      double *du);

/* The same in two halves (dls_forest_respond_up and _down), between which rows may act; u takes
** the bodies' velocities. */
void dls_trees_answer_up(const dls_joint_stage *S, const double *q, const double *x,
                         const double *f);
void dls_trees_answer_down(const dls_joint_stage *S, double *du, double *u);

/* The forest's factor; more: inertia on single velocities beside M; NULL: none. DLS_SINGULAR:
** trees->fault. */
dls_status dls_trees_factor_with(dls_joint_stage *S, const double *more);

/* Bodies in trees have no mass of their own in rows: the forest answers for them. */
void dls_trees_unweigh(const dls_world *w, dls_rows *rows);

/* The trees at rest, for rows on them. */
dls_status dls_trees_lend(const dls_joint_stage *S, dls_rows *rows);

/* --- stages -------------------------------------------------------------------------------- */

/* Joints drift to the middle of the step: a start for the search for q_c. DLS_STOPPED by a hook. */
dls_status dls_trees_begin_step(dls_joint_stage *S);
/* Free velocities of bodies in trees, the forest's factor; rows get what they need of trees. */
dls_status dls_trees_release(dls_joint_stage *S);
/* Joints advance to the end of the step: a start for the search for q'. */
dls_status dls_trees_advance(dls_joint_stage *S);

#endif
