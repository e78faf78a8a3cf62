/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Bodies' numbers to and from lanes of floats (lanes.inc.h): a body a load, four by four turned. */
#undef LOW
#undef HIGH
#undef READ_BODIES
#undef WRITE_BODIES
#define FOUR(u, at) (*(const four *)((u) + (at)))
#if BYTES == 16
#define ROW(u, at, l) FOUR(u, (at)[l])
#define LOW(a, b) SHUFFLE(a, b, 0, 4, 1, 5)
#define HIGH(a, b) SHUFFLE(a, b, 2, 6, 3, 7)
#define LOW2(a, b) SHUFFLE(a, b, 0, 1, 4, 5)
#define HIGH2(a, b) SHUFFLE(a, b, 2, 3, 6, 7)
#define PUT_ROW(u, at, l, x) (*(four *)((u) + (at)[l]) = (four)(x))
#else
#define ROW(u, at, l) SHUFFLE(FOUR(u, (at)[l]), FOUR(u, (at)[l + 4]), 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW(a, b) SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW2(a, b) SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH2(a, b) SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define PUT_ROW(u, at, l, x)                                                                   \
  (*(four *)((u) + (at)[l]) = SHUFFLE(x, x, 0, 1, 2, 3),                                       \
   *(four *)((u) + (at)[l + 4]) = SHUFFLE(x, x, 4, 5, 6, 7))
#endif

#define READ_BODIES(u, at, x, y, w)                                                            \
  const vec x##_0 = ROW(u, at, 0), x##_1 = ROW(u, at, 1), x##_2 = ROW(u, at, 2);               \
  const vec x##_3 = ROW(u, at, 3);                                                             \
  const vec x##_a = LOW(x##_0, x##_1), x##_b = LOW(x##_2, x##_3);                              \
  const vec x = LOW2(x##_a, x##_b), y = HIGH2(x##_a, x##_b);                                   \
  const vec w = LOW2(HIGH(x##_0, x##_1), HIGH(x##_2, x##_3))

#define WRITE_BODIES(u, at, x, y, w)                                                           \
  do {                                                                                         \
    const vec to_x = x, to_y = y, to_w = w, to_none = {0};                                     \
    const vec low_xy = LOW(to_x, to_y), low_w = LOW(to_w, to_none);                            \
    const vec high_xy = HIGH(to_x, to_y), high_w = HIGH(to_w, to_none);                        \
    const vec row_0 = LOW2(low_xy, low_w), row_1 = HIGH2(low_xy, low_w);                       \
    const vec row_2 = LOW2(high_xy, high_w), row_3 = HIGH2(high_xy, high_w);                   \
    PUT_ROW(u, at, 0, row_0);                                                                  \
    PUT_ROW(u, at, 1, row_1);                                                                  \
    PUT_ROW(u, at, 2, row_2);                                                                  \
    PUT_ROW(u, at, 3, row_3);                                                                  \
  } while (0)
