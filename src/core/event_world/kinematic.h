/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_KINEMATIC_H
#define DLS_EVENT_WORLD_KINEMATIC_H

#include "core/event_world/event_world.h"

/* What whoever moves bodies, joints and gaps gives to an event-driven world, each from its own
** forces: kinematic bodies against what contacts, springs and joints do to them; prescribed motions
** of joints; gap functions that depend on time. And what motors without bound give, whose forces
** are found on the way. Statuses: DLS_SINGULAR, a link without inertia where its joint moves
** (trees->fault); DLS_STATE, no forces obey the laws of the rows. */

/* Whether somebody moves something. */
bool dls_kinematic_acts(const dls_event_world *x);

typedef struct dls_kinematic_work {
  double carried, motors; /* W: of whoever moves bodies; of motors */
} dls_kinematic_work;
/* W, where the world stands and moves, its bodies' arrays too, with these forces of all rows. */
dls_status dls_kinematic_power(dls_event_world *x, const double *force, dls_kinematic_work *out);
/* J, of an impact with these impulses of all rows; the world moves as before it. */
dls_status dls_kinematic_strike(dls_event_world *x, const double *impulse, dls_kinematic_work *out);

#endif
