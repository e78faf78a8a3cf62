/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_ENUMERATE_H
#define DLS_LCP_ENUMERATE_H

#include "core/lcp/lcp.h"

/* Every basic solution of a small problem, any M.
**
** A complementary basis S says of each pair whether z_i (i in S) or w_i may be positive. The 2^n
** bases are the leaves of a tree: level by level one variable of the system  w - M z = q  is
** eliminated (partial pivoting over the rows left), so that neighbours share their work and a
** leaf costs a few operations; the values come backwards and the first negative one ends it. What
** remains is solved again from M itself and judged by its residual.
** A basis whose columns are dependent is treated as follows where its equations are consistent:
** one dependency gives both ends of the segment of its solutions (basic ones) and the point of
** least norm between; more of them give the point of least norm where it is not negative, and
** the basic point with the dependent variables at zero.
** Solutions come in the order of S read as a binary number, z_1 its lowest digit; each once.
** Source: Cottle, Pang & Stone 2009, sec. 1.3 (complementary cones); Murty 1988, sec. 1.4. */
#define DLS_LCP_ENUMERATE_MAX 20

/* None yet, growing with alloc; and the memory given back (may be called twice). */
dls_lcp_solutions dls_lcp_solutions_over(dls_alloc alloc);
void dls_lcp_solutions_destroy(dls_lcp_solutions *all);

/* All solutions into opts->solutions (whatever it held is forgotten), or only the first where that
** is NULL; the first also into z and w. Where there is none z = 0 and the outcome is DLS_RAY.
** report->pivots counts the bases seen.
** n <= DLS_LCP_ENUMERATE_MAX, else DLS_ARG; DLS_NOMEM opts->solutions could not grow, it holds what
** fitted. */
dls_status dls_lcp_enumerate(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp,
                             double *z, double *w, dls_lcp_report *report);
size_t dls_lcp_enumerate_bytes(const dls_lcp *p);

#endif
