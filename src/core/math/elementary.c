/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/elementary.h"

#include "core/math/pair.h"

#define NOT_A_NUMBER (DLS_INF - DLS_INF)

static uint64_t bits_of(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static double from_bits(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}

static bool is_negative(double x) { return (bits_of(x) >> 63) != 0; } /* -0 counts */
static double with_sign(double x, bool negative) { return negative ? -fabs(x) : fabs(x); }

/* 2^k for -1022 <= k <= 1023. */
static double power_of_two(int k) { return from_bits((uint64_t)(k + 1023) << 52); }

double dls_unit_below(double x) {
  static const uint64_t EXPONENT = (uint64_t)0x7ff << 52;
  const uint64_t e = bits_of(x) & EXPONENT;
  return x > 0 && e > 0 && e < EXPONENT ? from_bits(e) : 1;
}

/* Upwards every step is exact; downwards a step leaves at least 54 powers of two to the last one,
** which alone can round. */
double dls_scale(double x, int k) {
  if (k > 2200) k = 2200;
  if (k < -2200) k = -2200;
  for (; k > 1023; k -= 1023) x *= power_of_two(1023);
  for (; k < -1022; k += 969) x *= power_of_two(-969);
  return x * power_of_two(k);
}

/* --- sine, cosine, tangent -------------------------------------------------------------------- */

static const dls_pair half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* The bits of 2/pi after the point, 64 a word: 1216 of them reach past the largest double. */
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/* a b + carry as high and low word: 128 bits by halves. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t carry, uint64_t *high) {
  const uint64_t mask = 0xffffffffu;
  const uint64_t ll = (a & mask) * (b & mask), lh = (a & mask) * (b >> 32);
  const uint64_t hl = (a >> 32) * (b & mask), hh = (a >> 32) * (b >> 32);
  const uint64_t middle = (ll >> 32) + (lh & mask) + (hl & mask);
  const uint64_t low = (ll & mask) | (middle << 32);
  *high = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
  const uint64_t sum = low + carry;
  *high += sum < low;
  return sum;
}

/* Words p[0] (most significant) to p[n-1], shifted left by s < 64 n bits, zeros moving in. */
static void shift_left(uint64_t *p, int n, int s) {
  const int words = s / 64, rest = s % 64;
  for (int i = 0; i < n; i++) {
    const uint64_t here = i + words < n ? p[i + words] : 0;
    const uint64_t next = i + words + 1 < n ? p[i + words + 1] : 0;
    p[i] = rest == 0 ? here : (here << rest) | (next >> (64 - rest));
  }
}

/* x = n pi/2 + r, |r| <= pi/4, n mod 4 returned, for finite x > pi/4 of any size.
** x = m 2^e with an integer m < 2^53. Words of 2/pi whose product with x is a multiple of 4 are
** left out; four words from there give 137 bits after the point, at least 75 of them after the
** 62 zeros that the double closest to a multiple of pi/2 can bring. */
static int reduce_large(double x, dls_pair *r) {
  const uint64_t u = bits_of(x);
  const int e = (int)(u >> 52) - 1075;
  const uint64_t m = (u & 0xfffffffffffffu) | 0x10000000000000u;
  const int start = e >= 2 ? (e - 2) / 64 : 0;

  /* p = m * (the four words): 320 bits, of which `after` stand after the point. */
  uint64_t p[5], carry = 0;
  for (int i = 3; i >= 0; i--) p[i + 1] = multiply(m, two_over_pi[start + i], carry, &carry);
  p[0] = carry;
  const int after = 64 * (start + 4) - e;
  shift_left(p, 5, 318 - after);

  /* Two bits of quadrant lead; a fraction of one half or more counts down from the next one. */
  int n = (int)(p[0] >> 62);
  shift_left(p, 5, 2);
  const bool down = (p[0] >> 63) != 0;
  if (down) {
    n++;
    for (int i = 0; i < 5; i++) p[i] = ~p[i]; /* 1 - fraction, short by the last bit */
  }

  /* The 106 leading bits as two doubles. */
  int zeros = 0;
  while (zeros < 128 && (p[zeros / 64] >> (63 - zeros % 64) & 1) == 0) zeros++;
  shift_left(p, 5, zeros);
  const double scale = power_of_two(-zeros);
  const double high = (double)(p[0] >> 11) * 0x1p-53 * scale;
  const double low = (double)((p[0] & 0x7ff) << 42 | p[1] >> 22) * 0x1p-106 * scale;
  *r = dls_pair_mul(dls_fast_two_sum(high, low), half_pi);
  if (down) *r = dls_pair_neg(*r);
  return n & 3;
}

/* x = n pi/2 + r for any finite x, n mod 4 returned. Up to 2^20 three parts of pi/2 are taken off,
** the first two of 33 bits, so that their products with n are exact; where that cancels more
** than 30 bits, and beyond 2^20, the long reduction takes over. */
static int reduce(double x, dls_pair *r) {
  const double size = fabs(x);
  if (size <= 0.78539816339744828) {
    *r = (dls_pair){x, 0.0};
    return 0;
  }
  if (size <= 0x1p20) {
    const double n = floor(x * (2 / DLS_PI) + 0.5);
    const double first = x - n * 0x1.921fb544p+0;
    const dls_pair second = dls_two_sum(first, -(n * 0x1.0b4611a6p-34));
    *r = dls_fast_two_sum(second.hi, second.lo - n * 0x1.3198a2e037073p-69);
    if (fabs(r->hi) >= 0x1p-30) return (int)((int64_t)n & 3);
  }
  const int n = reduce_large(size, r);
  if (x > 0) return n;
  *r = dls_pair_neg(*r);
  return (4 - n) & 3;
}

/* Taylor's polynomials on |x| <= pi/4, x = r.hi, y = r.lo:
**   sin = x + (x^3 S(x^2) + y (1 - x^2/2)),     cos = (1 - x^2/2) + (x^4 C(x^2) - x y). */
static dls_pair sin_near(dls_pair r) {
  const double x = r.hi, z = x * x;
  const double tail = 1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800
                    + z * (1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0
                    + z * (1.0 / 355687428096000.0))))));
  return dls_fast_two_sum(x, x * z * (-1.0 / 6 + z * tail) + r.lo * (1 - 0.5 * z));
}

