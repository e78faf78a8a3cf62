/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_LEMKE_H
#define DLS_LCP_LEMKE_H

#include "core/lcp/lcp.h"

/* Lemke's method for any M, lexicographic, so that degenerate problems end.
**
**     w = M z + q + d t,  d > 0:   from t large enough along a path of complementary bases to
**                                  t = 0 (solved) or to a ray
**
** after equilibration of rows and columns (scaling.h), in factor form (basis.h). On a ray whose
** direction y >= 0 shows  M' y <= 0, q' y < 0  no z has w >= 0 at all, and the method ends with
** DLS_RAY; on any other ray, and where a path grows too long, it starts again with another covering vector d
** (four in all). The last basis is solved again from M and q.
**   opts->max_pivots  over all covering vectors; 0: 50 n, at least 100, for each
** Outcomes: DLS_SOLVED, DLS_RAY, DLS_LIMIT. z is the best answer reached by residual.
** Source: Cottle, Pang & Stone 2009, sec. 4.4, 4.7, 4.9. */
dls_status dls_lcp_lemke(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                         double *w, dls_lcp_report *report);
size_t dls_lcp_lemke_bytes(const dls_lcp *p);

#endif
