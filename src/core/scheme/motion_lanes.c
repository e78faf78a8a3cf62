/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/motion_lanes.h"

static bool release(int n, const double *q, const double *u, const double *load, const double *inverse,
                    const double pull[3], double s, double h, double *to, double *u_free) {
  double zero = 0;
  for (int i = 0; i < n; i++)
    dls_release_one(q[i], u[i], load[i], inverse[i], pull[i % 3], s, h, to + i, u_free + i, &zero);
  return zero == 0;
}

static void drift(int n, const double *q, const double *u, double s, double *to, double *kept) {
  for (int i = 0; i < n; i++) to[i] = q[i] + s * u[i], kept[i] = u[i];
}

static bool place(int n, const dls_placing *p) {
  bool left = false;
  for (int i = 0; i < n; i++) left |= dls_place_disk(p, i);
  return left;
}

static const dls_motion_lanes plain = {"plain", release, drift, place};

const dls_motion_lanes *dls_motion_lanes_at(int i) {
  const dls_motion_lanes *paths[2] = {&plain, NULL};
  int n = 1;
#ifdef DLS_GAPS_X86
  if (__builtin_cpu_supports("avx2")) paths[n++] = &dls_motion_lanes_avx2;
#endif
  return i >= 0 && i < n ? paths[i] : NULL;
}

const dls_motion_lanes *dls_motion_lanes_best(void) {
  const dls_motion_lanes *wide = dls_motion_lanes_at(1);
  return wide ? wide : &plain;
}
