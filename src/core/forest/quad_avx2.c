/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/base/vector.h"
#include "core/forest/quad.h"
#include "core/math/elementary.h"

#ifdef DLS_X86
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

/* Four angles, four quaternions and the free roots go through the lanes' own arithmetic. */
#define LANES 4
typedef double real __attribute__((vector_size(8 * LANES)));
typedef real creal;
typedef long long mask __attribute__((vector_size(8 * LANES)));
typedef struct lane_state {
  real E[9], r[3], v[3], c[3], zeta[3], f[24], y[6], w[6]; /* as in dls_node_state */
} lane_state;
#include "core/forest/lanes.inc.h"

#include "core/forest/eliminate.inc.h"
#include "core/forest/quad.inc.h"

const size_t dls_quad_constant_bytes = sizeof(quad_constants);
const size_t dls_quad_work_bytes = sizeof(quad_node);

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
