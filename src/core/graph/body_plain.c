/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/body_lanes.h"

#define BODY_NAME "plain"
#define BODY_WIDTH 2
#define BODY_TABLE dls_body_lanes_plain
#include "core/graph/body_lanes.inc.h"
