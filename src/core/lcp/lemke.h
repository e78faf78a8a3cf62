/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_LEMKE_H
#define DLS_LCP_LEMKE_H

#include "core/lcp/basis.h"

/* Lemke's method for any M, lexicographic, so that degenerate problems end (ties by a generic
** right side first: dls_basis_tilt).
**
**     w = M z + q + d t,  d > 0:   from t large enough along a path of complementary bases to
**                                  t = 0 (solved) or to a ray
**
** on the tableau up to n = 300 (lemke_tableau.h); beyond, and where that does not lead to an answer
** within the tolerance, after equilibration of rows and columns (scaling.h), in factor form
** (basis.h). On a ray whose direction y >= 0 shows  M' y <= 0, q' y < 0  no z has w >= 0 at all,
** and the method ends with DLS_RAY; on any other ray, and where a path grows too long, it starts
** again with another covering vector d (four in all). Bimatrix games go by paths of their own
** (lemke_game.h) before that. The last basis is solved again from M and q.
**   opts->start       where the basic solution of { start_i > 0 } solves, it is the answer
**   opts->max_pivots  over all covering vectors; 0: 50 n, at least 100, for each
** Outcomes: DLS_SOLVED, DLS_RAY, DLS_LIMIT. z is the best answer reached by residual.
** Source: Cottle, Pang & Stone 2009, sec. 4.4, 4.7, 4.9. */
dls_status dls_lcp_lemke(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                         double *w, dls_lcp_report *report);
size_t dls_lcp_lemke_bytes(const dls_lcp *p);

/* The parts of it that a path in a load parameter starts with. */
#define DLS_LEMKE_COVERS 4

typedef enum dls_lemke_end {
  DLS_LEMKE_SOLVED, /* t has left: the basis is complementary                      */
  DLS_LEMKE_RAY,    /* no entry of the entering column is positive                 */
  DLS_LEMKE_LIMIT   /* max_pivots, or a pivot that is zero to working accuracy      */
} dls_lemke_end;

/* The attempt-th covering vector (from 0): ones; rising; falling; what q lacks. */
void dls_lemke_cover(int n, const double *q, int attempt, double *d);

/* The path from all w basic (dls_basis_begin or _restart with d); *entering is the variable whose
** column made the ray, *n_pivots is added to. */
dls_lemke_end dls_lemke_follow(dls_basis *b, const double *d, int max_pivots, int *n_pivots,
                               int *entering);

#endif
