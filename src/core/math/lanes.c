/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/lanes.h"

#include "core/math/lanes_paths.h"

const dls_lanes *dls_lanes_plain(void) { return &dls_lanes_table_plain; }

const dls_lanes *dls_lanes_best(void) {
#ifdef DLS_LANES_X86
  if (__builtin_cpu_supports("avx512f")) return &dls_lanes_table_avx512;
  if (__builtin_cpu_supports("avx2")) return &dls_lanes_table_avx2;
#endif
  return &dls_lanes_table_plain;
}

const dls_lanes *dls_lanes_at(int i) {
  const dls_lanes *paths[3] = {&dls_lanes_table_plain, NULL, NULL};
  int n = 1;
#ifdef DLS_LANES_X86
  if (__builtin_cpu_supports("avx2")) paths[n++] = &dls_lanes_table_avx2;
  if (__builtin_cpu_supports("avx512f")) paths[n++] = &dls_lanes_table_avx512;
#endif
  return i >= 0 && i < n ? paths[i] : NULL;
}
