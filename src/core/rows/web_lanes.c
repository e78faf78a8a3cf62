/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/web_lanes.h"

const dls_web_lanes *dls_web_lanes_at(int i) {
  const dls_web_lanes *paths[2] = {&dls_web_lanes_plain, NULL};
  int n = 1;
#ifdef DLS_WEB_X86
  if (__builtin_cpu_supports("avx2")) paths[n++] = &dls_web_lanes_avx2;
#endif
  return i >= 0 && i < n ? paths[i] : NULL;
}

const dls_web_lanes *dls_web_lanes_best(void) {
  const dls_web_lanes *wide = dls_web_lanes_at(1);
  return wide ? wide : &dls_web_lanes_plain;
}
