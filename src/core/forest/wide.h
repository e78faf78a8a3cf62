/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_WIDE_H
#define DLS_FOREST_WIDE_H

#include "core/base/isa.h"
#include "core/forest/batch.h"

/* The tables of wide_<path>.c, for batch.c alone. */
#ifdef DLS_X86
extern const dls_forest_lanes dls_forest_lanes_avx2;
extern const dls_forest_lanes dls_forest_lanes_avx512;
#endif
extern const dls_forest_lanes dls_forest_lanes_plain;

#endif
