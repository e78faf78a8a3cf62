/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/pack.h"
#include "core/math/elementary.h"

/* Kernels of pack.inc.h by plain C, two lanes (one without GNU C): the same bits as the others. */

#ifdef DLS_PLAIN_C
#define LANES 1
#else
#define LANES 2
#endif
#define PACK_NAME "plain"
#define PACK_TABLE dls_pack_lanes_plain
#include "core/forest/pack.inc.h"
