/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_BODY_ROW_H
#define DLS_EVENT_WORLD_BODY_ROW_H

#include "core/event_world/motion.h"
#include "core/joints/acc_row.h"

/* A row of a joint or a gear, which is of bodies, in an event-driven world. */

/* On the velocities of the forest: nu numbers; false: they are zeros, since no joint of its trees
** gives way to the row (forest/pinned.h). */
bool dls_body_row_project(dls_event_world *x, const dls_acc_row *row, double *out);
/* Its acceleration with the forces of now. */
dls_status dls_body_row_acceleration(const dls_event_world *x, const dls_acc_row *row, double *out);
/* What of its velocity v free bodies have no part in; the bodies' arrays are those of now. */
double dls_body_row_carried(const dls_event_world *x, const dls_acc_row *row);
/* Its force on the bodies: joins the forest's wrenches, and the own ones of the joint and of
** `other` (a gear's first joint; -1). */
void dls_body_row_push(dls_event_world *x, const dls_acc_row *row, int joint, int other,
                       double force);

#endif
