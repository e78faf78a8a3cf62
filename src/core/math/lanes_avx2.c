/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/lanes_paths.h"

/* Kernels of lanes_kernels.inc.h by AVX2, four lanes: the same bits as the others. */

#ifdef DLS_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define LANES_W 4
#define LANES_NAME "avx2"
#define LANES_TABLE dls_lanes_table_avx2
#include "core/math/lanes_kernels.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
