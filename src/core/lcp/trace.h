/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_TRACE_H
#define DLS_LCP_TRACE_H

#include "core/lcp/lcp.h"

/* An empty trace that grows with alloc. */
dls_lcp_trace dls_lcp_trace_over(dls_alloc alloc);

/* Forgets the entries and makes ready for problems of size n; keeps the memory where n is the
** same. */
void dls_lcp_trace_begin(dls_lcp_trace *trace, int n);

/* Adds a state: basis and q of n, tableau n x n with rows ld apart. DLS_NOMEM leaves the trace as
** it was. */
dls_status dls_lcp_trace_push(dls_lcp_trace *trace, dls_lcp_entry entry,
                              const unsigned char *basis, const double *q,
                              const double *tableau, int ld);

/* Gives the memory back; may be called twice. */
void dls_lcp_trace_destroy(dls_lcp_trace *trace);

#endif
