/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_PRESCRIBED_H
#define DLS_MODEL_PRESCRIBED_H

#include "core/model/world.h"

/* Coordinates and velocities of the kinematic bodies at time t: as hooks.motion says; of those
** without, what they are after moving on with their velocities since `start`, when their
** coordinates were q_start (n_bodies x nq). */
dls_status dls_world_carry(dls_world *w, double t, double start, const double *q_start);

#endif
