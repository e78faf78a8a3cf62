/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Bodies' numbers to and from lanes (lanes3.inc.h): u[at[l] + k] is x_k of lane l, k = 0 .. 5. */
typedef double two DLS_LOOSE(16, 8);
typedef float four DLS_LOOSE(16, 4);

/* --- doubles: two numbers of a body a load ---------------------------------------------------- */

#define TWO(u, at, k) (*(const two *)((u) + (at) + (k)))
#define PUT_TWO(u, at, k, x) (*(two *)((u) + (at) + (k)) = (two)(x))
#if BYTES == 16
#define PAIRS(u, at, first, k) TWO(u, (at)[first], k)
#define LOW(a, b) SHUFFLE(a, b, 0, 2)
#define HIGH(a, b) SHUFFLE(a, b, 1, 3)
#define PUT_PAIRS(u, at, first, k, x) PUT_TWO(u, (at)[first], k, x)
#elif BYTES == 32
#define PAIRS(u, at, first, k)                                                                 \
  SHUFFLE(TWO(u, (at)[first], k), TWO(u, (at)[first + 2], k), 0, 1, 2, 3)
#define LOW(a, b) SHUFFLE(a, b, 0, 4, 2, 6)
#define HIGH(a, b) SHUFFLE(a, b, 1, 5, 3, 7)
#define PUT_PAIRS(u, at, first, k, x)                                                          \
  PUT_TWO(u, (at)[first], k, SHUFFLE(x, x, 0, 1));                                             \
  PUT_TWO(u, (at)[first + 2], k, SHUFFLE(x, x, 2, 3))
#else
#define HALF(u, at, first, k)                                                                  \
  SHUFFLE(TWO(u, (at)[first], k), TWO(u, (at)[first + 2], k), 0, 1, 2, 3)
#define PAIRS(u, at, first, k)                                                                 \
  SHUFFLE(HALF(u, at, first, k), HALF(u, at, first + 4, k), 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW(a, b) SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define HIGH(a, b) SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define PUT_PAIRS(u, at, first, k, x)                                                          \
  PUT_TWO(u, (at)[first], k, SHUFFLE(x, x, 0, 1));                                             \
  PUT_TWO(u, (at)[first + 2], k, SHUFFLE(x, x, 2, 3));                                         \
  PUT_TWO(u, (at)[first + 4], k, SHUFFLE(x, x, 4, 5));                                         \
  PUT_TWO(u, (at)[first + 6], k, SHUFFLE(x, x, 6, 7))
#endif

#define READ_TWO(u, at, x, y, k)                                                               \
  const vec x##_even = PAIRS(u, at, 0, k), x##_odd = PAIRS(u, at, 1, k);                       \
  const vec x = LOW(x##_even, x##_odd), y = HIGH(x##_even, x##_odd)
#define READ_BODIES(u, at, x)                                                                  \
  READ_TWO(u, at, x##0, x##1, 0);                                                              \
  READ_TWO(u, at, x##2, x##3, 2);                                                              \
  READ_TWO(u, at, x##4, x##5, 4)

#define WRITE_TWO(u, at, x, y, k)                                                              \
  do {                                                                                         \
    const vec even = LOW(x, y), odd = HIGH(x, y);                                              \
    PUT_PAIRS(u, at, 0, k, even);                                                              \
    PUT_PAIRS(u, at, 1, k, odd);                                                               \
  } while (0)
#define WRITE_BODIES(u, at, x)                                                                 \
  WRITE_TWO(u, at, x##0, x##1, 0);                                                             \
  WRITE_TWO(u, at, x##2, x##3, 2);                                                             \
  WRITE_TWO(u, at, x##4, x##5, 4)

/* --- singles: four numbers of a body a load, four by four turned ------------------------------ */

#define FOUR(u, at) (*(const four *)(u + (at)))
#define PUT_FOUR(u, at, x) (*(four *)(u + (at)) = (four)(x))
#if BYTES32 == 16
#define ROW(u, at, l) FOUR(u, (at)[l])
#define LOW32(a, b) SHUFFLE(a, b, 0, 4, 1, 5)
#define HIGH32(a, b) SHUFFLE(a, b, 2, 6, 3, 7)
#define LOW2(a, b) SHUFFLE(a, b, 0, 1, 4, 5)
#define HIGH2(a, b) SHUFFLE(a, b, 2, 3, 6, 7)
#define PUT_ROW(u, at, l, x) PUT_FOUR(u, (at)[l], x)
#else
#define ROW(u, at, l) SHUFFLE(FOUR(u, (at)[l]), FOUR(u, (at)[l + 4]), 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW32(a, b) SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH32(a, b) SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW2(a, b) SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH2(a, b) SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define PUT_ROW(u, at, l, x)                                                                   \
  PUT_FOUR(u, (at)[l], SHUFFLE(x, x, 0, 1, 2, 3));                                             \
  PUT_FOUR(u, (at)[l + 4], SHUFFLE(x, x, 4, 5, 6, 7))
#endif

#define READ_BODIES32(u, at, x)                                                                \
  const vec x##_p = ROW(u, at, 0), x##_q = ROW(u, at, 1), x##_r = ROW(u, at, 2);               \
  const vec x##_s = ROW(u, at, 3), x##_pq = LOW32(x##_p, x##_q), x##_rs = LOW32(x##_r, x##_s); \
  const vec x##_PQ = HIGH32(x##_p, x##_q), x##_RS = HIGH32(x##_r, x##_s);                      \
  const vec x##0 = LOW2(x##_pq, x##_rs), x##1 = HIGH2(x##_pq, x##_rs);                         \
  const vec x##2 = LOW2(x##_PQ, x##_RS), x##3 = HIGH2(x##_PQ, x##_RS);                         \
  const vec x##_pq4 = LOW32(ROW(u + 4, at, 0), ROW(u + 4, at, 1));                             \
  const vec x##_rs4 = LOW32(ROW(u + 4, at, 2), ROW(u + 4, at, 3));                             \
  const vec x##4 = LOW2(x##_pq4, x##_rs4), x##5 = HIGH2(x##_pq4, x##_rs4)

#define WRITE_BODIES32(u, at, x)                                                               \
  do {                                                                                         \
    const vec none = {0}, low01 = LOW32(x##0, x##1), high01 = HIGH32(x##0, x##1);              \
    const vec low23 = LOW32(x##2, x##3), high23 = HIGH32(x##2, x##3);                          \
    const vec low45 = LOW32(x##4, x##5), high45 = HIGH32(x##4, x##5);                          \
    const vec row0 = LOW2(low01, low23), row1 = HIGH2(low01, low23);                                 \
    const vec row2 = LOW2(high01, high23), row3 = HIGH2(high01, high23);                             \
    const vec end0 = LOW2(low45, none), end1 = HIGH2(low45, none);                                 \
    const vec end2 = LOW2(high45, none), end3 = HIGH2(high45, none);                               \
    PUT_ROW(u, at, 0, row0);                                                                      \
    PUT_ROW(u, at, 1, row1);                                                                      \
    PUT_ROW(u, at, 2, row2);                                                                      \
    PUT_ROW(u, at, 3, row3);                                                                      \
    PUT_ROW(u + 4, at, 0, end0);                                                                 \
    PUT_ROW(u + 4, at, 1, end1);                                                                 \
    PUT_ROW(u + 4, at, 2, end2);                                                                 \
    PUT_ROW(u + 4, at, 3, end3);                                                                 \
  } while (0)
