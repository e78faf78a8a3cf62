/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/gaps.h"

static void disks(int n, const int *a, const int *b, int stride, const dls_spot2 *spots,
                  double *gap) {
  for (int k = 0; k < n; k++, a += stride, b += stride)
    gap[k] = dls_gap_of_disks(spots + *a, spots + *b);
}

static int near(int n, const int *a, const int *b, const dls_rim2 *rims, int *pairs) {
  int found = 0;
  for (int k = 0; k < n; k++) {
    pairs[2 * found] = a[k], pairs[2 * found + 1] = b[k];
    found += dls_rims_meet(rims + a[k], rims + b[k]);
  }
  return found;
}

static void meet(int n, const int *a, const int *b, int stride, const dls_spot2 *spots,
                 const double *u, const double *f, const dls_meets2 *out) {
  for (int k = 0; k < n; k++, a += stride, b += stride) dls_meet_disks(*a, *b, spots, u, f, k, out);
}

static int pick(int n, const dls_meets2 *of, double closed, double early, double time,
                const int *was, int *picked) {
  int found = 0;
  for (int k = 0; k < n; k++) {
    picked[found] = k;
    found += !(dls_stays_open(of, k, closed, early, time) & (was[k] < 0));
  }
  return found;
}

static void rods(int n, const int *a, const int *b, const dls_rod *all, double *over) {
  for (int k = 0; k < n; k++) over[k] = dls_rods_over(all + a[k], all + b[k]);
}

static void rod_gaps(int n, const int *a, const int *b, const dls_rod *all, double *gap) {
  for (int k = 0; k < n; k++) gap[k] = dls_gap_of_rods(all + a[k], all + b[k]);
}

static int touch(int n, const int *a, const int *b, const dls_rod *all, const double *margin,
                 unsigned char *count, dls_touch *out) {
  int found = 0;
  for (int k = 0; k < n; k++) {
    const int more = dls_rods_touch(all + a[k], all + b[k], margin[k], false, out + found);
    count[k] = (unsigned char)more;
    found += more;
  }
  return found;
}

static const dls_gap_lanes plain = {"plain", disks, meet, near, pick, rods, rod_gaps, touch};

static const dls_gap_lanes *const by_isa[DLS_ISA_COUNT] =
    DLS_BY_ISA(plain, dls_gap_lanes_avx2, dls_gap_lanes_avx2);

const dls_gap_lanes *dls_gap_lanes_at(int i) { return i >= 0 && i <= dls_isa() ? by_isa[i] : NULL; }

const dls_gap_lanes *dls_gap_lanes_best(void) { return by_isa[dls_isa()]; }
