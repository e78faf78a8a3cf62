/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_TOUCH_H
#define DLS_EVENT_WORLD_TOUCH_H

#include "core/event_world/crossing.h"
#include "core/event_world/motion.h"

/* One contact where the bodies stand: its points and frame, slip, accelerations, rows. */

dls_smooth_touch dls_event_world_touch(const dls_event_world *x, const dls_smooth_contact *contact);
/* The gap alone. */
double dls_touch_gap(const dls_event_world *x, const dls_smooth_contact *contact);
/* Of a crossing: the axes of `on` and of `off`. */
dls_crossing dls_touch_crossing(const dls_event_world *x, const dls_smooth_contact *contact);
/* Perpendicular to n and each other. */
void dls_event_world_tangents(int dim, dls_vec3 n, dls_vec3 *t1, dls_vec3 *t2);
/* Velocity of the ball's point relative to the surface's, world axes. */
dls_vec3 dls_event_world_slip(const dls_event_world *x, const dls_smooth_contact *contact,
                              const dls_smooth_touch *at);
/* What bodies that do not move freely make of it. */
dls_vec3 dls_touch_carried(const dls_event_world *x, const dls_smooth_contact *contact,
                           const dls_smooth_touch *at);
/* Accelerations along n, t1, t2 with the forces of now: of the gap; of the velocities of the points
** in contact. */
dls_status dls_touch_accelerations(const dls_event_world *x, const dls_smooth_contact *contact,
                                   const dls_smooth_touch *at, double out[3]);
/* Sum of the sizes of the bodies' accelerations there, m/s^2: what round-off of those scales
** with. */
double dls_touch_terms(const dls_event_world *x, const dls_smooth_contact *contact,
                       const dls_smooth_touch *at);
/* The force `along` of a contact on the velocities of the forest: a row of nu numbers; false: of
** zeros, see dls_event_world_pull. */
bool dls_event_world_row(dls_event_world *x, const dls_smooth_contact *contact,
                         const dls_smooth_touch *at, dls_vec3 along, double *row);
/* 1/kg: J M^-1 J' of a normal row, its halves on the twists of a and b, of the two bodies alone, as
** if no joint held them. */
double dls_touch_answers_alone(const dls_event_world *x, const dls_smooth_contact *contact,
                               const dls_spatial of[2]);
/* The force f of a contact joins the forest's wrenches. */
void dls_touch_push(dls_event_world *x, const dls_smooth_contact *contact,
                    const dls_smooth_touch *at, dls_vec3 f);

#endif
