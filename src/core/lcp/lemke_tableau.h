/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_LEMKE_TABLEAU_H
#define DLS_LCP_LEMKE_TABLEAU_H

#include "core/lcp/lcp.h"

/* Lemke's method on a tableau, as it stands in the books: for problems whose tableau fits the cache
** and whose numbers ask for no care. Covering vector d_i = sqrt(M_ii) (1 where that is not
** positive), no scaling, one rank-one change a pivot, ties by the lexicographic order of (q, tilt,
** I) B^-1 (basis.h). Source: Cottle, Pang & Stone 2009, sec. 4.4 and 4.9. */
#define DLS_LEMKE_TABLEAU_MAX 300

size_t dls_lemke_tableau_bytes(int n);

/* Answers the number of pivots and fills z, solved again from M and q, which is to be judged; or -1
** where the path ended on a ray, grew long, or there is no room: lemke.c takes its time then. */
int dls_lemke_tableau(const dls_lcp *p, dls_stop *stop, dls_arena *tmp, double *z);

#endif
