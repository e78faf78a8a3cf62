/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_BLOCK_DESCENT_H
#define DLS_LCP_BLOCK_DESCENT_H

#include "core/lcp/lcp.h"
#include "core/math/sparse_ldl.h"

/* Where block pivoting goes round in circles on a sparse problem: the minimum of
**
**     E(z) = 1/2 z'(M + shift I) z + q'z   over  z >= 0,
**
** by a descent that cannot. In turn: sweeps of projected Gauss-Seidel, which let indices in and
** out; and on F = {i : z_i > 0} the exact minimum, approached along the projected line max(z + t d,
** 0), t = 1, 1/2, 1/4, ... until E falls by its share. Both lower E or leave it; the sweeps alone
** converge where the matrix is positive definite, and the exact steps end it once F is right.
** Source: More & Toraldo, SIAM J. Optimization 1, 1991, with sweeps for projected gradients. */
typedef struct dls_block_descent {
  const dls_sparse *M;  /* n x n, symmetric, borrowed                               */
  const double *q;      /* n, borrowed                                              */
  const double *d;      /* n, diagonal of M                                         */
  double shift;         /* added to the diagonal, as M_ii                                    */
  double tol;           /* negative w up to this are zero                           */
  dls_sparse_ldl *ldl;  /* planned and with room; its S is changed                  */
  unsigned char *F;     /* n, scratch                                               */
  double *step, *move, *pull; /* n each, scratch                                    */
  int most;             /* steps at most                                            */
  int steps;            /* steps taken: added to                                    */
  double *z, *w;        /* n each: start (z >= 0) and answer, w = (M + shift I)z + q */
} dls_block_descent;

/* true: no w_i < -tol and M_FF z_F = -q_F; false: a singular M_FF, or too many steps. */
bool dls_block_descend(dls_block_descent *b);

#endif
