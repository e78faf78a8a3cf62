/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_NEWTON_H
#define DLS_LCP_NEWTON_H

#include "core/lcp/lcp.h"

/* Semi-smooth Newton for P0-matrices, globalised on the merit function of Fischer and Burmeister,
**
**     phi_i = sqrt(z_i^2 + w_i^2) - z_i - w_i,   psi = 1/2 sum phi_i^2 .
**
** A step tries, in this order, until one makes psi small enough along it (halving; not monotone,
** against the worst of the last few):
**   min      the Newton step of min(z, w) = 0, which goes to the basic solution of {z_i > w_i};
**   phi      the Newton step of phi = 0;
**   descent  - grad psi.
** After eight steps without a new low of psi every step must lower it; min is left out then, and
** phi is regularised by mu = min(1e-3, |phi|), which singular problems need. It works on the
** equilibrated problem (scaling.h).
**   opts->max_iterations  0: 200
**   opts->start           z to start from
** Outcomes: DLS_SOLVED, DLS_LIMIT; z is the best iterate by residual.
** Source: De Luca, Facchinei & Kanzow, Comp. Opt. Appl. 2000 (semismooth methods compared). */
dls_status dls_lcp_newton(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                          double *w, dls_lcp_report *report);
size_t dls_lcp_newton_bytes(const dls_lcp *p);

#endif
