/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/lanes_paths.h"

/* Kernels of lanes_kernels.inc.h by plain C, two lanes (one without GNU C): the same bits as the
** others. */

#ifdef DLS_PLAIN_C
#define LANES_W 1
#else
#define LANES_W 2
#endif
#define LANES_NAME "plain"
#define LANES_TABLE dls_lanes_table_plain
#include "core/math/lanes_kernels.inc.h"
