/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_DENSE_H
#define DLS_MATH_DENSE_H

#include "core/base/stop.h"
#include "core/math/lanes.h"

/* Factorisations and solves of dense row-major matrices on the kernels of math/lanes.h: same bits
** on every path and for every block size, since each element is one chain in ascending order.
** ld is the distance of the rows: dls_lanes_ld(n) or any multiple of 8 >= n; the columns from n up
** to the next multiple of 8 are worked on as well and must hold numbers (zeros).
** Source: Golub & Van Loan, Matrix Computations, 4th ed., ch. 3-5. */

/* A = R'R, in place of the upper triangle (the lower one is not read, and is lost). Answers -1, or
** the first row whose pivot is not > 0, which *pivot then holds; rows above are done. */
int dls_dense_cholesky(int n, double *R, size_t ld, double *pivot);

/* The same, and dls_dense_lu, for the large ones that somebody may want to end (base/stop.h): n
** where that happened. */
int dls_dense_cholesky_stop(int n, double *R, size_t ld, double *pivot, dls_stop *stop);
int dls_dense_lu_stop(int n, double *A, size_t ld, int *perm, dls_stop *stop);

/* In place: b <- R'^-1 b,  b <- R^-1 b. */
void dls_dense_forward(int n, const double *R, size_t ld, double *b);
void dls_dense_backward(int n, const double *R, size_t ld, double *b);

/* The first for m right sides, the columns of the n x m matrix B (rows ldb apart, padded as
** above). */
void dls_dense_forward_many(int n, const double *R, size_t ld, int m, double *B, size_t ldb);

/* Is the symmetric A semidefinite, to 1e-10 of each diagonal? A is n x n, lda apart, borrowed; R
** is n rows ld apart, overwritten. false: row and pivot (or the entry beside a zero diagonal) in
** the fault; false, too, where it was stopped. */
bool dls_dense_semidefinite(int n, const double *A, size_t lda, double *R, size_t ld,
                            dls_stop *stop, dls_fault *fault);

/* P A = L U, in place, partial pivoting: row i of P A is row perm[i] of A. Answers -1, or the first
** column without a pivot (all zero or not a number). */
int dls_dense_lu(int n, double *A, size_t ld, int *perm);

/* x = A^-1 b from the factors; x and b must not overlap. */
void dls_dense_lu_solve(int n, const double *LU, size_t ld, const int *perm, const double *b,
                        double *x);

/* P A P' = R'R for A symmetric positive semidefinite, the largest diagonal first (lowest index on
** ties), until it is <= tol: answers the rank. The first rank rows of R are rank x n, row i and
** column i belonging to perm[i]; both triangles of A are read and lost. */
int dls_dense_cholesky_pivoted(int n, double *A, size_t ld, double tol, int *perm);

/* Of the first `rank` pivots of P A P' = R'R (n rows) so many as are above `pivot`, if what they leave
** of b is at most `left` in every row behind them; else rank. b, left: n, in the order of pivots; y:
** R'^-1 b of the first rank rows. */
int dls_dense_clear_rank(int n, int rank, const double *R, size_t ld, const double *b,
                         const double *y, double pivot, const double *left);

#endif
