/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_SCALING_H
#define DLS_LCP_SCALING_H

#include "core/lcp/lcp.h"

/* Equilibration that keeps complementarity. With r, c > 0 and the scale s of the right side,
**
**     M' = diag(r) M diag(c),   q' = diag(r) q / s,   z = s diag(c) z',   w = s diag(1/r) w',
**
** LCP(M', q') and LCP(M, q) are one problem. r and c bring the largest entry of every row and
** column of M' near 1 (a few rounds of square roots of the maxima; r = c where M is symmetric),
** s that of q'. All factors are powers of two: scaling and undoing it are exact.
** Source: Ruiz, A scaling algorithm to equilibrate both rows and columns norms, RAL 2001. */
typedef struct dls_lcp_scaling {
  int n;            /* size                                                          */
  double *row;      /* n, r                                                          */
  double *col;      /* n, c                                                          */
  double s0, s1;    /* s = s0 s1; two factors, for their product may overflow        */
} dls_lcp_scaling;

/* The power of two at or below |x|; 1 for zero. */
double dls_pow2_below(double x);

/* What dls_lcp_scaling_take needs of an arena, and the taking of row and col; false: it is full. */
size_t dls_lcp_scaling_bytes(int n);
bool dls_lcp_scaling_take(dls_lcp_scaling *scaling, int n, dls_arena *tmp);

/* Finds r and c from M (n x n, row-major), s from q.
**   tmp   n numbers each for two maxima: 2 dls_arena_bytes(n, sizeof(double)), left as found
** DLS_FULL tmp too small. */
dls_status dls_lcp_scaling_find(dls_lcp_scaling *scaling, const double *M, const double *q,
                                dls_arena *tmp);

/* The factor s such that diag(r) q / s is near 1, for another right side. */
void dls_lcp_scaling_rhs(dls_lcp_scaling *scaling, const double *q);

/* diag(r) q / s */
void dls_lcp_scaling_q(const dls_lcp_scaling *scaling, const double *q, double *scaled);

/* One z_i from z'_i, and all of them: s diag(c) z'. In place is fine. */
double dls_lcp_scaling_one(const dls_lcp_scaling *scaling, int i, double scaled);
void dls_lcp_scaling_z(const dls_lcp_scaling *scaling, const double *scaled, double *z);

#endif
