/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/motion_lanes.h"

static bool release(int n, const double *q, const double *u, const double *load,
                    const double *inverse, const double pull[3], double s, double h, double *to,
                    double *u_free) {
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

static const dls_motion_lanes *const by_isa[DLS_ISA_COUNT] =
    DLS_BY_ISA(plain, dls_motion_lanes_avx2, dls_motion_lanes_avx2);

const dls_motion_lanes *dls_motion_lanes_at(int i) {
  return i >= 0 && i <= dls_isa() ? by_isa[i] : NULL;
}

const dls_motion_lanes *dls_motion_lanes_best(void) { return by_isa[dls_isa()]; }
