/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/position_lanes.h"

static const dls_position_lanes *const by_isa[DLS_ISA_COUNT] =
    DLS_BY_ISA(dls_position_lanes_plain, dls_position_lanes_avx2, dls_position_lanes_avx2);

const dls_position_lanes *dls_position_lanes_at(int i) {
  return i >= 0 && i <= dls_isa() ? by_isa[i] : NULL;
}

const dls_position_lanes *dls_position_lanes_best(void) { return by_isa[dls_isa()]; }
