/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/pack.h"
#include "core/math/elementary.h"

/* Kernels of pack.inc.h by AVX2, four lanes: the same bits as the others. */

#ifdef DLS_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define LANES 4
#define PACK_NAME "avx2"
#define PACK_TABLE dls_pack_lanes_avx2
#include "core/forest/pack.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
