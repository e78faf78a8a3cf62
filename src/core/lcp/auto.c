/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/auto.h"

#include "core/lcp/energy_small.h"
#include "core/lcp/method.h"
#include "core/lcp/residual.h"

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
    /* where it comes to these, DLS_FULL asks for more */
    if (p->S != NULL && !method->sparse) continue;
    const size_t bytes = dls_lcp_solve_bytes(method, p);
    if (bytes > most) most = bytes;
  }
  return dls_bytes_add(most, dls_arena_bytes((size_t)p->n, sizeof(double)));
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

/* Lemke's method, and every basis there is where that fails and n is small. What the first method
** reached stays where neither does better. */
static dls_status general(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                          double *w, dls_lcp_report *report) {
  const size_t n = (size_t)p->n;
  const dls_lcp_report first = *report;
  dls_status status = DLS_ARG;
  double *kept = DLS_TAKE(tmp, double, n);
  if (kept == NULL) return DLS_FULL;
  memcpy(kept, z, n * sizeof *z);
  if (!attempt("lemke", p, opts, tmp, z, w, report, &status)) return status;
  if (report->outcome != DLS_SOLVED && p->n <= N_ENUMERATE) {
    if (!attempt("enumerate", p, opts, tmp, z, w, report, &status)) return status;
  }
  if (first.method != NULL && first.outcome == DLS_LIMIT && report->outcome != DLS_SOLVED &&
      first.residual < report->residual) {
    *report = first;
    memcpy(z, kept, n * sizeof *z);
    dls_lcp_judge(p, opts, z, w, first.outcome, report);
  }
  return DLS_OK;
}

dls_status dls_lcp_auto(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                        double *w, dls_lcp_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  const bool small = p->n <= N_BLOCK && p->S == NULL;
  dls_status status = DLS_OK;
  bool done = false;
  if (dls_lcp_energy_small(p, opts, z, w, report)) return DLS_OK;
  report->method = NULL;
  if (diagonal_ok(p)) {
    const char *first = small || opts->trace != NULL ? "energy" : "block";
    done = attempt(first, p, opts, tmp, z, w, report, &status);
    if (status != DLS_OK) return status;
  }
  if (done && (report->outcome == DLS_SOLVED || report->outcome == DLS_RAY)) return status;
  if (done && p->S != NULL && p->n > N_WRITE_OUT) return status;
  status = general(p, opts, tmp, z, w, report);
  dls_arena_release(tmp, mark);
  return status;
}
