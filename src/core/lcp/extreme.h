/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_EXTREME_H
#define DLS_LCP_EXTREME_H

#include "core/lcp/lcp.h"

/* Symmetric problems with numbers near the ends of the range of doubles, brought to its middle:
**   M'_ij = r_i M_ij r_j,  q'_i = r_i q_i / s,  z_i = s r_i z'_i,
**   r_i ~ M_ii^(-1/2), s ~ max |r_i q_i|
** all of them powers of two, so that nothing is rounded. The energy criterion does not change under
** it, but for the factor s^2. */
typedef struct dls_lcp_extreme {
  dls_lcp inner; /* the scaled problem */
  double *r;     /* n                  */
  double s;      /* of the right side  */
} dls_lcp_extreme;

/* Has p a diagonal or a right side above 1e100, or below 1e-100 and not zero? */
bool dls_lcp_is_extreme(const dls_lcp *p);

/* What dls_lcp_extreme_take needs from an arena: a copy of M and some n. */
size_t dls_lcp_extreme_bytes(const dls_lcp *p);

/* Fills e with the scaled problem. DLS_FULL where the arena is. */
dls_status dls_lcp_extreme_take(dls_lcp_extreme *e, const dls_lcp *p, dls_arena *tmp);

/* z <- z' in place; the states of a trace likewise. */
void dls_lcp_extreme_answer(const dls_lcp_extreme *e, double *z);
void dls_lcp_extreme_trace(const dls_lcp_extreme *e, dls_lcp_trace *trace);

#endif
