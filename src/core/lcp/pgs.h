/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_PGS_H
#define DLS_LCP_PGS_H

#include "core/lcp/lcp.h"

/* Projected Gauss-Seidel with over-relaxation, for positive definite M, dense or sparse:
**
**     z_i <- max(0, z_i - omega (M z + q)_i / M_ii),     i = 1..n, again and again
**
** Converges for every symmetric positive definite M and 0 < omega < 2, linearly: for low accuracy.
** A row of zeros with q_i >= 0 is passed over.
**   opts->relaxation      omega, in (0, 2); 0: 1
**   opts->max_iterations  sweeps; 0: 10,000
**   opts->start           z to start from; negative entries count as 0
** Outcomes: DLS_SOLVED; DLS_LIMIT; DLS_UNSUITABLE some M_ii <= 0, in the fault.
** Source: Cottle, Pang & Stone 2009, sec. 5.2 (Cryer's method). */
dls_status dls_lcp_pgs(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                       double *w, dls_lcp_report *report);
size_t dls_lcp_pgs_bytes(const dls_lcp *p);

#endif
