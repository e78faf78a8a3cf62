/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/lcp.h"

dls_lcp_opts dls_lcp_opts_default(void) {
  dls_lcp_opts opts;
  memset(&opts, 0, sizeof opts);
  opts.tolerance = 1e-10;
  return opts;
}

double dls_lcp_at(const dls_lcp *p, int i, int j) {
  if (p->M != NULL) return p->M[(size_t)i * (size_t)p->n + (size_t)j];
  return dls_sparse_at(p->S, i, j);
}
