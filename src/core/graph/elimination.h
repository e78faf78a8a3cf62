/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_GRAPH_ELIMINATION_H
#define DLS_GRAPH_ELIMINATION_H

#include "core/math/sparse.h"

/* Ascending. */
void dls_sort_ints(int *x, int n);

/* The pattern of a factor by blocks, of a symmetric pattern A in an order of elimination: place k
** fills the later places col[start[k] .. start[k + 1] - 1], ascending, its own neighbours and those
** of the places that wait for it first (its children in the elimination tree). order: by place;
** place_of: the other way round; start: n + 1; col: `room`; scratch: 3 n. Answers start[n], -1
** where room is short. Source: T. A. Davis, Direct Methods for Sparse Linear Systems, SIAM 2006,
** chapters 4 and 6. */
int dls_elimination_patterns(const dls_sparse *A, const int *order, const int *place_of, int *start,
                             int *col, int room, int *scratch);

#endif
