/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/joint.h"
#include "core/forest/wide.h"
#include "core/math/elementary.h"

/* Kernels of wide.inc.h by plain C, two lanes (one without GNU C): the same bits as the others. */

#ifdef DLS_PLAIN_C
#define LANES 1
#else
#define LANES 2
#endif
#define WIDE_NAME "plain"
#define WIDE_TABLE dls_forest_lanes_plain
#include "core/forest/wide.inc.h"
