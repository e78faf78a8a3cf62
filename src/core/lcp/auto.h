/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_AUTO_H
#define DLS_LCP_AUTO_H

#include "core/lcp/lcp.h"

/* The method that chooses (lcp/method.h says how); dense or sparse. */
size_t dls_lcp_auto_bytes(const dls_lcp *p);
dls_status dls_lcp_auto(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                        double *w, dls_lcp_report *report);

#endif
