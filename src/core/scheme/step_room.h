/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_STEP_ROOM_H
#define DLS_SCHEME_STEP_ROOM_H

#include "core/scheme/stages.h"

/* The arrays of a step from the world's arena (dls_step_bytes says how large that is to be); the
** records of its joints and disks get what they share with the other stages. DLS_FULL: there is no
** room. */
dls_status dls_take_room(dls_stages *all);

#endif
