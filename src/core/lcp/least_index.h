/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_LEAST_INDEX_H
#define DLS_LCP_LEAST_INDEX_H

#include "core/lcp/lcp.h"

/* Murty's least-index method: while some right side is negative, the principal pivot of the lowest
** such row. Finite for every P-matrix, and exponential on some (Murty's family takes 2^n - 1
** pivots). The tableau is made anew from M as round-off gathers, and the last basis is solved
** again.
**   opts->max_pivots  0: 50 n, at least 100, and as many as 10^9 operations allow
**   opts->start       the basis { z_i > 0 } is where it starts
** Outcomes: DLS_SOLVED; DLS_UNSUITABLE a row to be pivoted on has T_rr <= 0, which a P-matrix never
** has: row and T_rr in the fault; DLS_LIMIT. The trace has the criterion q_r.
** Source: Murty, Note on a Bard-type scheme, Opsearch 1974; Linear Complementarity 1988, 2.6. */
dls_status dls_lcp_least_index(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp,
                               double *z, double *w, dls_lcp_report *report);
size_t dls_lcp_least_index_bytes(const dls_lcp *p);

#endif
