/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_UNFORCED_H
#define DLS_SCHEME_UNFORCED_H

#include "core/scheme/position.h"

/* Plane, worlds on which nothing but gravity and loads acts (dls_step.unforced): coordinates,
** velocities and masses of all bodies at once (disks/disks.h), then whatever is no disk that moves
** freely one by one. Statuses: DLS_RANGE, coordinates or velocities that are not finite. */

/* Coordinates and velocities at q_c, masses, and the free velocities: dls_begin_bodies,
** dls_poses_at, dls_release. */
dls_status dls_set_out_unforced(dls_step *S);

/* dls_advance_bodies. */
void dls_advance_unforced(dls_step *S);

/* All bodies at q; plane, where nothing else acts: but disks that move freely, which
** dls_touches_of() poses as it asks for them. */
void dls_stand_at(dls_step *S, const double *q);

/* Every body at q' into spot. */
void dls_take_spots(dls_step *S, dls_position_stage *P);

#endif
