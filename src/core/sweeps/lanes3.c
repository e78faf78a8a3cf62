/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/lanes3.h"

static const dls_space_lanes *const by_isa[DLS_ISA_COUNT] =
    DLS_BY_ISA(dls_space_lanes_plain, dls_space_lanes_avx2, dls_space_lanes_avx512);

const dls_space_lanes *dls_space_lanes_at(int i) {
  return i >= 0 && i <= dls_isa() ? by_isa[i] : NULL;
}

const dls_space_lanes *dls_space_lanes_best(void) { return by_isa[dls_isa()]; }
