/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_LANES_PATHS_H
#define DLS_MATH_LANES_PATHS_H

#include "core/base/isa.h"
#include "core/math/lanes.h"

/* The tables of lanes_<path>.c, for lanes.c alone. */
#ifdef DLS_X86
extern const dls_lanes dls_lanes_table_avx2;
extern const dls_lanes dls_lanes_table_avx512;
#endif
extern const dls_lanes dls_lanes_table_plain;

#endif
