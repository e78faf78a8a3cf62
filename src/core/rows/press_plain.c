/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/press_lanes.h"

static void disks(int n, const int *pairs, const dls_spot2 *spots, const unsigned char *holds,
                  const dls_press_sight *by, dls_press *out, int *odd, dls_press_found *found) {
  for (int k = 0; k < n; k++) dls_press_two(spots, pairs[2 * k], pairs[2 * k + 1], k, holds[k], by, out, odd, found);
}

static double worst(int n, const int *pairs, const dls_spot2 *spots) {
  double most = 0;
  for (int k = 0; k < n; k++) most = dls_max(dls_press_depth(spots + pairs[2 * k], spots + pairs[2 * k + 1]), most);
  return most;
}

#define LANES 4
#define PRESS_NAME "plain"
#define PRESS_TABLE dls_press_lanes_plain
#include "core/rows/press.inc.h"
