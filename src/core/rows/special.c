/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/special.h"

#include "core/rows/impulses.h"

void dls_note_compact(dls_rows *rows, int first, int end) {
  int *run = rows->compact_run + 2 * rows->n_compact;
  if (first == end) return;
  if (rows->n_compact > 0 && run[-1] == first) {
    run[-1] = end;
    return;
  }
  run[0] = first, run[1] = end;
  rows->n_compact++;
}

bool dls_all_special(const dls_rows *rows, const int *blocks, int n) {
  if (n < DLS_GROUPED) return false;
  for (int k = 0; k < n && rows->n_general > 0; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (!block->special || (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_UNILATERAL))
      return false;
  }
  return true;
}

static void write_out(dls_rows *rows, int k) {
  rows->special->write(rows, k);
  dls_prepare_rows(rows, &rows->block[k], rows->block[k].n);
}

void dls_write_out_blocks(dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; k < n && rows->n_compact > 0; k++)
    if (rows->block[blocks[k]].compact) write_out(rows, blocks[k]);
}

void dls_write_out_all(dls_rows *rows) {
  for (int run = 0; run < rows->n_compact; run++)
    for (int k = rows->compact_run[2 * run]; k < dls_run_end(rows, run); k++) {
      write_out(rows, k);
      rows->block[k].compact = false;
    }
  rows->n_compact = 0;
}
