/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/position_lanes.h"

static void disks(int n, const int *pairs, const dls_spot2 *spots, const unsigned char *holds,
                  const dls_position_sight *by, dls_position_contact *out, int *general, dls_position_found *found) {
  for (int k = 0; k < n; k++)
    dls_position_look_at(spots, pairs[2 * k], pairs[2 * k + 1], k, holds[k], by, out, general, found);
}

static double worst(int n, const int *pairs, const dls_spot2 *spots) {
  double most = 0;
  for (int k = 0; k < n; k++)
    most = dls_max(dls_position_overlap(spots + pairs[2 * k], spots + pairs[2 * k + 1]), most);
  return most;
}

#ifdef DLS_PLAIN_C
#define LANES 1
#else
#define LANES 4
#endif
#define POSITION_NAME "plain"
#define POSITION_TABLE dls_position_lanes_plain
#include "core/disks/position_lanes.inc.h"
