/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Bodies' numbers to and from lanes (sweep_lanes.inc.h): a body a load, four by four turned. A
** body's fourth number is read by nobody and takes what comes. */
typedef float four DLS_LOOSE(16, 4);
#define FOUR(u, at) (*(const four *)((u) + (at)))

#if LANES == 4
#define ROW(u, at, l) ((vec)FOUR(u, (at)[l]))
#define NEAR_ROW(u, l, k) ((vec)FOUR(u, DLS_DISK_BODY * DLS_DISK_PLACE((l) + (k))))
#define PUT_NEAR(u, l, k, x) (*(four *)((u) + DLS_DISK_BODY * DLS_DISK_PLACE((l) + (k))) = (four)(x))
#define TURN(a, b, p, q, r, s) SHUFFLE(a, b, p, q, (r) + 4, (s) + 4)
#define PUT(u, at, l, x) (*(four *)((u) + (at)[l]) = (four)(x))
#else
#define NEAR_ROW(u, l, k) LOAD((u) + DLS_DISK_BODY * (l) + LANES * (k))
#define PUT_NEAR(u, l, k, x) STORE((u) + DLS_DISK_BODY * (l) + LANES * (k), x)
#define ROW(u, at, l)                                                                          \
  ((vec)__builtin_ia32_vinsertf128_ps256(                                                      \
      SHUFFLE(FOUR(u, (at)[l]), FOUR(u, (at)[l]), 0, 1, 2, 3, -1, -1, -1, -1),                 \
      FOUR(u, (at)[l + 4]), 1))
#define TURN(a, b, p, q, r, s)                                                                 \
  SHUFFLE(a, b, p, q, (r) + 8, (s) + 8, (p) + 4, (q) + 4, (r) + 12, (s) + 12)
#define PUT(u, at, l, x)                                                                       \
  (*(four *)((u) + (at)[l]) = SHUFFLE(x, x, 0, 1, 2, 3),                                       \
   *(four *)((u) + (at)[l + 4]) = __builtin_ia32_vextractf128_ps256(x, 1))
#endif

/* Lane l of x stands in row l % 4 of its half. */
#define TURN_ROWS(x, y, w)                                                                     \
  const vec x##_a = TURN(x##_0, x##_1, 0, 1, 0, 1), x##_b = TURN(x##_2, x##_3, 0, 1, 0, 1);    \
  const vec x##_c = TURN(x##_0, x##_1, 2, 3, 2, 3), x##_d = TURN(x##_2, x##_3, 2, 3, 2, 3);    \
  const vec x = TURN(x##_a, x##_b, 0, 2, 0, 2), y = TURN(x##_a, x##_b, 1, 3, 1, 3);            \
  const vec w = TURN(x##_c, x##_d, 0, 2, 0, 2)
#define READ_BODIES(u, at, x, y, w)                                                            \
  const vec x##_0 = ROW(u, at, 0), x##_1 = ROW(u, at, 1), x##_2 = ROW(u, at, 2);               \
  const vec x##_3 = ROW(u, at, 3);                                                             \
  TURN_ROWS(x, y, w)
/* All four numbers of a row. */
#define READ_FOURS(u, at, x, y, w, z)                                                          \
  READ_BODIES(u, at, x, y, w);                                                                 \
  const vec z = TURN(x##_c, x##_d, 1, 3, 1, 3)
/* Of bodies in the places of their lanes, which start at number `from`; lane l first. */
#define CARRIED_ROW(was, u, beta, l, k)                                                        \
  (NEAR_ROW(was, l, k) + (beta) * (NEAR_ROW(was, l, k) - NEAR_ROW(u, l, k)))
#define READ_NEAR(was, u, at, from, beta, l, x, y, w)                                          \
  const vec x##_0 = CARRIED_ROW((was) + (from), (u) + (from), beta, l, 0);                     \
  const vec x##_1 = CARRIED_ROW((was) + (from), (u) + (from), beta, l, 1);                     \
  const vec x##_2 = CARRIED_ROW((was) + (from), (u) + (from), beta, l, 2);                     \
  const vec x##_3 = CARRIED_ROW((was) + (from), (u) + (from), beta, l, 3);                     \
  TURN_ROWS(x, y, w)

/* (x0 x1 y0 y1), then a row is (x y w w). */
#define MAKE_ROWS(x, y, w)                                                                     \
  const vec to_x = x, to_y = y, to_w = w;                                                      \
  const vec low = TURN(to_x, to_y, 0, 1, 0, 1), high = TURN(to_x, to_y, 2, 3, 2, 3);           \
  const vec row_0 = TURN(low, to_w, 0, 2, 0, 0), row_1 = TURN(low, to_w, 1, 3, 1, 1);          \
  const vec row_2 = TURN(high, to_w, 0, 2, 2, 2), row_3 = TURN(high, to_w, 1, 3, 3, 3)
#define WRITE_BODIES(u, at, x, y, w)                                                           \
  do {                                                                                         \
    MAKE_ROWS(x, y, w);                                                                        \
    PUT(u, at, 0, row_0);                                                                      \
    PUT(u, at, 1, row_1);                                                                      \
    PUT(u, at, 2, row_2);                                                                      \
    PUT(u, at, 3, row_3);                                                                      \
  } while (0)
#define WRITE_NEAR(u, at, from, l, x, y, w)                                                    \
  do {                                                                                         \
    MAKE_ROWS(x, y, w);                                                                        \
    PUT_NEAR((u) + (from), l, 0, row_0);                                                       \
    PUT_NEAR((u) + (from), l, 1, row_1);                                                       \
    PUT_NEAR((u) + (from), l, 2, row_2);                                                       \
    PUT_NEAR((u) + (from), l, 3, row_3);                                                       \
  } while (0)
