/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_SPARSE_ORDER_H
#define DLS_MATH_SPARSE_ORDER_H

#include "core/math/sparse.h"

/* A fill-reducing order of a symmetric matrix: approximate minimum degree on the quotient graph, in
** which an eliminated variable stays as an element, the clique of its neighbours. Lowest index on
** ties. Source: Amestoy, Davis & Duff, SIAM J. Matrix Anal. Appl. 17, 1996 (degrees, section 4),
** without supervariables. */
size_t dls_sparse_order_bytes(size_t n, size_t nnz); /* rows and entries of A */

/* order[k] is the k-th row to be eliminated. Only the pattern of A is read, which must be
** symmetric. DLS_FULL tmp too small. */
dls_status dls_sparse_order(const dls_sparse *A, int *order, dls_arena *tmp);

#endif
