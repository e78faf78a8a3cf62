/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_JOINT_GAPS_H
#define DLS_JOINTS_JOINT_GAPS_H

#include "core/joints/stage.h"

/* What joints, gears and limits lack at a pose, as gaps with their rows. */

/* Bodies that trees, rigid joints or gears hold: S->held. */
void dls_joints_mark_held(dls_joint_stage *S);

/* M^-1 J' of a gap's row. */
void dls_overlap_weigh(const dls_joint_stage *S, dls_overlap *o);
/* J u of a gap's row, on all its bodies. */
double dls_overlap_speed(const dls_joint_stage *S, const dls_overlap *o, const double *u);

/* What rigid joints and gears lack at q, as gaps that are to be zero: behind the *n_out that are
** there. */
void dls_joints_find_gaps(const dls_joint_stage *S, const double *q, dls_overlap *out, int *n_out);

/* Whether a reduced joint's own coordinates among those of the forest, q, tell that none of its
** limits is within slack: no frame is needed then. */
bool dls_joint_limits_are_far(const dls_joint_stage *S, int index, const double *q, double slack);

/* By how much limits are exceeded at least. */
typedef struct dls_exceeded {
  double share; /* of radii of gyration, rad         */
  double way;   /* angles at radii of gyration, m    */
} dls_exceeded;

/* Limits at q' that are within slack, m, angles at radii of gyration. */
void dls_joints_find_limit_gaps(const dls_joint_stage *S, dls_overlap *out, int *n_out,
                                double slack, dls_exceeded *worst);

#endif
