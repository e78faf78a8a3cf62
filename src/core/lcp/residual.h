/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_RESIDUAL_H
#define DLS_LCP_RESIDUAL_H

#include "core/lcp/lcp.h"

/* How good an answer is, by code that knows no method:
**
**     residual = max_i |min(d_i z_i, w_i)| / max |q|,   natural = max_i |min(z_i, w_i)|
**
** with w = M z + q computed here and d_i = M_ii, or the row's largest |M_ij| where M_ii <= 0 (1 for
** a zero row). For max |q| = 0 the scale is 1: z = 0 solves and has residual 0. A z or w that is
** not finite gives infinity. */
double dls_lcp_residual(const dls_lcp *p, const double *z, double *w, double *natural);

/* The same for an answer that is to be known to a tolerance: where the round-off of M z + q could
** make the verdict another one, w is summed in twice the precision, and where even that cannot say,
** the residual is above the tolerance. */
double dls_lcp_residual_to(const dls_lcp *p, double tolerance, const double *z, double *w,
                           double *natural);

/* What rounding may have done to the largest of w = M z + q, summed plainly and in twice the
** precision. */
void dls_lcp_round_off(const dls_lcp *p, const double *z, double *plain, double *twice);

/* w = M z + q as if summed in twice the precision and rounded once. Source: T. Ogita, S. M. Rump &
** S. Oishi, Accurate sum and dot product, SIAM J. Sci. Comput. 26, 2005 (Dot2). */
void dls_lcp_image_in_twice(const dls_lcp *p, const double *z, double *w);

/* Fills w, residual and natural of the report from z, and sets the outcome: DLS_SOLVED where
** residual <= tolerance, else `otherwise` (never DLS_SOLVED; DLS_LIMIT then). */
void dls_lcp_judge(const dls_lcp *p, const dls_lcp_opts *opts, const double *z, double *w,
                   dls_outcome otherwise, dls_lcp_report *report);

#endif
