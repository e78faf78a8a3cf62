/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Bodies' numbers to and from lanes of doubles (lanes.inc.h): two numbers a load. */
#define TWO(u, at, k) (*(const two *)((u) + (at) + (k)))
#if BYTES == 16
#define PAIRS(u, at, first, k) TWO(u, (at)[first], k)
#define LOW(a, b) SHUFFLE(a, b, 0, 2)
#define HIGH(a, b) SHUFFLE(a, b, 1, 3)
#define PUT_PAIRS(u, at, first, x) (*(two *)((u) + (at)[first]) = (two)(x))
#define PUT_LAST(u, at, x) ((u)[(at)[0] + 2] = (x)[0], (u)[(at)[1] + 2] = (x)[1])
#else
#define PAIRS(u, at, first, k) SHUFFLE(TWO(u, (at)[first], k), TWO(u, (at)[first + 2], k), 0, 1, 2, 3)
#define LOW(a, b) SHUFFLE(a, b, 0, 4, 2, 6)
#define HIGH(a, b) SHUFFLE(a, b, 1, 5, 3, 7)
#define PUT_PAIRS(u, at, first, x)                                                             \
  (*(two *)((u) + (at)[first]) = SHUFFLE(x, x, 0, 1),                                          \
   *(two *)((u) + (at)[first + 2]) = SHUFFLE(x, x, 2, 3))
#define PUT_LAST(u, at, x)                                                                     \
  ((u)[(at)[0] + 2] = (x)[0], (u)[(at)[1] + 2] = (x)[1], (u)[(at)[2] + 2] = (x)[2],            \
   (u)[(at)[3] + 2] = (x)[3])
#endif

#define READ_BODIES(u, at, x, y, w)                                                            \
  const vec x##_even = PAIRS(u, at, 0, 0), x##_odd = PAIRS(u, at, 1, 0);                       \
  const vec x = LOW(x##_even, x##_odd), y = HIGH(x##_even, x##_odd);                           \
  const vec w = LOW(PAIRS(u, at, 0, 2), PAIRS(u, at, 1, 2))

#define WRITE_BODIES(u, at, x, y, w)                                                           \
  do {                                                                                         \
    const vec to_x = x, to_y = y, to_w = w;                                                    \
    const vec to_even = LOW(to_x, to_y), to_odd = HIGH(to_x, to_y);                            \
    PUT_PAIRS(u, at, 0, to_even);                                                              \
    PUT_PAIRS(u, at, 1, to_odd);                                                               \
    PUT_LAST(u, at, to_w);                                                                     \
  } while (0)