static dls_pair cos_near(dls_pair r) {
  const double x = r.hi, z = x * x, half = 0.5 * z, head = 1 - half;
  const double tail = 1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800
                    + z * (1.0 / 479001600 + z * (-1.0 / 87178291200.0
                    + z * (1.0 / 20922789888000.0))))));
  return dls_fast_two_sum(head, ((1 - head) - half) + (z * z * tail - x * r.lo));
}

static dls_pair sin_of(int n, dls_pair r) {
  const dls_pair s = (n & 1) == 0 ? sin_near(r) : cos_near(r);
  return (n & 2) == 0 ? s : dls_pair_neg(s);
}

double dls_sin(double x) {
  dls_pair r;
  if (!dls_is_finite(x)) return NOT_A_NUMBER;
  if (fabs(x) < 0x1p-27) return x;
  const int n = reduce(x, &r);
  return sin_of(n, r).hi;
}

double dls_cos(double x) {
  dls_pair r;
  if (!dls_is_finite(x)) return NOT_A_NUMBER;
  const int n = reduce(x, &r);
  return sin_of(n + 1, r).hi;
}

void dls_sincos(double x, double *sin_x, double *cos_x) {
  dls_pair r;
  if (!dls_is_finite(x)) {
    *sin_x = *cos_x = NOT_A_NUMBER;
    return;
  }
  const int n = reduce(x, &r);
  *sin_x = fabs(x) < 0x1p-27 ? x : sin_of(n, r).hi;
  *cos_x = sin_of(n + 1, r).hi;
}

double dls_tan(double x) {
  dls_pair r;
  if (!dls_is_finite(x)) return NOT_A_NUMBER;
  if (fabs(x) < 0x1p-27) return x;
  const int n = reduce(x, &r);
  return dls_pair_div(sin_of(n, r), sin_of(n + 1, r)).hi;
}

/* --- inverse functions ------------------------------------------------------------------------ */

/* atan(i/8), i = 0..8. */
static const dls_pair atan_of_eighths[] = {
    {0.0, 0.0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

/* The angle of (x, y), 0 <= y <= x, neither tiny nor huge (see angle):
** atan(y/x) = atan(c) + atan(t), t = (y - c x) / (x + c y), c the eighth next to y/x. */
static dls_pair octant(dls_pair y, dls_pair x) {
  const int i = (int)floor(8 * (y.hi / x.hi) + 0.5);
  const dls_pair c = {i * 0.125, 0.0};
  const dls_pair t = dls_pair_div(dls_pair_add(y, dls_pair_neg(dls_pair_mul(c, x))),
                                  dls_pair_add(x, dls_pair_mul(c, y)));
  const double z = t.hi * t.hi;
  const double tail = -1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11
                    + z * (1.0 / 13 + z * (-1.0 / 15))))));
  const dls_pair near = dls_fast_two_sum(t.hi, t.lo + t.hi * z * tail);
  return dls_pair_add(atan_of_eighths[i], near);
}

