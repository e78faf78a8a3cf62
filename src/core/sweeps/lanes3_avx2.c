/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/lanes3.h"

#ifdef DLS_X86
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define ROOT(x) ((vector)_mm256_sqrt_pd((__m256d)(x)))
#define ROOT32(x) ((vector32)_mm256_sqrt_ps((__m256)(x)))
#define ANY(m) (_mm256_movemask_pd((__m256d)(m)) != 0)
#define ANY32(m) (_mm256_movemask_ps((__m256)(m)) != 0)
#define BYTES 32
#define BYTES32 32
#define SPACE_NAME "avx2"
#define SPACE_TABLE dls_space_lanes_avx2
#include "core/sweeps/lanes3.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
