/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Contacts of disks swept four times four at once, as sweep_lanes_avx512.c sweeps twice eight, compiled for whatever
** processor this is. */
#include "core/disks/sweep_lanes.h"

#define LANES 4
#define SIDE 4
#define DISK_NAME "four by four"
#define DISK_TABLE disk_sweep_wide
#include "core/disks/sweep_lanes.inc.h"
