/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/graph_lanes.h"

#define GRAPH_NAME "plain"
#define GRAPH_TABLE dls_graph_lanes_plain
#include "core/graph/graph_lanes.inc.h"
