/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of lanes3.h: the including file defines BYTES and BYTES32 (of a vector of doubles: 16,
** 32 or 64, and of singles: 16 or 32), SPACE_NAME and SPACE_TABLE, the compiler's target and, where
** the processor has them, ROOT and ANY (32) of a whole vector. The visit is made twice. */
#include "core/base/vector.inc.h"
#ifdef DLS_PLAIN_C
#define LANES_OF(bytes, size) 1
#else
#define LANES_OF(bytes, size) ((bytes) / (size))
#endif
#ifdef SHUFFLE
#include "core/sweeps/lanes3_bodies.inc.h"
#else
#define READ_BODIES(u, at, x)                                                                  \
  vec x##0, x##1, x##2, x##3, x##4, x##5;                                                      \
  for (int lane = 0; lane < LANES; lane++) {                                                   \
    const int from = (at)[lane];                                                               \
    DLS_LANE(x##0, lane) = (u)[from], DLS_LANE(x##1, lane) = (u)[from + 1];                    \
    DLS_LANE(x##2, lane) = (u)[from + 2], DLS_LANE(x##3, lane) = (u)[from + 3];                \
    DLS_LANE(x##4, lane) = (u)[from + 4], DLS_LANE(x##5, lane) = (u)[from + 5];                \
  }
#define WRITE_BODIES(u, at, x)                                                                 \
  for (int lane = 0; lane < LANES; lane++) {                                                   \
    const int to = (at)[lane];                                                                 \
    (u)[to] = DLS_LANE(x##0, lane), (u)[to + 1] = DLS_LANE(x##1, lane);                        \
    (u)[to + 2] = DLS_LANE(x##2, lane), (u)[to + 3] = DLS_LANE(x##3, lane);                    \
    (u)[to + 4] = DLS_LANE(x##4, lane), (u)[to + 5] = DLS_LANE(x##5, lane);                    \
  }
#define READ_BODIES32 READ_BODIES
#define WRITE_BODIES32 WRITE_BODIES
#endif

/* The longest l over d_s + d_t: beyond it x points along -h as nearly as can be told. */
#define REAL double
#define WHOLE long long
#define LANES LANES_OF(BYTES, 8)
#define GROUP dls_space_group
#define TURN dls_space_turn
#define OF(name) name
#define SIZE BYTES
#define LONGEST 1e12
#define READ READ_BODIES
#define WRITE WRITE_BODIES
#ifdef ROOT
#define ROOT_OF ROOT
#define ANY_OF ANY
#else
#define ROOT_OF OF(root)
#define ANY_OF OF(any)
#endif
#include "core/sweeps/lanes3_kernels.inc.h"
#undef REAL
#undef WHOLE
#undef LANES
#undef GROUP
#undef TURN
#undef OF
#undef SIZE
#undef LONGEST
#undef READ
#undef WRITE
#undef ROOT_OF
#undef ANY_OF

#define REAL float
#define WHOLE int
#define LANES LANES_OF(BYTES32, 4)
#define GROUP dls_space_group32
#define TURN dls_space_turn32
#define OF(name) name##32
#define SIZE BYTES32
#define LONGEST 1e6F
#define READ READ_BODIES32
#define WRITE WRITE_BODIES32
#ifdef ROOT32
#define ROOT_OF ROOT32
#define ANY_OF ANY32
#else
#define ROOT_OF OF(root)
#define ANY_OF OF(any)
#endif
#define JUDGED
#include "core/sweeps/lanes3_kernels.inc.h"

const dls_space_lanes SPACE_TABLE = {.name = SPACE_NAME, .fine = sweep, .coarse = sweep32,
                                     .fine_turns = sweep_turns, .coarse_turns = sweep_turns32,
                                     .push = push32, .judge = judge32};
