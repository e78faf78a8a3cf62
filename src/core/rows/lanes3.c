/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/lanes3.h"

const dls_space_lanes *dls_space_lanes_at(int i) {
  const dls_space_lanes *paths[3] = {&dls_space_lanes_plain, NULL, NULL};
  int n = 1;
#ifdef DLS_SWEEP_X86
  if (__builtin_cpu_supports("avx2")) paths[n++] = &dls_space_lanes_avx2;
  if (__builtin_cpu_supports("avx512f")) paths[n++] = &dls_space_lanes_avx512;
#endif
  return i >= 0 && i < n ? paths[i] : NULL;
}

const dls_space_lanes *dls_space_lanes_best(void) {
  int i = 0;
  while (dls_space_lanes_at(i + 1)) i++;
  return dls_space_lanes_at(i);
}
