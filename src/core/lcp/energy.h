/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_ENERGY_H
#define DLS_LCP_ENERGY_H

#include "core/lcp/lcp.h"

/* Principal pivoting by the energy criterion, for M symmetric positive (semi)definite, dense.
**
** The tableau starts as (M, q), row i labelled w_i. While some q_i < -tq_i, the row with the least
** p_i = -q_i^2 / T_ii among those with T_ii > td_i (lowest index on ties) is exchanged on its
** diagonal; a pivot on a w-row lowers E = 1/2 z'Mz + q'z by -p_i / 2. Where only rows with
** T_ii <= td_i are left, the lowest, i, goes in together with the active row j of the largest
** T_ij > 0 going out (a 2 x 2 principal pivot); no such j: no solution, DLS_RAY.
**   tq_i = 1e-12 |q_i| (max |q| where q_i = 0),  td_i = 1e-12 M_ii (the largest where M_ii = 0)
** (of a row that holds z: over M_ii and M_ii^2, as its q_i and T_ii are). Where the answer misses
** the problem by more than round-off, the tableau is made anew and td is a hundredfold, three
** times. A basis seen before (Brent's test) or 50 n pivots: least index takes over, the finite
** criss-cross rule of sufficient matrices, and report->fallback says so.
**
** Two forms, the same pivots: the tableau itself for small n and wherever a trace is wanted, and
** the factor form V (k x n, k active rows), M_SS = L L', with columns L^-1 M_Si (i out) and L^-1
** e_i (i in), which costs 2 n k a pivot instead of 2 n^2.
**
** DLS_UNSUITABLE: a candidate with T_ii < 0; or a failed residual, a ray, or more than 1.5 n
** pivots, where a test in full then says that M is not semidefinite.
** opts->start: the pivots begin at its basis {z_i > 0}, whose exchanges are not counted.
** Status and arguments as dls_lcp_run. Source: Kolesnikov, Resources and Technology 2013; Cottle,
** Pang & Stone 2009, sections 4.1 to 4.3; den Hertog, Roos & Terlaky 1993 (criss-cross). */
size_t dls_lcp_energy_bytes(const dls_lcp *p);
dls_status dls_lcp_energy(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                          double *w, dls_lcp_report *report);

/* The same in one form, whatever n: for specs, which compare them. A trace is left empty by the
** factor form. */
dls_status dls_lcp_energy_tableau(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp,
                                  double *z, double *w, dls_lcp_report *report);
dls_status dls_lcp_energy_factor(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp,
                                 double *z, double *w, dls_lcp_report *report);

#endif
