/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/lanes3.h"

#ifdef DLS_X86
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

/* Eight doubles fill these registers; eight singles the half of them. */
#define ROOT(x) ((vector)_mm512_sqrt_pd((__m512d)(x)))
#define ROOT32(x) ((vector32)_mm256_sqrt_ps((__m256)(x)))
#define ANY(m) (_mm512_test_epi64_mask((__m512i)(m), (__m512i)(m)) != 0)
#define ANY32(m) (_mm256_movemask_ps((__m256)(m)) != 0)
#define BYTES 64
#define BYTES32 32
#define SPACE_NAME "avx512"
#define SPACE_TABLE dls_space_lanes_avx512
#include "core/sweeps/lanes3.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
