/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_FACTOR_H
#define DLS_CONE_FACTOR_H

#include "core/cone/system.h"

/* Block LU of matrices with the (symmetric) block pattern of a system,
**
**     K = X (A + E) + Y,   X, Y block diagonal (d x d a group), E diagonal,
**
** without pivoting between blocks: Newton's matrices (X, Y derivatives of the laws) and, with X =
** 1, Y = 0, the shifted matrix of ADMM. K = L D U with D's blocks in L, U's of the diagonal 1.
** Blocks are ordered by minimum degree once, rows of A, L and U kept as runs of columns in that
** order; blocks that are zero at run time (groups without contact) cost nothing. Source: George &
** Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981. */
typedef struct dls_cone_factor {
  const dls_cone_system *sys; /* borrowed                                                   */
  bool ready;                 /* false: the fill did not fit; no factor can be made         */
  double cost;                /* multiplications of one factor, about                       */
  bool unit;                  /* the last K had X: its rows are of order one               */
  int *order, *place;         /* m groups: order[k] = that eliminated k-th; its inverse     */
  int *u_start, *u_col;       /* m + 1; u_start[m]: places right of the diagonal, ascending */
  int *l_start, *l_col;       /* m + 1; l_start[m]: places left of the diagonal, ascending  */
  size_t *u_at, *l_at;        /* m + 1: first value of each row                             */
  int *column;                /* m + 1: first column of each place, groups in their order   */
  int *run_start, *run;       /* m + 1; of each row of U runs: first column, how many       */
  int *l_run_start, *l_run;   /* the same of L                                              */
  int *a_run_start, *a_run;   /* the same of A, with the diagonal block                     */
  double *u, *l;              /* u_at[m], l_at[m]: by runs; l_ki = K_ki less what is eliminated */
  size_t *a_at;               /* m + 1: first value of each row of A                        */
  /* a_at[m]: A by places; in it and U zeros make each run a multiple of four columns */
  double *a;
  double *inv;                /* m blocks of d x d: inverted pivots, at sys->diag_at        */
  double *work;               /* one block row, n columns, and three more numbers           */
} dls_cone_factor;

/* Orders and finds the fill. DLS_FULL where the arena is short of dls_cone_factor_bytes. */
dls_status dls_cone_factor_plan(const dls_cone_system *sys, dls_arena *tmp, dls_cone_factor *f);
size_t dls_cone_factor_bytes(const dls_cone_problem *problem);

/* Factors K; X, Y hold d x d blocks at sys->diag_at (NULL: X = 1, Y = 0), E n numbers.
** Returns the number of pivot blocks that had to be lifted because they were singular. */
int dls_cone_factor_make(dls_cone_factor *f, const double *X, const double *Y, const double *E);

/* x <- K^-1 x. */
void dls_cone_factor_solve(const dls_cone_factor *f, double *x);

#endif
