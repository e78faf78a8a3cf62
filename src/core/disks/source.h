/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_SOURCE_H
#define DLS_DISKS_SOURCE_H

#include "core/disks/disks.h"

/* Bits of dls_disk_source.mark above those of DLS_MARK_... */
enum {
  /* the old contact did (DLS_TRACE_ACTS) */
  DLS_DISK_ACTED = 1 << 16,
  /* its restitution is > 0 */
  DLS_DISK_BOUNCES = 1 << 17,
  /* across a gap; once these are forgotten: it is no contact */
  DLS_DISK_SPECULATIVE = 1 << 18,
  DLS_DISK_MARKS = DLS_DISK_ACTED - 1
};

/* Blocks block .. block + n - 1 are disk contacts, and their contacts those from number `contact`
** on. */
void dls_disks_note(dls_disk_stage *D, int block, int n, int contact);

/* Where the impulse acts: the middle of the gap. */
static inline void dls_disk_point(const dls_spot2 *b, double nx, double ny, double gap,
                                  double point[2]) {
  const double arm = -(0.5 * gap + b->radius);
  point[0] = b->x + arm * nx, point[1] = b->y + arm * ny;
}

#endif
