/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/energy_small.h"

#include "core/lcp/residual.h"
#include "core/math/lanes_paths.h"

#define SMALL_NAME dls_energy_small_plain
#include "core/lcp/energy_small.inc.h"

int dls_energy_small(const dls_lcp *p, double *z) {
#ifdef DLS_X86
  if (dls_isa() >= DLS_ISA_AVX2) return dls_energy_small_avx2(p, z);
#endif
  return dls_energy_small_plain(p, z);
}

bool dls_lcp_energy_small(const dls_lcp *p, const dls_lcp_opts *opts, double *z, double *w,
                          dls_lcp_report *report) {
  if (p->n > DLS_ENERGY_SMALL_MAX || p->M == NULL || opts->trace != NULL || opts->start != NULL ||
      opts->check || opts->max_pivots != 0)
    return false;
  const int pivots = dls_energy_small(p, z);
  if (pivots < 0) return false;
  memset(report, 0, sizeof *report);
  report->method = "energy";
  report->fault.index = -1;
  report->pivots = pivots;
  dls_lcp_judge(p, opts, z, w, DLS_LIMIT, report);
  return report->outcome == DLS_SOLVED;
}
