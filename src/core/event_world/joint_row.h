/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_JOINT_ROW_H
#define DLS_EVENT_WORLD_JOINT_ROW_H

#include "core/event_world/event_world.h"
#include "core/joints/acc_row.h"

/* What joints hold on one side, as contacts of an event-driven world: limits; dry friction, and
** motors that hold a speed, on a velocity, each a tangent with a given normal force. A reduced
** joint's are those of its own coordinates; the others', and a ball's limits, are rows of its frame
** on both bodies. Statuses: DLS_RANGE, coordinates or velocities that are not finite. */

/* Whether it is a velocity that friction or a motor holds. */
bool dls_joint_row_is_held(const dls_smooth_contact *contact);
/* Gap of a limit at (t, q). */
dls_status dls_joint_row_gap(dls_event_world *x, const dls_smooth_contact *contact, double t,
                             const double *q, double *gap);
/* Its rows (nu numbers each), their drifts, and wbar where it is not NULL, where the world stands
** and moves, and has accelerated for wbar. */
dls_status dls_joint_row_rows(dls_event_world *x, const dls_smooth_contact *contact, double *row,
                              double *drift, double *wbar);
/* What of its velocity free bodies have no part in: a drive's share, that of moving bodies. */
dls_status dls_joint_row_carried(dls_event_world *x, const dls_smooth_contact *contact, double *v);
/* The row of a motor without bound in a penalty joint. */
dls_status dls_joint_row_motor(dls_event_world *x, int joint, bool with_bias, dls_acc_row *out);
/* Forces of its rows join the loads. */
void dls_joint_row_push(dls_event_world *x, const dls_smooth_contact *contact, const double *force);

#endif
