/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_RANDOM_H
#define DLS_BASE_RANDOM_H

#include "core/base/real.h"

/* xoshiro256**: 256 bits of state, period 2^256 - 1; the state is plain data, to be copied and
** hashed. Normal numbers, which need a logarithm, are in math/normal.h.
** Source: D. Blackman & S. Vigna, Scrambled linear pseudorandom number generators, ACM Trans.
** Math. Software 47, 2021; seeding by splitmix64 (G. Steele, D. Lea & C. Flood, OOPSLA 2014). */
typedef struct dls_random {
  uint64_t s[4]; /* not all zero */
} dls_random;

/* The next number of splitmix64, whose state is one word. */
uint64_t dls_splitmix(uint64_t *state);

/* A generator from any seed: four numbers of splitmix64. */
dls_random dls_random_seed(uint64_t seed);

/* 64 random bits. */
uint64_t dls_random_bits(dls_random *random);

/* Uniform in [0, 1), a multiple of 2^-53. */
double dls_random_uniform(dls_random *random);

/* Uniform in [lo, hi); lo where hi <= lo. Never hi itself, also after rounding. */
double dls_random_range(dls_random *random, double lo, double hi);

/* A whole number in [lo, hi], each equally likely (by rejection); lo where hi <= lo. */
int64_t dls_random_integer(dls_random *random, int64_t lo, int64_t hi);

#endif
