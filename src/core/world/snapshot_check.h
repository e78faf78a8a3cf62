/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_SNAPSHOT_CHECK_H
#define DLS_WORLD_SNAPSHOT_CHECK_H

#include "core/world/world.h"

/* Whether a state that came as bytes is one that a world can be in: `read` is the world with that
** state in arrays of its own, nothing of which has been looked at before (its bools may be no
** bools). Indices lead to what is there, kinds are known, lists have their order, numbers their
** range, rotations length 1. What a world of this model would not have come to by itself, but can
** go on from, passes: a state is not proven true, only harmless. room: as many numbers as there are
** bodies. */
bool dls_state_is_sound(const dls_world *world, const dls_world *read, int *room);

#endif
