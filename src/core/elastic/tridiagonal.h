/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ELASTIC_TRIDIAGONAL_H
#define DLS_ELASTIC_TRIDIAGONAL_H

#include "core/base/arena.h"

/* Linear complementarity with a symmetric tridiagonal Stieltjes matrix, in time linear in n:
**
**     w = A z + q,   0 <= z _|_ w >= 0,
**     A_jj = diagonal_j > 0,   A_j,j+1 = A_j+1,j = -coupling_j <= 0.
**
** In such a matrix no index that is taken up ever leaves again, so that Kolesnikov's energy
** criterion makes exactly one pivot per positive z. The same set is found here by going through
** the rows once. Taken-up rows form runs; a run is condensed to the two numbers its neighbours
** feel (its first and last z as functions of the z on either side), so taking up a row and joining
** two runs cost a fixed number of operations. A new row on the right can make the row left of its
** run negative: that one is taken up at once, and so on to the left. Each row is taken up once.
** At the end every run is solved by elimination.
**
** A row counts as negative where w_j < -1e-12 s_j, s_j = |q_j|, or max |q| where q_j = 0
** (EQUATIONS A.1, the tolerance of the energy criterion).
** Source: C. W. Cryer, The efficient solution of linear complementarity problems for tridiagonal
** Minkowski matrices, ACM Trans. Math. Software 9, 1983; Cottle, Pang & Stone 2009, 4.8. */
typedef struct dls_tridiagonal {
  int n;                  /* rows, >= 0                          */
  const double *diagonal; /* n, > 0, borrowed                    */
  const double *coupling; /* n - 1, >= 0, borrowed               */
  const double *q;        /* n, borrowed                         */
} dls_tridiagonal;

/* z, w out (n each), complementary to the last bit: one of z_j, w_j is exactly zero. The number
** of pivots, which is that of positive z, in *pivots.
** DLS_FULL where tmp is smaller than dls_tridiagonal_bytes(n). */
size_t dls_tridiagonal_bytes(int n);
dls_status dls_tridiagonal_solve(const dls_tridiagonal *p, dls_arena *tmp, double *z, double *w,
                                 int *pivots);

#endif
