/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_HOLDING_H
#define DLS_JOINTS_HOLDING_H

#include "core/joints/stage.h"

/* Rows of joints (limits, motors, dry friction) that held a velocity in the solve hold it at the
** end of the step as well, where forces of inertia have gone on behind q_c: with what is left of
** their bounds. With p the impulse of the solve and pi that of the last projection of velocities,
**
**     lo <= p + pi <= hi,    J u' = the velocity held   where both are within,
**
** so that what a limit, a motor or friction does in a step is within its law, whatever theta is. */
typedef struct dls_holding {
  int from, n;  /* overlaps from .. from + n - 1 are rows that hold */
  int *row;     /* n: of the solve                                  */
  bool *given;  /* n: its pi is what was left of its bound          */
  double *gap;  /* all overlaps: as they were found                 */
} dls_holding;

/* Appends those rows to the *n overlaps o, whose gaps are noted. The arena has no room: DLS_FULL. */
dls_status dls_holding_find(dls_joint_stage *S, dls_overlap *o, int *n, dls_holding *H);

/* Appends limits that are closed at q' and pressed nothing in the solve: they push back what comes to
** press on them at the end. */
void dls_holding_add_limits(const dls_joint_stage *S, dls_overlap *o, int *n, dls_holding *H);

/* All n overlaps are known; after their answer: those that went beyond their bounds get what is
** left of these from now on. Whether there are some. */
bool dls_holding_gives_way(const dls_joint_stage *S, dls_overlap *o, dls_holding *H);

/* The velocities u of all bodies at q, with the given impulses on each body as if it were alone. */
void dls_holding_push(const dls_joint_stage *S, const dls_overlap *o, const dls_holding *H,
                      const double *q, double *u);

#endif