/* The angle of (x, y) in [0, pi], y >= 0, both finite, not both zero. */
static double angle(dls_pair y, dls_pair x) {
  const bool left = x.hi < 0;
  if (left) x = dls_pair_neg(x);
  const bool steep = y.hi > x.hi;
  const dls_pair low = steep ? x : y, high = steep ? y : x;

  /* Scaled so that the larger is near 1. A quotient below 2^-60 is its own arc tangent, and
  ** taken alone where the angle is small: it may be subnormal. */
  const int k = -((int)((bits_of(high.hi) >> 52) & 0x7ff) - 1023);
  const dls_pair h = {dls_scale(high.hi, k), dls_scale(high.lo, k)};
  const dls_pair l = {dls_scale(low.hi, k), dls_scale(low.lo, k)};
  dls_pair a;
  if (l.hi < 0x1p-60 * h.hi) {
    if (!steep && !left) return y.hi / x.hi;
    a = (dls_pair){l.hi / h.hi, 0.0};
  } else {
    a = octant(l, h);
  }
  if (steep) a = dls_pair_add(half_pi, dls_pair_neg(a));
  if (left) a = dls_pair_add((dls_pair){2 * half_pi.hi, 2 * half_pi.lo}, dls_pair_neg(a));
  return a.hi;
}

double dls_atan2(double y, double x) {
  if (x != x || y != y) return NOT_A_NUMBER;
  const bool below = is_negative(y);
  double a;
  if (!dls_is_finite(y)) {
    const double beside = x > 0 ? 0.5 * half_pi.hi : 0x1.2d97c7f3321d2p+1; /* pi/4, 3 pi/4 */
    a = dls_is_finite(x) ? half_pi.hi : beside;
  } else if (!dls_is_finite(x) || y == 0.0) {
    a = is_negative(x) ? DLS_PI : 0.0;
  } else {
    a = angle((dls_pair){fabs(y), 0.0}, (dls_pair){x, 0.0});
  }
  return with_sign(a, below);
}

double dls_atan(double x) { return dls_atan2(x, 1.0); }

/* sqrt(1 - x^2) = sqrt((1 - x)(1 + x)) as a pair, |x| < 1. */
static dls_pair cathetus(double x) {
  const dls_pair p = dls_pair_mul(dls_two_sum(1.0, -x), dls_two_sum(1.0, x));
  const double s = sqrt(p.hi);
  const dls_pair q = dls_two_prod(s, s);
  return dls_fast_two_sum(s, (((p.hi - q.hi) - q.lo) + p.lo) / (2 * s));
}

double dls_asin(double x) {
  if (!(fabs(x) <= 1)) return NOT_A_NUMBER;
  if (fabs(x) == 1) return with_sign(half_pi.hi, x < 0);
  if (fabs(x) < 0x1p-27) return x;
  return with_sign(angle((dls_pair){fabs(x), 0.0}, cathetus(x)), x < 0);
}

double dls_acos(double x) {
  if (!(fabs(x) <= 1)) return NOT_A_NUMBER;
  if (fabs(x) == 1) return x < 0 ? DLS_PI : 0.0;
  return angle(cathetus(x), (dls_pair){x, 0.0});
}

/* --- exponential and logarithm ---------------------------------------------------------------- */

/* ln 2: 32 bits whose products with an exponent are exact, and the rest. */
static const double ln2_head = 0x1.62e42feep-1;
static const dls_pair ln2_tail = {0x1.a39ef35793c76p-33, 0x1.cc01f97b57a08p-87};

