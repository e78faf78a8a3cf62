/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_MIXED_H
#define DLS_LCP_MIXED_H

#include "core/lcp/lcp.h"

/* What pivots of equations are chosen by, and equations that others nearly are: those whose pivots
** are below `pivot` of their size count as dependent, if what the others leave of their b is at
** most `left`. */
typedef struct dls_nearly_dependent {
  const double *size; /* n: at least W_ii     */
  double pivot;       /* share of the size    */
  const double *left; /* n: in the units of b */
} dls_nearly_dependent;

/* A complementarity problem of which some rows are equations:  v = W p + b  with W symmetric
** positive semidefinite,
**
**     v_B = 0,    0 <= p_U  _|_  v_U >= 0.
**
** B is eliminated by a Cholesky factor with pivots of W_BB made unit on its diagonal (equations
** that depend on others get no impulse), U is solved by block principal pivoting (block.h) on the
** Schur complement
**
**     M = W_UU - W_UB W_BB^-1 W_BU,    q = b_U - W_UB W_BB^-1 b_B.
**
** An inequality of which the equations leave nothing but round-off gets no impulse.
**
**   holds   n: the row is an equation
**   own     n: the diagonal of W before anything was taken from it, for its round-off
**   nearly  which pivots come first (NULL: the largest shares of W_ii), and which equations
**           count as dependent beyond round-off (NULL: none)
**   tolerance   of the largest |b|
**   p       n: the answer; *solved tells whether block pivoting got below the tolerance
** DLS_FULL: tmp needs dls_mixed_lcp_bytes(n). */
dls_status dls_mixed_lcp(int n, const bool *holds, const double *own, const double *W,
                         const double *b, const dls_nearly_dependent *nearly, double tolerance,
                         dls_arena *tmp, double *p, bool *solved);
size_t dls_mixed_lcp_bytes(int n);

#endif
