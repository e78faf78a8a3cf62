/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_USER_CONTACT_H
#define DLS_ACCELERATIONS_USER_CONTACT_H

#include "core/model/world.h"

/* Gap, normal, point and velocity of a hand-made contact at the present coordinates, without
** impulse. hooks.gap may be called. */
dls_status dls_world_user_contact(dls_world *world, int index, dls_contact *out);

#endif
