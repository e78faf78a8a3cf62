/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of lanes.h: the including file defines BYTES (of a vector: 16 or 32), SWEEP_NAME and
** SWEEP_TABLE, and the compiler's target. The kernels are made twice. */
#include "core/rows/vector.inc.h"
#ifdef SHUFFLE
typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
#else
#define READ_BODIES(u, at, x, y, w)                                                            \
  vec x, y, w;                                                                                 \
  for (int lane = 0; lane < LANES; lane++)                                                     \
    x[lane] = (u)[(at)[lane]], y[lane] = (u)[(at)[lane] + 1], w[lane] = (u)[(at)[lane] + 2]
#define WRITE_BODIES(u, at, x, y, w)                                                           \
  do {                                                                                         \
    const vec to_x = x, to_y = y, to_w = w;                                                    \
    for (int lane = 0; lane < LANES; lane++)                                                   \
      (u)[(at)[lane]] = to_x[lane], (u)[(at)[lane] + 1] = to_y[lane],                          \
      (u)[(at)[lane] + 2] = to_w[lane];                                                        \
  } while (0)
#endif

#define REAL double
#define WHOLE long long
#define LANES (BYTES / 8)
#define GROUP dls_sweep_group
#define OF(name) name
#ifdef SHUFFLE
#include "core/rows/lanes_double.inc.h"
#endif
#include "core/rows/lanes_kernels.inc.h"
#undef REAL
#undef WHOLE
#undef LANES
#undef GROUP
#undef OF

#define REAL float
#define WHOLE int
#define LANES (BYTES / 4)
#define GROUP dls_sweep_group32
#define OF(name) name##32
#ifdef SHUFFLE
#include "core/rows/lanes_float.inc.h"
#endif
#include "core/rows/lanes_kernels.inc.h"

const dls_sweep_lanes SWEEP_TABLE = {SWEEP_NAME, {sweep, change, mix}, {sweep32, change32, mix32}};
