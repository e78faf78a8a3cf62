/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_SWEEP_H
#define DLS_DISKS_SWEEP_H

#include "core/base/arena.h"
#include "core/rows/island.h"

/* Sweeps of an island of disk contacts with momentum until the residual seems to hold (*near),
** rounding hides what is left, or `most` are *done. limit: m/s. The impulses get better; velocities
** follow them unless they are near and not `strict`. If impulses stop to be numbers, they stay as
** they were. DLS_FULL: rows->need. */
dls_status dls_sweep_disks(dls_rows *rows, const int *blocks, int n, double limit, int most,
                           bool strict, dls_arena *tmp, int *done, bool *near);

#endif
