/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/web_lanes.h"

#define WEB_NAME "plain"
#define WEB_TABLE dls_web_lanes_plain
#include "core/rows/web_lanes.inc.h"