/* exp(x.hi + x.lo), |x.lo| small against x.hi: k ln 2 is taken off, Taylor's polynomial to
** degree 14 does |r| <= ln(2)/2. */
static double exp_pair(dls_pair x) {
  if (x.hi > 709.8) return DLS_INF;
  if (x.hi < -745.2) return 0.0;
  const double k = floor(x.hi * (1 / 0.69314718055994531) + 0.5);
  const dls_pair r = dls_two_sum(x.hi - k * ln2_head, -(k * ln2_tail.hi));
  const double z = r.hi, rest = r.lo + x.lo;
  const double tail = 1.0 / 2 + z * (1.0 / 6 + z * (1.0 / 24 + z * (1.0 / 120 + z * (1.0 / 720
                    + z * (1.0 / 5040 + z * (1.0 / 40320 + z * (1.0 / 362880 + z * (1.0 / 3628800
                    + z * (1.0 / 39916800 + z * (1.0 / 479001600 + z * (1.0 / 6227020800.0
                    + z * (1.0 / 87178291200.0))))))))))));
  const dls_pair head = dls_fast_two_sum(1.0, z);
  const double curved = z * z * tail;
  return dls_scale(head.hi + (head.lo + (rest * (1 + z + curved) + curved)), (int)k);
}

double dls_exp(double x) {
  if (x != x) return NOT_A_NUMBER;
  return exp_pair((dls_pair){x, 0.0});
}

/* log x for finite x > 0, relative error below 2^-68:  x = 2^k m, m in [sqrt 1/2, sqrt 2],
** log m = 2 atanh(s) = 2 s + s z (2/3 + z (2/5 + ...)),  s = (m - 1) / (m + 1),  z = s^2. */
static dls_pair log_pair(double x) {
  int k = 0;
  if (x < 0x1p-1022) x *= 0x1p54, k = -54;
  const uint64_t u = bits_of(x);
  k += (int)(u >> 52) - 1023;
  double m = from_bits((u & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (m > 1.4142135623730951) m *= 0.5, k++;

  const dls_pair s = dls_pair_div((dls_pair){m - 1, 0.0}, dls_two_sum(m, 1.0));
  const dls_pair z = dls_pair_mul(s, s);
  const double w = z.hi;
  const double tail = 2.0 / 7 + w * (2.0 / 9 + w * (2.0 / 11 + w * (2.0 / 13 + w * (2.0 / 15
                    + w * (2.0 / 17 + w * (2.0 / 19 + w * (2.0 / 21 + w * (2.0 / 23
                    + w * (2.0 / 25 + w * (2.0 / 27))))))))));
  const dls_pair two_thirds = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
  const dls_pair two_fifths = {0x1.999999999999ap-2, -0x1.999999999999ap-56};
  const dls_pair fifth = dls_pair_add(two_fifths, dls_pair_mul(z, (dls_pair){tail, 0.0}));
  const dls_pair third = dls_pair_add(two_thirds, dls_pair_mul(z, fifth));
  const dls_pair cubic = dls_pair_mul(dls_pair_mul(s, z), third);
  const dls_pair log_m = dls_pair_add((dls_pair){2 * s.hi, 2 * s.lo}, cubic);
  if (k == 0) return log_m;
  const dls_pair k_tail = dls_pair_mul((dls_pair){k, 0.0}, ln2_tail);
  return dls_pair_add((dls_pair){k * ln2_head, 0.0}, dls_pair_add(k_tail, log_m));
}

double dls_log(double x) {
  if (x != x || x < 0) return NOT_A_NUMBER;
  if (x == 0) return -DLS_INF;
  return x == DLS_INF ? x : log_pair(x).hi;
}

static bool is_whole(double y) { return floor(y) == y; }
static bool is_odd(double y) { return is_whole(y) && fabs(y) < 0x1p53 && floor(y / 2) * 2 != y; }

/* |x|^y for x >= 0, y != 0, neither NaN. */
static double pow_of_size(double x, double y) {
  if (x == 1) return 1.0;
  if (!dls_is_finite(y)) return (x > 1) == (y > 0) ? DLS_INF : 0.0;
  if (x == 0 || x == DLS_INF) return (x == 0) == (y > 0) ? 0.0 : DLS_INF;
  const dls_pair l = log_pair(x);
  const double p = l.hi * y;
  if (p > 710) return DLS_INF;
  if (p < -746) return 0.0;
  return fabs(p) < 0x1p-60 ? 1.0 : exp_pair(dls_pair_mul(l, (dls_pair){y, 0.0}));
}

double dls_pow(double x, double y) {
  if (y == 0 || x == 1) return 1.0;
  if (x != x || y != y) return NOT_A_NUMBER;
  const bool negative = is_negative(x) && is_odd(y);
  if (x < 0 && dls_is_finite(x) && !is_whole(y)) return NOT_A_NUMBER;
  return with_sign(pow_of_size(fabs(x), y), negative);
}
