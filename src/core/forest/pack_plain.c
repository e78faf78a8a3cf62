/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/pack.h"
#include "core/math/elementary.h"

#define LANES 2
#define PACK_NAME "plain"
#define PACK_TABLE dls_pack_lanes_plain
#include "core/forest/pack.inc.h"
