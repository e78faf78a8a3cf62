/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/lanes_paths.h"

/* Kernels of lanes_kernels.inc.h by AVX-512, eight lanes: the same bits as the others. */

#ifdef DLS_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

#define LANES_W 8
#define LANES_NAME "avx512"
#define LANES_TABLE dls_lanes_table_avx512
#include "core/math/lanes_kernels.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
