/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/round.h"

#define LANES 4
#define ROUND_NAME "plain"
#define ROUND_TABLE dls_round_lanes_plain
#include "core/rows/round.inc.h"
