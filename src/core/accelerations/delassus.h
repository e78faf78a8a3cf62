/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_DELASSUS_H
#define DLS_ACCELERATIONS_DELASSUS_H

#include "core/joints/trees.h"

/* Rows of now: contacts of the last step in the order of their list (normal, tangents), then
** joints: limits that are reached, directions that rigid joints hold. Their Delassus matrix comes
** from the forest's factor. */

/* How many rows there are. */
int dls_world_delassus_rows(const dls_world *w);

/* W (n x n, row-major, n = dls_world_delassus_rows): J M^-1 J' at the forest's coordinates, which
** are gathered and placed. DLS_SINGULAR: the body in w->trees->fault; DLS_NOMEM. */
dls_status dls_world_delassus(dls_world *w, int n, double *W);

#endif
