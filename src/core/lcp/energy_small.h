/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_ENERGY_SMALL_H
#define DLS_LCP_ENERGY_SMALL_H

#include "core/lcp/lcp.h"

/* The energy criterion for n <= 8 on the stack of the processor: the same rule, the same
** rounding, the same pivots as the tableau of energy.c, without its precautions. Answers the
** number of pivots and fills z; or -1, where one of the precautions may be wanted (a diagonal
** that counts as zero, a candidate that may be round-off, more than 3 n pivots), and energy.c
** does it all again. */
int dls_energy_small(const dls_lcp *p, double *z);

#endif
