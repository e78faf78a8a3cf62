/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_MOTION_H
#define DLS_EVENT_WORLD_MOTION_H

#include "core/event_world/event_world.h"

/* Where the bodies of an event-driven world are, how they move, and what acts on their
** velocities. Statuses: DLS_SINGULAR, a link without inertia where its joint moves (trees->fault);
** DLS_RANGE, coordinates or velocities that are not finite. */

/* The bodies stand at (t, q); and move with u. */
dls_status dls_event_world_place(dls_event_world *x, double t, const double *q);
dls_status dls_event_world_move(dls_event_world *x, double t, const double *q, const double *u);
/* Accelerations of the loads that stand, and the forest's factor. */
dls_status dls_event_world_run(const dls_event_world *x);

/* What a body's turning matters to: gaps; the motion itself. */
enum { DLS_TURNS_GAPS = 1, DLS_TURNS_MOTION = 2 };
/* x->turns of the contacts. */
void dls_event_world_note_turns(dls_event_world *x);
/* def.longest of the system: bodies whose turning gaps depend on turn by 3 rad. DLS_ARG: one would
** turn by more than 1e5 rad in a step of the world. */
dls_status dls_event_world_longest(void *ctx, double t, const double *q, const double *u,
                                   double *span);

/* A body's mass centre, and motion there: angular, linear. */
typedef struct dls_event_motion {
  dls_vec3 centre; /* world, m */
  dls_spatial v, a; /* velocity, acceleration */
} dls_event_motion;
dls_event_motion dls_event_motion_of(const dls_event_world *x, int body);
/* The same with accelerations, after accelerate. */
dls_status dls_event_motion_accelerated(const dls_event_world *x, int body, dls_event_motion *m);
/* Of the body's point that is at `point`. */
dls_vec3 dls_event_velocity_at(const dls_event_motion *m, dls_vec3 point);
dls_vec3 dls_event_acceleration_at(const dls_event_motion *m, dls_vec3 point);

/* A wrench about a body's mass centre joins the forest's. */
void dls_event_world_load(dls_event_world *x, int body, dls_spatial wrench);
/* Wrenches on two bodies about their mass centres on the velocities of the forest: a row of nu
** numbers; false: they are zeros, since no joint of its trees gives way to the row
** (forest/pinned.h). */
bool dls_event_world_pull(dls_event_world *x, int a, dls_spatial on_a, int b, dls_spatial on_b,
                          double *row);

#endif
