/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_LEAN_ROWS_H
#define DLS_ROWS_LEAN_ROWS_H

#include "core/rows/mass.h"

/* Blocks in order: those that are written out, and in between runs of lean ones (lean.h), which are in the plane and
** whose rows stand one behind the other. All loops over them are
**
**     for (int run = 0, k = 0;; k = dls_run_end(rows, run++)) {
**       for (const int end = dls_whole_until(rows, run); k < end; k++) ... block k
**       if (run == rows->n_lean) break;
**       ... the run
**     } */

/* Where the blocks that are written out end before a run; where the run ends. */
static inline int dls_whole_until(const dls_rows *rows, int run) {
  return run < rows->n_lean ? rows->lean_run[2 * run] : rows->n_blocks;
}
static inline int dls_run_end(const dls_rows *rows, int run) { return rows->lean_run[2 * run + 1]; }

/* Whether a planar block that is written out is one for rows/round.h. */
bool dls_is_round_contact(const dls_rows *rows, const dls_block *block);

/* J, M^-1 J' and all else of those of n blocks that are lean; they stay lean. */
void dls_write_out_blocks(dls_rows *rows, const int *blocks, int n);

/* The same of all blocks, none of which is lean any more. */
void dls_write_out_all(dls_rows *rows);

/* u += M^-1 J' p of a lean block, of a run. */
void dls_push_lean_block(const dls_rows *rows, const dls_block *block);
void dls_push_lean(const dls_rows *rows, int run);

#endif
