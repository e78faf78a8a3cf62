/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SWEEPS_GAUSS_SEIDEL_H
#define DLS_SWEEPS_GAUSS_SEIDEL_H

#include "core/base/arena.h"
#include "core/rows/island.h"

/* Visits in velocity space (nonsmooth Gauss-Seidel): a visit solves one block exactly while the
** others wait, touches the velocities of two bodies and never forms W. Source: M. Jean, CMAME
** 177, 1999. */

/* Visits one block: the velocities of its bodies follow its impulses at once. Answers by how much
** that changed its own velocity, m/s. */
double dls_sweep_block(dls_rows *rows, const dls_block *block);

/* `count` sweeps over n blocks, to and fro. In the plane by blocks packed for it. DLS_FULL:
** rows->need. */
dls_status dls_sweep_to_and_fro(dls_rows *rows, const int *blocks, int n, int count,
                                dls_arena *tmp);
dls_status dls_sweep_to_and_fro_2(dls_rows *rows, const int *blocks, int n, int count,
                                  dls_arena *tmp);

#endif
