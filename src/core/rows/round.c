/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/round.h"

const dls_round_lanes *dls_round_lanes_at(int i) {
  const dls_round_lanes *paths[3] = {&dls_round_lanes_plain, NULL, NULL};
  int n = 1;
#ifdef DLS_ROUND_X86
  if (__builtin_cpu_supports("avx2")) paths[n++] = &dls_round_lanes_avx2;
  if (__builtin_cpu_supports("avx512vl")) paths[n++] = &dls_round_lanes_avx512;
#endif
  return i >= 0 && i < n ? paths[i] : NULL;
}

const dls_round_lanes *dls_round_lanes_best(void) {
  const dls_round_lanes *best = dls_round_lanes_at(0), *next;
  for (int i = 1; (next = dls_round_lanes_at(i)) != NULL; i++) best = next;
  return best;
}
