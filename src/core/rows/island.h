/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_ISLAND_H
#define DLS_ROWS_ISLAND_H

#include "core/rows/mass.h"

/* What the methods that solve an island share. An island is given by the numbers of its blocks,
** blocks[0 .. n - 1]. */

enum { DLS_MOST_ROWS = 6 }; /* of a block, in either dimension */

/* Tolerances from which on they are rough: sweeps come there; from which on sweeps alone are faster
** than paths of exact solutions. */
#define DLS_ROUGH 1e-5
#define DLS_SWEPT 2e-4

/* Where W is no larger or smaller, single precision serves. */
#define DLS_SINGLE_LEAST 1e-12
#define DLS_SINGLE_MOST 1e12

/* Whether a body moves by itself. */
static inline bool dls_moves(const dls_rows *rows, int body) { return rows->inv_mass[body] > 0; }

/* Numbers the bodies that move in the order of the blocks: place[body], of rows->n_bodies, is
** filled for the blocks' bodies alone, -1 for those that do not move; body: by number, NULL where
** it is not wanted. Answers how many. */
int dls_number_bodies(const dls_rows *rows, const int *blocks, int n, int *place, int *body);

/* Rows of all blocks. */
int dls_count_rows(const dls_rows *rows, const int *blocks, int n);

/* Impulses of all blocks to `kept` and back, rows->nb numbers a block. Velocities stay as they are:
** who puts impulses back makes them anew (dls_push_island, dls_apply_impulses). */
void dls_keep_impulses(const dls_rows *rows, const int *blocks, int n, double *kept);
void dls_restore_impulses(dls_rows *rows, const int *blocks, int n, const double *kept);

/* The same one after the other, without gaps. */
void dls_pack_impulses(const dls_rows *rows, const int *blocks, int n, double *p);
void dls_unpack_impulses(dls_rows *rows, const int *blocks, int n, const double *p);

/* Each block's impulses to the nearest ones of its set. */
void dls_admit_all(dls_rows *rows, const int *blocks, int n);

/* Whether to come to an end: asked after so many visits of n blocks. Loops then run out by their
** ordinary exits. */
bool dls_given_up(const dls_rows *rows, int n, int visits);

static inline void dls_note_iterations(int done, int *iterations) {
  if (done > *iterations) *iterations = done;
}

/* DLS_FULL, and `more` bytes beside all of tmp as what is needed. */
dls_status dls_want(dls_rows *rows, const dls_arena *tmp, size_t more);

#endif
