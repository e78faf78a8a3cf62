/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_ELEMENTARY_H
#define DLS_MATH_ELEMENTARY_H

#include "core/base/real.h"

/* The core's own elementary functions: the same bits from every compiler, optimisation level and
** C library, since only + - * / sqrt and floor of IEEE doubles are used. Errors, in units of the
** last place of the exact value, over the whole range of doubles (spec/core/math/elementary_spec):
**
**     log atan atan2 asin acos  < 0.51     exp pow  < 0.65     sin cos  < 0.80     tan  < 1.0
**
** (results below 2^-1022 may be off by one unit more). Infinities, NaN and signed zeros follow
** IEEE 754 and ISO C annex F; no function sets errno.
** Method: argument reduction to where a Taylor polynomial of moderate degree is exact to 2^-57,
** with the leading terms kept as pairs of doubles (math/pair.h).
** Source: J.-M. Muller, Elementary Functions, 3rd ed. 2016, ch. 5, 10, 11; reduction of large
** angles after M. Payne & R. Hanek, SIGNUM Newsletter 18, 1983; of small ones after W. J. Cody &
** W. Waite, Software Manual for the Elementary Functions, 1980. */

/* x in radians, any size: 1e300 is reduced exactly. NaN for an infinity. */
double dls_sin(double x);
double dls_cos(double x);
double dls_tan(double x);
void dls_sincos(double x, double *sin_x, double *cos_x);

/* Angles in radians. atan2(y, x) is in [-pi, pi], the angle of the point (x, y);
** asin and acos are NaN outside [-1, 1]. */
double dls_atan(double x);
double dls_atan2(double y, double x);
double dls_asin(double x);
double dls_acos(double x);

/* The angle equal to x up to whole turns that lies nearest to `near`: so turns are counted. */
static inline double dls_angle_near(double x, double near) {
  static const double CLOSE = 3; /* surely nearer than half a turn */
  const double off = near - x;
  return fabs(off) < CLOSE ? x : x + 2 * DLS_PI * floor(off / (2 * DLS_PI) + 0.5);
}

/* exp overflows to infinity above 709.78...; log(0) = -infinity, log(x < 0) = NaN. */
double dls_exp(double x);
double dls_log(double x);

/* The power of two at or below x, by which numbers are divided to the same bits; 1 where x is not a
** positive number that has all its digits. */
double dls_unit_below(double x);

/* x^y; for x < 0 only where y is a whole number, else NaN. pow(x, 0) = pow(1, y) = 1. */
double dls_pow(double x, double y);

/* x 2^k, rounded once, for any k. */
double dls_scale(double x, int k);

#endif
