/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_RUNS_H
#define DLS_MATH_RUNS_H

#include "core/math/lanes.h"

/* Sparse rows as runs of columns: `first, how many` of each run, ascending, none beside the next.
** Their numbers stand one run after the other, each as a multiple of four columns that ends in
** zeros, as dls_lanes.gemm_runs has them. Several rows with the same runs are a row-major matrix
** of dls_runs_width columns. */

/* `width` columns from `first` on behind those of a row so far, n runs of it: answers how many runs
** they are then. */
static inline int dls_runs_add(int first, int width, int *run, int n) {
  if (n > 0 && run[2 * n - 2] + run[2 * n - 1] == first) {
    run[2 * n - 1] += width;
    return n;
  }
  run[2 * n] = first;
  run[2 * n + 1] = width;
  return n + 1;
}

/* Numbers of a row. */
static inline size_t dls_runs_width(const int *run, int n) {
  size_t width = 0;
  for (int b = 0; b < n; b++) width += (size_t)dls_lanes_fours(run[2 * b + 1]);
  return width;
}

/* The columns of n runs of d full rows, ld apart, to zero. */
static inline void dls_runs_clear(int d, const int *run, int n, double *rows, size_t ld) {
  for (int b = 0; b < n; b++)
    for (int i = 0; i < d; i++)
      memset(rows + (size_t)i * ld + run[2 * b], 0, (size_t)run[2 * b + 1] * sizeof *rows);
}

/* A place in a row: a run, and the number that is its first. */
typedef struct dls_runs_place {
  int run;   /* which   */
  size_t at; /* in the row */
} dls_runs_place;

/* Goes on to the run that has a column of the row, which has not been passed; answers the column's
** number in the row. */
static inline size_t dls_runs_seek(const int *run, int column, dls_runs_place *place) {
  while (column >= run[2 * place->run] + run[2 * place->run + 1])
    place->at += (size_t)dls_lanes_fours(run[2 * place->run++ + 1]);
  return place->at + (size_t)(column - run[2 * place->run]);
}

/* C -= A B for the columns from `column` on, which the place has (what is before it in C, by three
** columns at most, is lost): B of n runs, ldb numbers a row; C's columns are numbered as the runs'.
** m x k: A, up to 6. */
static inline void dls_runs_subtract(const dls_lanes *lanes, int m, int k, const double *A,
                                     size_t lda, const double *B, size_t ldb, const int *run, int n,
                                     const dls_runs_place *place, int column, double *C,
                                     size_t ldc) {
  const int *at = run + 2 * place->run, skip = (column - at[0]) & ~3;
  const int part[2] = {at[0] + skip, at[1] - skip};
  lanes->gemm_runs(m, k, A, lda, B + place->at + skip, ldb, part, 1, C, ldc);
  if (place->run + 1 < n)
    lanes->gemm_runs(m, k, A, lda, B + place->at + dls_lanes_fours(at[1]), ldb, at + 2,
                     n - place->run - 1, C, ldc);
}

#endif
