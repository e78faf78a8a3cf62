/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of lanes.h: the including file defines BYTES (of a vector: 16 or 32; without meaning in
** plain C), SWEEP_NAME and SWEEP_TABLE, and the compiler's target. The kernels are made twice. */
#include "core/base/vector.inc.h"
#ifdef DLS_PLAIN_C
#define LANES_OF(size) 1
#else
#define LANES_OF(size) (BYTES / (size))
#endif
#ifdef SHUFFLE
typedef double two DLS_LOOSE(16, 8);
typedef float four DLS_LOOSE(16, 4);
#else
#define READ_BODIES(u, at, x, y, w)                                                            \
  vec x, y, w;                                                                                 \
  for (int lane = 0; lane < LANES; lane++)                                                     \
    DLS_LANE(x, lane) = (u)[(at)[lane]], DLS_LANE(y, lane) = (u)[(at)[lane] + 1],              \
    DLS_LANE(w, lane) = (u)[(at)[lane] + 2]
#define WRITE_BODIES(u, at, x, y, w)                                                           \
  do {                                                                                         \
    const vec to_x = x, to_y = y, to_w = w;                                                    \
    for (int lane = 0; lane < LANES; lane++)                                                   \
      (u)[(at)[lane]] = DLS_LANE(to_x, lane), (u)[(at)[lane] + 1] = DLS_LANE(to_y, lane),      \
      (u)[(at)[lane] + 2] = DLS_LANE(to_w, lane);                                              \
  } while (0)
#endif

#define REAL double
#define WHOLE long long
#define LANES LANES_OF(8)
#define GROUP dls_sweep_group
#define TURN dls_sweep_turn
#define OF(name) name
#ifdef SHUFFLE
#include "core/sweeps/lanes_double.inc.h"
#endif
#include "core/sweeps/lanes_kernels.inc.h"
#undef REAL
#undef WHOLE
#undef LANES
#undef GROUP
#undef TURN
#undef OF

#define REAL float
#define WHOLE int
#define LANES LANES_OF(4)
#define GROUP dls_sweep_group32
#define TURN dls_sweep_turn32
#define OF(name) name##32
#ifdef SHUFFLE
#include "core/sweeps/lanes_float.inc.h"
#endif
#include "core/sweeps/lanes_kernels.inc.h"

const dls_sweep_lanes SWEEP_TABLE = {
    SWEEP_NAME, {sweep, sweep_turns, change, mix}, {sweep32, sweep_turns32, change32, mix32}};
