/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_TREE_ROWS_H
#define DLS_ROWS_TREE_ROWS_H

#include "core/base/arena.h"
#include "core/rows/coupling.h"

/* Rows on bodies in trees: they meet through the forest's factor, J M^-1 J', and an impulse on one
** link moves the whole tree. */

static inline bool dls_in_tree(const dls_rows *rows, int body) {
  return rows->tree && rows->tree[body] >= 0;
}

/* Whether a block acts on a tree; whether one of n blocks does. */
bool dls_touches_tree(const dls_rows *rows, const dls_block *block);
bool dls_island_in_tree(const dls_rows *rows, const int *blocks, int n);

/* Whether a block is an equation of one row that is not much stiffer than bodies are heavy, gamma
** >= 1e-4 W, between bodies that move by themselves. */
bool dls_is_soft_equation(const dls_rows *rows, const dls_block *block);

/* Whether sweeps over bodies cannot take the blocks: they act on trees, or on four bodies. */
bool dls_must_assemble(const dls_rows *rows, const int *blocks, int n);

/* out += p J' of one body as a wrench (moment, force) on its link, 6 numbers. */
void dls_add_wrench(int nu, const double *J, double p, double *out);

/* W (m x m, of the rows of n blocks in order) += the trees' part; the blocks' own W in rows->W
** follow. DLS_FULL: rows->need. */
dls_status dls_add_trees(dls_rows *rows, const int *blocks, int n, int m, dls_arena *tmp,
                         double *W);

/* J M^-1 J' of a row on one body, and of row i of a block, about, if no tree held their bodies. */
double dls_arm_alone(const dls_rows *rows, const dls_arm *arm);
double dls_row_alone(const dls_rows *rows, const dls_block *block, int i);

/* Whether a row, 2 nu numbers on bodies a and b, moves nothing: both stand still or are held by
** trees that do. */
bool dls_is_pinned(const dls_rows *rows, const double *J, int a, int b);

/* u of the bodies in trees: u_free, and what all impulses change. */
void dls_apply_to_trees(dls_rows *rows);

#endif
