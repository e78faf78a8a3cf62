/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_RANKED_H
#define DLS_MATH_RANKED_H

#include "core/base/real.h"

/* A x = b (m x m, overwritten as b is), no matter what the rank of A is: Gauss with full pivoting
** on A equilibrated, diag(scale) A diag(scale). Answers the rank. What is left open is 0, or, where
** `share` is given, such that sum x_i^2 / share_i is least: share m numbers > 0, kernel m x m, perm
** m, x m. Source: Golub & Van Loan, Matrix Computations, 2013, sec. 3.4 (complete pivoting). */
int dls_ranked_solve(int m, double *A, double *b, const double *scale, int *perm, double *x);
int dls_ranked_solve_shared(int m, double *A, double *b, const double *scale, const double *share,
                            int *perm, double *kernel, double *x);

#endif
