/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_SPARSE_H
#define DLS_MATH_SPARSE_H

#include "core/base/arena.h"

/* A sparse matrix by rows (CSR). Columns ascend within a row and occur once. */
typedef struct dls_sparse {
  int n_rows, n_cols;   /* lines, places in each */
  const int *start;     /* n_rows + 1: row i is entries start[i] .. start[i+1]-1; borrowed */
  const int *col;       /* start[n_rows], column of each entry; borrowed                   */
  const double *value;  /* the same, its value; borrowed                                   */
} dls_sparse;

/* y = A x; each row is summed in ascending order of columns. */
void dls_sparse_times(const dls_sparse *A, const double *x, double *y);

/* A_ij, 0 where it is not stored: a search by halves. */
double dls_sparse_at(const dls_sparse *A, int i, int j);

#endif
