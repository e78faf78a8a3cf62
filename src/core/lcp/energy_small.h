/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_ENERGY_SMALL_H
#define DLS_LCP_ENERGY_SMALL_H

#include "core/lcp/lcp.h"

/* The energy criterion for n <= 8, the tableau in a few registers: the same rule, the same
** rounding, the same pivots as the tableau of energy.c, without its precautions. */
#define DLS_ENERGY_SMALL_MAX 8

/* Answers the number of pivots and fills z; or -1, where one of the precautions may be wanted (M
** not symmetric to the last bit, a negative diagonal or one that counts as zero, numbers near the
** ends of their range, a candidate that may be round-off, more than 3 n pivots): energy.c does it
** all again. */
int dls_energy_small(const dls_lcp *p, double *z);

/* The whole of the method for a small problem and no unusual option: true where that solved it, z,
** w and report being filled; false leaves it to the ordinary way. */
bool dls_lcp_energy_small(const dls_lcp *p, const dls_lcp_opts *opts, double *z, double *w,
                          dls_lcp_report *report);

/* The paths of energy_small_*.c, for energy_small.c alone. */
int dls_energy_small_plain(const dls_lcp *p, double *z);
int dls_energy_small_avx2(const dls_lcp *p, double *z);

#endif
