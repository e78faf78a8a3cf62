/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_PARALLEL_H
#define DLS_EVENT_WORLD_PARALLEL_H

#include "core/event_world/touch.h"

/* Two axes in space that touch, of capsules or of a capsule and an edge of a box: by their
** crossing, or, where these are nearly parallel, by what is in its place: the four ends of
** capsules; of an edge the capsule's ends and the edges across. With sine s of the angle, overlap l
** of the axes and d = r + r' the gap along an axis is a parabola of curvature s^2/d: its least
** value runs from one end to the other while the axis tilts by s^2 l/d, and falls short of that of
** the ends by l^2 s^2/(8 d) at most. A pair that touches goes over to its ends where l s is below
** 1e-4 d, and back above twice that: gaps then change by 1e-8 d at most. Where the axes turn past
** each other fast, so that what takes an end off, v^2/d, is no little part of what presses it on,
** they stay with the crossing. One that does not touch has the gap of the crossing, which is the
** least; but for axes that are exactly parallel. The ends of an edge touch for other edges and
** faces as well: while they do, and until 4e-4, the edge is not looked at, and it touches again
** where its gap is the least. Statuses: DLS_SINGULAR, a link without inertia where its joint moves
** (trees->fault); DLS_STATE, no forces obey the laws of the rows; DLS_RANGE, coordinates or
** velocities that are not finite. */

/* Whether another contact of the pair is there in place of this one. */
bool dls_touch_is_elsewhere(const dls_event_world *x, const dls_smooth_contact *contact);
/* dls_system_def.round_off: of the crossing of two axes. Projected, the nearest points of axes that
** are parallel to 1e-5 run along them by 1e-7 m, where a body that turns has another slip. */
double dls_parallel_round_off(void *ctx, int i);
/* dls_system_def.hand: what a pair that touches touches by from now on. */
dls_status dls_parallel_hand(void *ctx, double t, const double *q, const double *u, double *held,
                             bool *any);
/* s: in which no pair that touches, and is nearly parallel, turns past where it goes over; span at
** most. The bodies move. */
double dls_parallel_longest(const dls_event_world *x, double span);

#endif
