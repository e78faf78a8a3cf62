/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_SPRING_END_H
#define DLS_JOINTS_SPRING_END_H

#include "core/joints/joint_frame.h"
#include "core/joints/stage.h"

/* Springs that the step does not resolve, at its end: coordinates of rigid joints go by h times the
** mean rate, and (2) of spring_law.h draws the velocities to it. Those of trees are in
** tree_springs.h. */

/* The coordinate k of a chain, q, an angle by as many turns as bring it next to x. */
double dls_spring_turned(const dls_joint *joint, int k, double q, double x);

/* After the solve, joints at q on their way to the end: what coordinates of rigid joints lack there
** of h times the mean rates, where these draw the velocities at the end; rows from number *n on. */
void dls_springs_find_ways(dls_joint_stage *S, const double *q, dls_overlap *o, int *n);

/* In projections of positions: rows that keep coordinates and lengths at q' where they were at
** S->aim, by the inertia h e along them, from row number *n on. (Those of trees are in S->more.) */
void dls_springs_find_kept(dls_joint_stage *S, dls_overlap *o, int *n);
int dls_springs_most_kept(const dls_joint_stage *S); /* rows that these are at most */
/* n_bodies: 1 for those on which they act */
void dls_springs_mark_kept(const dls_joint_stage *S, unsigned char *body);

/* Bodies on which such rows act become held. */
void dls_springs_hold_late(dls_joint_stage *S);

/* The rows at q' that draw velocities to the mean ones, from number *n on. */
void dls_springs_find_late(dls_joint_stage *S, dls_overlap *o, int *n);

/* Their work in what the end of the step made of the bodies' velocities: u before, u_n after.
** Answers the sum, J. */
double dls_springs_charge_late(dls_joint_stage *S, const dls_overlap *o, const double *u,
                               const double *u_n);

#endif
