/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_SPRING_ROWS_H
#define DLS_JOINTS_SPRING_ROWS_H

#include "core/joints/joint_frame.h"
#include "core/joints/spring_line.h"
#include "core/joints/stage.h"

/* Springs and dampers as rows (spring_law.h): of rigid and penalty joints along their coordinates,
** and of springs between two points along the line through them. Those of trees are in
** tree_springs.h.
**
** The deflection of a coordinate is that before the step. A line and a ball's rotation vector
** change their directions within the step: they are measured in its middle, x + h m/2 = x_c + h (v
** - v0)/4, which is the same where a deflection is linear, and the same backwards in time where it
** is not. The pull of a spring is along the line at q_c, through both points: momentum and angular
** momentum are kept to the bit's rounding. Where the line turns by much in a step its length at
** rest is another (spring_line.h). With theta other than 1/2, x stands for x - (theta - 1/2) h v0:
** positions then go by the later velocity, and shifted so they go by the mean one, as the law wants
** it. Statuses: DLS_SINGULAR, a link without inertia where its joint moves. */

/* How many rows and blocks springs and dampers may add. */
int dls_springs_count_rows(const dls_world *w);
int dls_springs_count_blocks(const dls_world *w);

/* The spring row that block k begins with; NULL: it is no block of springs. */
dls_spring_row *dls_springs_of(const dls_joint_stage *S, int k);

/* Where springs push (steps of an integrator): their forces at q_c, on push. */
void dls_springs_push(dls_joint_stage *S);

/* Rows of the springs of a rigid joint, whose constraints are the n_held rows held. */
void dls_joint_springs_add(dls_joint_stage *S, const dls_joint_frame *f, int index,
                           const double *held, int n_held);

/* Rows of the springs of penalty joints and between two points, and how much bodies give along all
** of them. */
dls_status dls_springs_find_rows(dls_joint_stage *S);

/* Velocities below which no residual is told from round-off, m/s: tensions of a net that hold each
** other give and take h w k x, in as many digits as there are. */
double dls_springs_scale(const dls_joint_stage *S);

/* Impacts of the step have come before its forces (rows->u_free against u_smooth), on the mass
** matrix alone: springs that are eliminated into it answer their impulses. */
void dls_springs_start_struck(dls_joint_stage *S);

/* The line of a spring at q and the row of what its length changes by; false: it has no direction.
** The velocities of its ends are not set. */
bool dls_spring_line_at(const dls_joint_stage *S, const dls_spring *spring, const double *q,
                        dls_spring_line *line, double *J);

/* After the solve: the mean rate of a row. */
double dls_spring_mean_rate(const dls_joint_stage *S, const dls_spring_row *of);

/* After the solve: mean rates of a block of springs, and their wrenches on joints. */
void dls_springs_record(dls_joint_stage *S, const dls_block *block, dls_spring_row *of);

/* A row of springs worked by `work`, J. */
void dls_spring_charge(dls_joint_stage *S, const dls_spring_row *of, double work);

#endif
