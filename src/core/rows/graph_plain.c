/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/graph_lanes.h"

#include "core/base/vector.h"

#define GRAPH_NAME "plain"
#define GRAPH_TABLE dls_graph_lanes_plain
#ifdef DLS_PLAIN_C
#include "core/rows/graph_one.inc.h"
#else
#include "core/rows/graph_lanes.inc.h"
#endif
