/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/lanes_paths.h"

#define LANES_W 2
#define LANES_NAME "plain"
#define LANES_TABLE dls_lanes_table_plain
#include "core/math/lanes_kernels.inc.h"
