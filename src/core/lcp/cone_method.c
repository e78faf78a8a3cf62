/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/cone_admm.h"
#include "core/lcp/cone_newton.h"
#include "core/lcp/cone_nsgs.h"
#include "core/lcp/cone_planar.h"
#include "core/lcp/cone_unique.h"

const dls_cone_method dls_cone_methods[] = {
  {"auto", dls_cone_auto, dls_cone_auto_bytes},
  {"nsgs", dls_cone_nsgs, dls_cone_nsgs_bytes},
  {"newton", dls_cone_newton, dls_cone_newton_bytes},
  {"admm", dls_cone_admm, dls_cone_admm_bytes},
  {"lemke", dls_cone_lemke, dls_cone_lemke_bytes},
  {"energy", dls_cone_energy, dls_cone_half_bytes},
  {"block", dls_cone_block, dls_cone_half_bytes},
  {NULL, NULL, NULL},
};

const dls_cone_method *dls_cone_method_find(const char *name) {
  for (const dls_cone_method *m = dls_cone_methods; m->name; m++)
    if (strcmp(m->name, name) == 0) return m;
  return NULL;
}

size_t dls_cone_run_bytes(const dls_cone_method *method, const dls_cone_problem *pr,
                          const dls_cone_opts *opts) {
  size_t bytes = method->bytes(pr);
  return opts->unique ? (size_t)dls_max((double)bytes, (double)dls_cone_unique_bytes(pr)) : bytes;
}

dls_status dls_cone_run_method(const dls_cone_method *method, const dls_cone_problem *pr,
                               const dls_cone_opts *opts, dls_arena *tmp, double *p, double *v,
                               dls_cone_report *report) {
  dls_status status = method->run(pr, opts, tmp, p, v, report);
  if (status != DLS_OK || !opts->unique || report->outcome != DLS_SOLVED) return status;
  return dls_cone_unique(pr, opts, tmp, p, v, report);
}

size_t dls_cone_solve_bytes(const dls_cone_problem *pr) {
  const dls_cone_opts opts = {.unique = false};
  return dls_cone_run_bytes(&dls_cone_methods[0], pr, &opts);
}

dls_status dls_cone_solve(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                          double *p, double *v, dls_cone_report *report) {
  return dls_cone_run_method(&dls_cone_methods[0], pr, opts, tmp, p, v, report);
}
