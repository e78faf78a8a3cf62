/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/lanes.h"

#define BYTES 16
#define SWEEP_NAME "plain"
#define SWEEP_TABLE dls_sweep_lanes_plain
#include "core/sweeps/lanes.inc.h"
