/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/graph_lanes.h"

static const dls_graph_lanes *const by_isa[DLS_ISA_COUNT] =
    DLS_BY_ISA(dls_graph_lanes_plain, dls_graph_lanes_avx2, dls_graph_lanes_avx2);

const dls_graph_lanes *dls_graph_lanes_at(int i) {
  return i >= 0 && i <= dls_isa() ? by_isa[i] : NULL;
}

const dls_graph_lanes *dls_graph_lanes_best(void) { return by_isa[dls_isa()]; }
