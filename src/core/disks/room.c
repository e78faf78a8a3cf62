/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/disks.h"

#include "core/disks/compact.h"
#include "core/disks/sweep.h"

static const dls_special special = {.fits = dls_disks_fit, .write = dls_disks_write,
                                    .push = dls_disks_push, .residual = dls_disks_residual,
                                    .residuals = dls_disks_residuals, .scale = dls_disks_scale,
                                    .sweep = dls_sweep_disks};

dls_status dls_disks_lend(dls_rows *rows, int blocks, dls_arena *tmp) {
  rows->special = &special;
  rows->compact = DLS_TAKE(tmp, dls_disk_contact, blocks);
  return rows->compact ? DLS_OK : DLS_FULL;
}

/* The arrays of the stage: name, type, how many. */
#define ARRAYS(X, bodies, pairs, contacts, blocks) \
  X(spot, dls_spot2, (bodies))                     \
  X(meets.gap, double, (pairs))                    \
  X(meets.nx, double, (pairs))                     \
  X(meets.ny, double, (pairs))                     \
  X(meets.v_free, double, (pairs))                 \
  X(meets.v_before, double, (pairs))               \
  X(meets.size, double, (pairs))                   \
  X(source, dls_disk_source, (blocks))             \
  X(run, dls_disk_run, (contacts) + 1)             \
  X(speculative, int, (contacts) + 1)

size_t dls_disks_bytes(size_t bodies, size_t pairs, size_t contacts, size_t blocks) {
  size_t total = dls_arena_bytes(blocks, sizeof(dls_disk_contact));
#define ADD(name, type, n) total = dls_bytes_add(total, dls_arena_bytes((n), sizeof(type)));
  ARRAYS(ADD, bodies, pairs, contacts, blocks)
#undef ADD
  return total;
}

dls_status dls_disks_take(dls_disk_stage *D, int bodies, int pairs, int contacts, int blocks,
                          dls_arena *tmp) {
  bool full = false;
#define TAKE(name, type, n) full = (D->name = DLS_TAKE(tmp, type, n)) == NULL || full;
  ARRAYS(TAKE, bodies, pairs, contacts, blocks)
#undef TAKE
  return full ? DLS_FULL : dls_disks_lend(D->rows, blocks, tmp);
}
