/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/lanes3.h"

#if defined(__SSE2__) && !defined(DLS_PLAIN_C)
#include <immintrin.h>
#define ROOT(x) ((vector)_mm_sqrt_pd((__m128d)(x)))
#define ROOT32(x) ((vector32)_mm_sqrt_ps((__m128)(x)))
#define ANY(m) (_mm_movemask_pd((__m128d)(m)) != 0)
#define ANY32(m) (_mm_movemask_ps((__m128)(m)) != 0)
#endif

#define BYTES 16
#define BYTES32 16
#define SPACE_NAME "plain"
#define SPACE_TABLE dls_space_lanes_plain
#include "core/sweeps/lanes3.inc.h"
