/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/press_lanes.h"

const dls_press_lanes *dls_press_lanes_at(int i) {
  const dls_press_lanes *paths[2] = {&dls_press_lanes_plain, NULL};
  int n = 1;
#ifdef DLS_PRESS_X86
  if (__builtin_cpu_supports("avx2")) paths[n++] = &dls_press_lanes_avx2;
#endif
  return i >= 0 && i < n ? paths[i] : NULL;
}

const dls_press_lanes *dls_press_lanes_best(void) {
  const dls_press_lanes *best = dls_press_lanes_at(0), *next;
  for (int i = 1; (next = dls_press_lanes_at(i)) != NULL; i++) best = next;
  return best;
}
