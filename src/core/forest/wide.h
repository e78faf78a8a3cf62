/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_WIDE_H
#define DLS_FOREST_WIDE_H

#include "core/forest/batch.h"

/* The tables of wide_<path>.c, for batch.c alone. */
#if defined(__x86_64__) && defined(__GNUC__)
#define DLS_FOREST_X86 1
extern const dls_forest_lanes dls_forest_lanes_avx2;
extern const dls_forest_lanes dls_forest_lanes_avx512;
#endif
extern const dls_forest_lanes dls_forest_lanes_plain;

#endif
