/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_TREE_SPRINGS_H
#define DLS_JOINTS_TREE_SPRINGS_H

#include "core/joints/stage.h"

/* Springs and dampers inside trees: rows on single velocities (spring_law.h), eliminated into the
** factor (forest/soft.h). Everything else that acts on trees in the step sees the answer with
** them. Statuses: DLS_SINGULAR, a link without inertia where its joint moves. */

/* The factor becomes that with springs; f, impulses along the velocities, gets what they ask for
** beside it: (M + 1/gamma) du = f - h k x - 2 u/gamma, du the change of the velocities state->u. */
dls_status dls_tree_springs_soften(dls_joint_stage *S, double *f);

/* The factor without springs for a while (false), and with them again. */
dls_status dls_tree_springs_set(dls_joint_stage *S, bool soft);

/* Where impacts have changed velocities before the forces act, springs answer their impulses. */
void dls_tree_springs_start_struck(dls_joint_stage *S);

/* After the solve: the work of springs and dampers, and the mean rates. */
void dls_tree_springs_charge(dls_joint_stage *S);

/* Where the end of the step is to take them, as coordinates that move by h times the mean rates:
** trees->q_aim of those that draw velocities to these. */
void dls_tree_springs_aim(const dls_joint_stage *S);

/* Impulses along the coordinates that lead there from trees->state->q, beside an inertia
** trees->late, added to f. */
void dls_tree_springs_lead(const dls_joint_stage *S, double *f);

/* After that: those of joints that carry the bodies marked in which draw no velocity at the end. */
void dls_tree_springs_rest(dls_joint_stage *S, const unsigned char *which);

/* Impulses along the velocities that draw trees->u_end to the mean ones, beside what the factor
** does, added to f. */
void dls_tree_springs_draw_late(const dls_joint_stage *S, double *f);

/* Their work: trees->u_end after, less du before. Answers the sum, J. */
double dls_tree_springs_charge_late(dls_joint_stage *S, const double *du);

#endif
