/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_HINGED_H
#define DLS_JOINTS_HINGED_H

#include "core/joints/stage.h"

/* Projections (fit.h, held.h) of trees of hinges in the plane, in the axes of the world
** (forest/pivots.h): while S->hinged, trees stand, are factored and answer there, and what the
** nodes of the forest have is of before.
** Statuses: DLS_SINGULAR, a link without inertia where its joint moves. */

/* Whether this world's trees are such; coordinates are those of the forest. */
void dls_hinged_open(dls_joint_stage *S);
/* Nodes of the forest, and its factor, as well. */
dls_status dls_hinged_settle(dls_joint_stage *S);
/* And the end of it: nodes of the forest stand where its coordinates say, without a factor. */
void dls_hinged_close(dls_joint_stage *S);

/* Bodies in trees stand where the forest's coordinates say. */
void dls_hinged_stand(dls_joint_stage *S, double *q);

/* Poses of their frames there, by body. */
void dls_hinged_poses(const dls_joint_stage *S, dls_pose2 *T);

/* S->bend as dls_joints_find_curvature has it. */
void dls_hinged_bend(dls_joint_stage *S, const dls_overlap *o, int n);

/* dls_trees_answer_up, and the same of wrenches on links (dls_forest_respond_up);
** dls_trees_answer_down (u: NULL, not asked for); dls_trees_spread. */
void dls_hinged_up(const dls_joint_stage *S, const double *x, const double *f);
void dls_hinged_push_up(const dls_joint_stage *S, const double *wrench, const double *f);
void dls_hinged_down(const dls_joint_stage *S, double *du, double *u);
void dls_hinged_spread(const dls_joint_stage *S, const double *g, bool moving, double *u);

/* dls_joints_answer of rows that are solved all at once. */
dls_status dls_hinged_answer(dls_joint_stage *S, dls_overlap *o, int n, const double *x,
                             const double *f);

#endif
