/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/source.h"

void dls_disks_note(dls_disk_stage *D, int block, int n, int contact) {
  dls_disk_run *run = D->run + D->n_runs;
  if (n == 0) return;
  if (D->n_runs > 0 && run[-1].block + run[-1].n == block &&
      run[-1].contact + run[-1].n == contact) {
    run[-1].n += n;
    return;
  }
  *run = (dls_disk_run){block, n, contact};
  D->n_runs++;
}

void dls_disks_renumber(dls_disk_stage *D) {
  D->n_runs = 0;
  for (int k = 0; D->source && k < D->rows->n_blocks; k++)
    if (dls_disks_has(D, k)) dls_disks_note(D, k, 1, D->rows->block[k].source);
}

int dls_disks_forget(dls_disk_stage *D, const dls_disk_run *run) {
  const double *p = D->rows->p + D->rows->block[run->block].row; /* two rows each */
  const int *k = D->speculative + D->forgotten, *const last = D->speculative + D->n_speculative;
  int gone = 0;
  for (; k < last && *k < run->block + run->n; k++) {
    const bool presses = p[2 * (*k - run->block)] > 0;
    D->source[*k].mark ^= presses * DLS_DISK_SPECULATIVE;
    gone += !presses;
  }
  D->forgotten = (int)(k - D->speculative);
  return gone;
}
