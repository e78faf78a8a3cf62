/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_METHOD_H
#define DLS_LCP_METHOD_H

#include "core/lcp/lcp.h"

/* The methods as one table, and the one way to call them: a new method is one file and one row of
** method.c. */
typedef struct dls_lcp_method {
  const char *name;    /* as the user writes it, static                                     */
  dls_lcp_bytes bytes; /* workspace of run                                                  */
  dls_lcp_run run;     /* the method                                                        */
  bool symmetric;      /* needs a symmetric matrix: tested before run is called             */
  bool sparse;         /* takes p->S as it is; the others get it written out as p->M        */
  int n_max;           /* the largest n it takes; 0: no bound                               */
} dls_lcp_method;

/* The i-th method (i from 0), or NULL past the end; the method of that name, or NULL. */
const dls_lcp_method *dls_lcp_method_at(int i);
const dls_lcp_method *dls_lcp_method_find(const char *name);

/* Workspace of dls_lcp_solve; SIZE_MAX where it overflows. */
size_t dls_lcp_solve_bytes(const dls_lcp_method *method, const dls_lcp *p);

/* Solves p with the method given, after the tests that all of them share:
**   n = 0                     answers the empty solution
**   method->symmetric         M is tested, |M_ij - M_ji| <= 1e-10 max(|M_ij|, |M_ji|, sqrt of
**                             |M_ii M_jj|); else DLS_UNSUITABLE with the row and the value
**   opts->check               the same, and M is factored to see whether it is positive
**                             semidefinite (symmetric methods only)
** z, w, tmp, report and status as dls_lcp_run. The method "auto" takes "energy" or "block" where M
** is symmetric with a diagonal >= 0, else or where that fails "lemke", and for n <= 12
** "enumerate" where that ends on a ray; report->method is the one that answered. */
dls_status dls_lcp_solve(const dls_lcp_method *method, const dls_lcp *p,
                         const dls_lcp_opts *opts, dls_arena *tmp, double *z, double *w,
                         dls_lcp_report *report);

/* The first pair (i, j) at which M is not symmetric to 1e-10 as above: false, i and M_ij - M_ji in
** the fault; else true. */
bool dls_lcp_symmetric(const dls_lcp *p, dls_fault *fault);

#endif
