/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_PAIR_H
#define DLS_MATH_PAIR_H

#include "core/base/real.h"

/* A number as the unevaluated sum hi + lo of two doubles, |lo| <= half an ulp of hi: about 106
** bits. Needs round to nearest and no fused multiply-add, which base/real.h sees to.
** Source: T. J. Dekker, A floating-point technique for extending the available precision,
** Numerische Mathematik 18, 1971; D. E. Knuth, The Art of Computer Programming 2, 4.2.2. */
typedef struct dls_pair {
  double hi; /* the number rounded to a double */
  double lo; /* what the rounding left out     */
} dls_pair;

/* a + b exactly. */
static inline dls_pair dls_two_sum(double a, double b) {
  const double s = a + b;
  const double bb = s - a;
  return (dls_pair){s, (a - (s - bb)) + (b - bb)};
}

/* a + b exactly, for |a| >= |b| or a = 0. */
static inline dls_pair dls_fast_two_sum(double a, double b) {
  const double s = a + b;
  return (dls_pair){s, b - (s - a)};
}

/* a b exactly, for |a|, |b| < 2^995 and a product above 2^-969. */
static inline dls_pair dls_two_prod(double a, double b) {
  const double p = a * b;
  const double ca = 134217729.0 * a, cb = 134217729.0 * b; /* 2^27 + 1 halves the digits */
  const double ah = ca - (ca - a), bh = cb - (cb - b);
  const double al = a - ah, bl = b - bh;
  return (dls_pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/* Sum, product and quotient of pairs, relative error a few 2^-104. */
static inline dls_pair dls_pair_add(dls_pair a, dls_pair b) {
  const dls_pair s = dls_two_sum(a.hi, b.hi);
  const dls_pair t = dls_two_sum(a.lo, b.lo);
  const dls_pair u = dls_fast_two_sum(s.hi, s.lo + t.hi);
  return dls_fast_two_sum(u.hi, u.lo + t.lo);
}

static inline dls_pair dls_pair_mul(dls_pair a, dls_pair b) {
  const dls_pair p = dls_two_prod(a.hi, b.hi);
  return dls_fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline dls_pair dls_pair_div(dls_pair a, dls_pair b) {
  const double q = a.hi / b.hi;
  const dls_pair p = dls_two_prod(q, b.hi);
  const double rest = ((a.hi - p.hi) - p.lo) + a.lo - q * b.lo;
  return dls_fast_two_sum(q, rest / b.hi);
}

static inline dls_pair dls_pair_neg(dls_pair a) { return (dls_pair){-a.hi, -a.lo}; }

#endif
