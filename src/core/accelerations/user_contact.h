/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_USER_CONTACT_H
#define DLS_ACCELERATIONS_USER_CONTACT_H

#include "core/model/world.h"

/* Gap, normal, point and velocity of a hand-made contact at the present coordinates, without
** impulse. hooks.gap may be called. */
dls_status dls_world_user_contact(dls_world *world, int index, dls_contact *out);

/* The same of one by a gap function: gap and normal alone, and J, its row: NU numbers (v, w) of a,
** then of b. The gap is a distance: it and J are over the length of the gradient for the position
** of b, of a where that is none; of one along angles alone they are as given. */
dls_status dls_world_user_gap(dls_world *world, int index, dls_contact *out, double J[12]);

#endif
