/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/auto.h"

#include "core/lcp/method.h"

/* From this size on the block method is the faster one of the two. */
#define N_BLOCK 150
#define N_ENUMERATE 12
/* A sparse problem beyond this is not written out for lemke. */
#define N_WRITE_OUT 5000

static const char *const names[] = {"energy", "block", "lemke", "enumerate"};
#define N_NAMES 4

size_t dls_lcp_auto_bytes(const dls_lcp *p) {
  size_t most = 0;
  for (int i = 0; i < N_NAMES; i++) {
    const dls_lcp_method *method = dls_lcp_method_find(names[i]);
    if (method == NULL || (method->n_max != 0 && p->n > method->n_max)) continue;
    if (p->S != NULL && !method->sparse) continue; /* DLS_FULL asks for more where it comes to that */
    const size_t bytes = dls_lcp_solve_bytes(method, p);
    if (bytes > most) most = bytes;
  }
  return most;
}

static bool diagonal_ok(const dls_lcp *p) {
  for (int i = 0; i < p->n; i++)
    if (dls_lcp_at(p, i, i) < 0.0) return false;
  return true;
}

/* One method; false where it is not in the table or where the call itself failed. */
static bool attempt(const char *name, const dls_lcp *p, const dls_lcp_opts *opts,
                    dls_arena *tmp, double *z, double *w, dls_lcp_report *report,
                    dls_status *status) {
  const dls_lcp_method *method = dls_lcp_method_find(name);
  if (method == NULL) return false;
  *status = dls_lcp_solve(method, p, opts, tmp, z, w, report);
  return *status == DLS_OK;
}

dls_status dls_lcp_auto(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                        double *w, dls_lcp_report *report) {
  dls_status status = DLS_ARG;
  const char *first = p->n <= N_BLOCK && p->S == NULL ? "energy" : "block";
  bool done = false;
  dls_fault fault;
  if (diagonal_ok(p) && dls_lcp_symmetric(p, &fault)) {
    done = attempt(first, p, opts, tmp, z, w, report, &status);
    if (status != DLS_OK) return status;
  }
  if (done && (report->outcome == DLS_SOLVED || report->outcome == DLS_RAY)) return status;
  if (done && p->S != NULL && p->n > N_WRITE_OUT) return status;
  if (!attempt("lemke", p, opts, tmp, z, w, report, &status)) return status;
  if (report->outcome != DLS_SOLVED && p->n <= N_ENUMERATE)
    (void)attempt("enumerate", p, opts, tmp, z, w, report, &status);
  return status;
}
