/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_JOINT_ROWS_H
#define DLS_JOINTS_JOINT_ROWS_H

#include "core/joints/joint_frame.h"
#include "core/joints/stage.h"

/* What joints and gears add to the rows of a step: limits, friction, motors, and the constraints of
** rigid joints. */

/* Blocks that joints and gears may add: limits, the motor, friction on each velocity, the
** constraints. */
int dls_joints_count_blocks(const dls_world *w);

/* A block of n rows by functionals d (6 n numbers); what: see the stage's what[]. */
dls_block *dls_functional_block(dls_joint_stage *S, const dls_joint_frame *f, int index, int kind,
                                int what,
                                const double *d, int n);

/* A gap of limit k up to this is closed. */
double dls_joints_closed_limit(const dls_joint_stage *S, int index, int k);

/* Rate of a joint's limit k when the step began. */
typedef struct dls_limit_start {
  double rate; /* m/s or rad/s */
  bool open;   /* by more than DLS_CLOSED of the joint's size, rad */
} dls_limit_start;
dls_limit_start dls_joints_limit_start(const dls_joint_stage *S, int index, int k);

/* What forces of inertia change a rate by: `early`, from the start of the step to J P u_c at q_c;
** behind q_c, by which the rate at the end is more than J P u', this. theta = 1 has no way to q_c,
** and knows nothing of it: the last projection of velocities does (holding.h). */
double dls_joints_late(const dls_joint_stage *S, double early);
/* Of velocity k of a joint, by the row of a motor or of friction. */
double dls_joints_late_rate(const dls_joint_stage *S, const dls_block *block, int index, int k);
/* What it is early of a limit that was open, by its row, as far as it lifts it: see
** shift_of_limit. */
double dls_joints_limit_gain(const dls_joint_stage *S, const dls_block *block,
                             const dls_limit_start *start);

/* Rows of all joints, and of all gears: bilateral on four bodies (dls_second). */
void dls_joints_find_rows(dls_joint_stage *S);
void dls_gears_find_rows(dls_joint_stage *S);

/* Whether a block is that of a motor which holds a position too stiffly for the step, as far as its
** bodies alone tell; and its row, for bodies that give so much along it. */
bool dls_joints_seem_stiff(const dls_joint_stage *S, const dls_block *block);
void dls_joints_hold_position(dls_joint_stage *S, const dls_block *block, double give);

/* Whether limits, motors or dry friction may be rows: what reads u_off, as contacts do. */
bool dls_joints_have_rates(const dls_joint_stage *S);

/* Whether impulses of joints act on a body. */
bool dls_joints_act_on(const dls_joint_stage *S, int body);

/* A force by the row J of a joint, which acts on its bodies as a push does: what bodies that do not
** move freely, and drives (drift), have of its rate is theirs to give, and no work of the force. */
void dls_joints_note_carried(dls_joint_stage *S, const dls_joint *joint, const double *J,
                             double force, double drift);

/* Torques (and springs, where they push) of joints that are not in the tree act on their bodies. */
void dls_joints_push_torques(dls_joint_stage *S);

/* After the solve: the wrench of a joint's own rows on b; of a gear's block on the first joint,
** which has been noted on the second. */
void dls_joint_record(dls_joint_stage *S, const dls_block *block);
void dls_gear_record(dls_joint_stage *S, const dls_block *block);

/* At the end: impulses of limits, by which those that press are rows of the next step as well. */
void dls_joints_remember(const dls_joint_stage *S);

/* The coordinate of a joint of one freedom that was measured as x with bodies at q, q_c or the end,
** turns counted next to where the velocities of the step take it. */
double dls_joint_foreseen(const dls_joint_stage *S, int i, const double *q, double x);

/* At the end: coordinates of joints beside the trees count their turns next to where the solve's
** velocities take them, of one rotation where it turns by more than a radian. */
void dls_joints_foresee_turns(const dls_joint_stage *S);

#endif
