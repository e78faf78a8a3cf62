/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/sweep_lanes.h"

static const dls_disk_lanes *const by_isa[DLS_ISA_COUNT] =
    DLS_BY_ISA(dls_disk_lanes_plain, dls_disk_lanes_avx2, dls_disk_lanes_avx512);

const dls_disk_lanes *dls_disk_lanes_at(int i) {
  return i >= 0 && i <= dls_isa() ? by_isa[i] : NULL;
}

const dls_disk_lanes *dls_disk_lanes_best(void) { return by_isa[dls_isa()]; }
