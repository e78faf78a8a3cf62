/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_PARTS_H
#define DLS_WORLD_PARTS_H

#include "core/world/world.h"

/* A step in equal parts: where one at once took what joints hold, or what is given, through
** something (ways/ways_swept.h), ways and rows of a part tell the truth, since nothing turns far in
** it; and contacts that were not solved in one may be in parts (step/division.h). For whoever looks
** from outside it is one step: its contacts are those of all parts, with all of their impulses; its
** statistics are the worst, counts the sums; reactions and accelerations of joints are the means.
** Parts that still pass are made again as four times as many, up to MOST_PARTS, which stand as they
** are. */

/* Where a step asked for n parts, since its solve missed (`unsolved`) or for what it led through,
** and nothing has happened yet. After a failure the world is as it was: DLS_SINGULAR, DLS_UNSTABLE,
** DLS_RANGE as of dls_time_step. */
dls_status dls_step_in_parts(dls_world *world, int n, bool unsolved);

#endif
