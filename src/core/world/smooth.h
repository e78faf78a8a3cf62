/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_SMOOTH_H
#define DLS_WORLD_SMOOTH_H

#include "core/scheme/trees.h"

/* The mechanics of a world at one instant, without impacts: M udot + bias = tau in the coordinates of
** its forest, which is gathered, placed and moving. */

/* All forces but gravity -> the forest's tau and wrench: springs, fields, applied ones, springs,
** dampers and friction of joints; torque: the joints' own `torque` too. DLS_STOPPED by a field. */
dls_status dls_world_forces(dls_world *w, bool torque);

/* udot, w and reactions. rows: with the rows of now, where there are any. DLS_SINGULAR: the body in
** w->trees->fault. */
dls_status dls_world_accelerate(dls_world *w, bool rows);

#endif
