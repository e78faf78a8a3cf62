/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_ACCOUNT_H
#define DLS_EVENT_WORLD_ACCOUNT_H

#include "core/event_world/event_world.h"

/* Where the energy of a step goes, beside what the scheme counts of contacts: by Lobatto's rule
** over the integrator's steps, as friction's share is.
**
**     forces    loads of bodies, fields, torques of joints, motors (a speed motor's row is no friction)
**     damping   dampers of springs, joints, compliant contacts; nodes that relax: by their energy, which is exact
**     kinematic whoever moves bodies, joints and gaps (kinematic.h); in impacts too
**
** Statuses: DLS_SINGULAR, a link without inertia where its joint moves (trees->fault); DLS_STATE,
** no forces obey the laws of the rows; DLS_RANGE, coordinates or velocities that are not finite. */

/* At the beginning of the step. */
dls_status dls_account_begin(dls_event_world *x);
/* def.account of the system where something of it acts: `weight` s of that at (t, q, u) with those
** forces of rows. */
dls_status dls_account_add(void *ctx, dls_account_place place, double weight, double t,
                           const double *q, const double *u, const double *force);

/* Of a step in which nothing moves freely, from one time to another: what is carried, and what acts
** on it. */
dls_status dls_account_carried(dls_event_world *x, double from, double to);

#endif
