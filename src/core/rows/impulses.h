/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_IMPULSES_H
#define DLS_ROWS_IMPULSES_H

#include "core/rows/mass.h"

/* From Jacobians to M^-1 J' and own W, and from impulses to velocities. */

/* Rows i .. i + n - 1, a block's: M^-1 J' and the own W. */
void dls_prepare_rows(dls_rows *rows, const dls_block *block, int n);

/* M^-1 J' and own W of all blocks from J and the masses; of compact ones (special.h), with their J,
** gamma and length, only where these are not to stay so. */
void dls_rows_prepare(dls_rows *rows, bool stay_compact);

/* u += M^-1 J' p of one block, on bodies that move by themselves. */
void dls_push_block(dls_rows *rows, const dls_block *block);

/* u = u_free + M^-1 J' p of all blocks in order, trees included. */
void dls_apply_impulses(dls_rows *rows);

/* u = u_free + M^-1 J' p of the island whose blocks these are, and whose moving bodies are body[0
** .. n_bodies - 1]; all blocks are written out. */
void dls_push_island(dls_rows *rows, const int *blocks, int n, const int *body, int n_bodies);

#endif
