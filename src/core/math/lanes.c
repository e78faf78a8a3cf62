/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/lanes.h"

#include "core/math/lanes_paths.h"

static const dls_lanes *const by_isa[DLS_ISA_COUNT] =
    DLS_BY_ISA(dls_lanes_table_plain, dls_lanes_table_avx2, dls_lanes_table_avx512);

const dls_lanes *dls_lanes_best(void) { return by_isa[dls_isa()]; }

const dls_lanes *dls_lanes_at(int i) { return i >= 0 && i <= dls_isa() ? by_isa[i] : NULL; }
