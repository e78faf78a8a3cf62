/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/sweep_lanes.h"

#ifdef DLS_PLAIN_C
#define LANES 1
#else
#define LANES 4
#endif
#define DISK_NAME "plain"
#define DISK_TABLE dls_disk_lanes_plain
#include "core/disks/sweep_lanes.inc.h"
