/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_BLOCK_FACTOR_H
#define DLS_LCP_BLOCK_FACTOR_H

#include "core/base/arena.h"
#include "core/math/dense.h"

/* (M + shift I)_SS x = b for changing index sets S, from one Cholesky factor of a base set B and
** Schur corrections for the indices C in which S and B differ:
**
**     [ M_BB  E ] [ x ]   [ b_B ]      E: columns M_Bi for i added, e_i for i removed,
**     [ E'    D ] [ t ] = [ b_C ]      D: M_ij for i, j added, else 0
**
** solved through R'R = M_BB, Y = R'^-1 E, T = D - Y'Y. The multiplier t of a removed index makes
** its x zero. A new factor is made where C grows beyond a quarter of B.
** Source: Gill, Murray, Saunders & Wright, SIAM J. Sci. Comput. 5, 1984 (Schur complement
** method). */
typedef struct dls_block_factor {
  int n;                /* size of M                                              */
  const double *M;      /* n x n, symmetric, borrowed                             */
  double shift;         /* added to the diagonal                                  */
  int n_base;           /* |B|; -1: no factor yet                                 */
  int n_change;         /* |C|                                                    */
  int n_change_max;     /* room for changes                                       */
  int *base;            /* n: B, ascending                                        */
  int *place;           /* n: place in B, -1 outside                              */
  int *change;          /* n_change_max: C                                        */
  unsigned char *is_changed; /* n                                                 */
  size_t ld, ldy;       /* row distances of R and of Y, T                         */
  double *R, *Y, *T;    /* n x n, n x n_change_max, n_change_max squared          */
  dls_stop *stop;       /* asked while factoring; NULL: nobody is                 */
  double *x, *t, *c;    /* n, n_change_max, n: scratch                            */
  int *perm;            /* n_change_max                                           */
} dls_block_factor;

size_t dls_block_factor_bytes(int n);
dls_status dls_block_factor_take(dls_block_factor *f, int n, const double *M, dls_arena *tmp);

/* Makes ready for S (n flags). false: M_SS + shift I is not positive definite by a margin of
** 1e-12 of its diagonal, and the next set starts anew. */
bool dls_block_factor_set(dls_block_factor *f, const unsigned char *S);

/* x_S = (M + shift I)_SS^-1 b_S, zero elsewhere (n numbers). false: the corrections were
** singular, and the next set starts anew. */
bool dls_block_factor_solve(dls_block_factor *f, const unsigned char *S, const double *b,
                            double *x);

#endif
