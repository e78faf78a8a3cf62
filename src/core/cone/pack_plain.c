/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/cone/pack.h"

#ifdef DLS_PLAIN_C
#define LANES 1
#else
#define LANES 2
#endif
#define PACK_NAME "plain"
#define PACK_TABLE dls_cone_lanes_plain
#include "core/cone/pack.inc.h"
