/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/disks.h"

#include "core/disks/compact.h"
#include "core/disks/sweep.h"

static const dls_special special = {.fits = dls_disks_fit, .write = dls_disks_write, .push = dls_disks_push,
                                    .residual = dls_disks_residual, .residuals = dls_disks_residuals,
                                    .scale = dls_disks_scale, .sweep = dls_sweep_disks};

size_t dls_disks_bytes(int blocks) { return dls_arena_bytes((size_t)blocks, sizeof(dls_disk_contact)); }

dls_status dls_disks_lend(dls_rows *rows, int blocks, dls_arena *tmp) {
  rows->special = &special;
  rows->compact = DLS_TAKE(tmp, dls_disk_contact, blocks);
  return rows->compact ? DLS_OK : DLS_FULL;
}
