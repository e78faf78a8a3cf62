/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_BITS_H
#define DLS_BASE_BITS_H

#include "core/base/isa.h"

/* Places of the lowest and of the highest bit that is set; x is not 0. */
static inline int dls_lowest_bit(uint64_t x) {
#ifdef DLS_PLAIN_C
  int at = 0;
  for (; (x & 1u) == 0; x >>= 1) at++;
  return at;
#else
  return __builtin_ctzll(x);
#endif
}

static inline int dls_highest_bit(uint64_t x) {
#ifdef DLS_PLAIN_C
  int at = -1;
  for (; x != 0; x >>= 1) at++;
  return at;
#else
  return 63 - __builtin_clzll(x);
#endif
}

#endif
