/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_SPECIAL_H
#define DLS_ROWS_SPECIAL_H

#include "core/rows/mass.h"

/* Blocks of a special case, whose rows follow from a few numbers that a room of its own keeps
** (core/disks): they have impulses, shifts and velocities as all blocks have, and J, M^-1 J', W,
** gamma and length only where a method wants them. An island of nothing else has sweeps of its own.
** Rows know no more of the case than this table. */
struct dls_special {
  /* Whether the sweeps of the case take a block that is written out, too. */
  bool (*fits)(const dls_rows *rows, const dls_block *block);
  /* J, gamma and length of compact block k. */
  void (*write)(dls_rows *rows, int k);
  /* u += M^-1 J' p of compact blocks first to end - 1. */
  void (*push)(const dls_rows *rows, int first, int end);
  /* r of compact block k at the u at hand (residual.h), m/s. */
  double (*residual)(const dls_rows *rows, int k);
  /* The largest r of compact blocks first to end - 1, whose v are filled; their largest |J
  ** u_free|. */
  double (*residuals)(dls_rows *rows, int first, int end);
  double (*scale)(const dls_rows *rows, int first, int end);
  /* Sweeps of an island of the case until the residual seems to hold (*near), rounding hides what
  ** is left, or `most` are *done. limit: m/s. The impulses get better; velocities follow them
  ** unless they are near and not `strict`. If impulses stop to be numbers, they stay as they were.
  ** DLS_FULL: rows->need. */
  dls_status (*sweep)(dls_rows *rows, const int *blocks, int n, double limit, int most, bool strict,
                      dls_arena *tmp, int *done, bool *near);
};

enum { DLS_GROUPED = 12 }; /* contacts from which on groups of lanes are worth it */

/* Blocks in order: those that are written out, and in between runs of compact ones. All loops over
** them are
**
**     for (int run = 0, k = 0;; k = dls_run_end(rows, run++)) {
**       for (const int end = dls_whole_until(rows, run); k < end; k++) ... block k
**       if (run == rows->n_compact) break;
**       ... the run
**     } */

/* Where the blocks that are written out end before a run; where the run ends. */
static inline int dls_whole_until(const dls_rows *rows, int run) {
  return run < rows->n_compact ? rows->compact_run[2 * run] : rows->n_blocks;
}
static inline int dls_run_end(const dls_rows *rows, int run) {
  return rows->compact_run[2 * run + 1];
}

/* Blocks first to end - 1 are compact: behind all that were noted before. */
void dls_note_compact(dls_rows *rows, int first, int end);

/* Whether the sweeps of the case take all of n blocks, and these are enough of them. */
bool dls_all_special(const dls_rows *rows, const int *blocks, int n);

/* J, M^-1 J' and all else of those of n blocks that are compact; they stay so. */
void dls_write_out_blocks(dls_rows *rows, const int *blocks, int n);

/* The same of all blocks, none of which is compact any more. */
void dls_write_out_all(dls_rows *rows);

#endif
