/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_PENALTY_STEP_H
#define DLS_JOINTS_PENALTY_STEP_H

#include "core/joints/penalties.h"
#include "core/joints/stage.h"

/* Penalty joints in a step: explicit forces at (q_c, u_c), whether they are stable, what they
** store. Statuses: DLS_SINGULAR, a link without inertia where its joint moves. */

/* The numbers of one body of a penalty row, (v, w) as bodies have them. */
static inline void dls_penalty_row_of(int dim, const double *J, double *out) {
  if (dim == 2) out[0] = J[0], out[1] = J[1], out[2] = J[5];
  else memcpy(out, J, 6 * sizeof(double));
}

int dls_penalties_count_rows(const dls_world *w);

/* Energy of the springs at the start, while prescribed motions stand there. */
void dls_penalties_store_start(dls_joint_stage *S);

/* Forces of all penalty joints at q_c, on push. */
void dls_penalties_push_step(dls_joint_stage *S);

/* The number of rows/stability.h, M as in this step; DLS_UNSTABLE: world->fault is the joint that
** would be lost. Where no pose can reach it, the number is there to be read alone: it is looked at
** in some steps. */
dls_status dls_penalties_judge(dls_joint_stage *S);

/* Energy of the springs before the step (where q_c = q that is known) and at q'; after the
** projection, where something could be projected. */
void dls_penalties_store_end(dls_joint_stage *S);
void dls_penalties_store_projected(dls_joint_stage *S);

/* The account of a step's penalty forces. */
void dls_penalties_charge(dls_joint_stage *S, dls_ledger *l);

#endif
