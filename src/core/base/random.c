/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/random.h"

static uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

uint64_t dls_splitmix(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

dls_random dls_random_seed(uint64_t seed) {
  dls_random random;
  for (int i = 0; i < 4; i++) random.s[i] = dls_splitmix(&seed);
  return random;
}

uint64_t dls_random_bits(dls_random *random) {
  uint64_t *s = random->s;
  const uint64_t bits = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return bits;
}

double dls_random_uniform(dls_random *random) {
  return (double)(dls_random_bits(random) >> 11) * 0x1p-53;
}

double dls_random_range(dls_random *random, double lo, double hi) {
  const double u = dls_random_uniform(random);
  const double x = lo + u * (hi - lo);
  return hi > lo && x < hi ? x : lo;
}

int64_t dls_random_integer(dls_random *random, int64_t lo, int64_t hi) {
  if (hi <= lo) return lo;
  const uint64_t span = (uint64_t)hi - (uint64_t)lo;
  uint64_t mask = span;
  for (int k = 1; k < 64; k *= 2) mask |= mask >> k;
  uint64_t pick = dls_random_bits(random) & mask;
  while (pick > span) pick = dls_random_bits(random) & mask;
  return (int64_t)((uint64_t)lo + pick);
}
