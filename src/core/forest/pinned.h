/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_PINNED_H
#define DLS_FOREST_PINNED_H

#include "core/forest/dynamics.h"

/* Whether a row of n sides (dls_forest_rows; at most 8) moves nothing: every joint on its way to
** the root has of its moments and forces less than 1e-6 of what they are added up of. Such is a
** point on the axis of a hinge to the ground: its arm is round-off, whose square is no mobility,
** and an impulse there has no bound. After dls_forest_place. */
bool dls_forest_is_pinned(const dls_forest *forest, const dls_forest_state *state, int n,
                          const dls_row_side *sides);

#endif
