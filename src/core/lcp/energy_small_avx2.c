/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/energy_small.h"

#include "core/math/lanes_paths.h"

/* energy_small.inc.h compiled for AVX2: the same bits. */

#ifdef DLS_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define SMALL_NAME dls_energy_small_avx2
#include "core/lcp/energy_small.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
