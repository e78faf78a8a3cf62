/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_REAL_H
#define DLS_BASE_REAL_H

/* The floating-point contract. Included first by every core header.
**
** Same inputs, same bits: on one kind of system, whatever the compiler, the optimisation level
** and the instruction set. So no product and sum are ever fused, no libm function is used beyond
** sqrt, fabs and floor (math/elementary.h has our own), and every sum that may be widened is
** written as eight partial sums added in one fixed tree (math/lanes.h). */
#if defined(__GNUC__) && !defined(__clang__) && defined(__FMA__)
/* gcc 12 makes vfmaddsub of sums it vectorises even so, where -march says that the processor has
** it. */
#pragma GCC optimize("fp-contract=off", "no-tree-vectorize")
#elif defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#else
#pragma STDC FP_CONTRACT OFF
#endif
#ifdef __FAST_MATH__
#error "delassus promises bitwise repeatable results: compile without -ffast-math"
#endif

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is declared below here stays inside the library: a shared object exports delassus_* and
** luaopen_* alone, which say so where they are declared. Headers of others that come later stand
** between DLS_OUTSIDE and DLS_INSIDE. In code for programs (-fPIE, or neither) nothing is hidden:
** nobody loads those. */
#if defined(__GNUC__) && (defined(DELASSUS_ONE_FILE) || (defined(__PIC__) && !defined(__PIE__)))
#define DLS_OUTSIDE _Pragma("GCC visibility push(default)")
#define DLS_INSIDE _Pragma("GCC visibility pop")
#pragma GCC visibility push(hidden)
#else
#define DLS_OUTSIDE
#define DLS_INSIDE
#endif

#define DLS_INF HUGE_VAL
#define DLS_PI 3.14159265358979323846

/* NaN and infinity are the two values for which x - x is not zero. */
static inline bool dls_is_finite(double x) { return x - x == 0.0; }

static inline double dls_max(double a, double b) { return a > b ? a : b; }
static inline double dls_min(double a, double b) { return a < b ? a : b; }
/* yes ? a : b without a branch, for what cannot be predicted. */
static inline double dls_choose(bool yes, double a, double b) {
  uint64_t x, y;
  const uint64_t mask = -(uint64_t)yes;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  x = (x & mask) | (y & ~mask);
  memcpy(&a, &x, sizeof a);
  return a;
}
static inline double dls_clamp(double x, double lo, double hi) {
  return x < lo ? lo : (x > hi ? hi : x);
}

#endif
