/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/pack.h"
#include "core/math/elementary.h"

#ifdef DLS_PLAIN_C
#define LANES 1
#else
#define LANES 2
#endif
#define PACK_NAME "plain"
#define PACK_TABLE dls_pack_lanes_plain
#include "core/forest/pack.inc.h"
