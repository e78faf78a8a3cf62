/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_REPORT_H
#define DLS_EVENT_WORLD_REPORT_H

#include "core/event_world/event_world.h"

/* The step that has been made as its world tells of it. Statuses: DLS_SINGULAR, a link without
** inertia where its joint moves (trees->fault); DLS_STATE, no forces obey the laws of the rows;
** DLS_RANGE, coordinates or velocities that are not finite. */

/* Contacts that the step will list. */
int dls_event_world_count(const dls_event_world *x);
/* Contacts, in world->contacts, which has room; events, statistics, reactions of joints. The bodies
** stand and move at the end of the step. */
dls_status dls_event_world_list(dls_event_world *x);
/* dls_system_def.tell: where contact i is as something happens to it. */
dls_status dls_event_world_note(void *ctx, int i, double t, const double *q);

#endif
