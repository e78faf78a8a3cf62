/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/cone/pack.h"

#define LANES 2
#define PACK_NAME "plain"
#define PACK_TABLE dls_cone_lanes_plain
#include "core/cone/pack.inc.h"
