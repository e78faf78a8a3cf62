/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_BLOCK_H
#define DLS_LCP_BLOCK_H

#include "core/lcp/lcp.h"

/* Block principal pivoting, for M symmetric positive (semi)definite, dense or sparse.
**
** Five sweeps of projected Gauss-Seidel (or opts->start) guess the active set S. Then, until
** nothing is negative:  z_S = -M_SS^-1 q_S,  w = M z + q,  and every index with z_i < 0 or w_i < 0
** changes sides. A dense M is factored once (block_factor.h); a sparse one each time, in time
** linear in the fill (math/sparse_ldl.h). Where M_SS is singular, proximal steps: the same on M +
** eps I, q - eps z_old, eps = 1e-9 of the mean diagonal, until z does not move. Where steps bring
** no fewer negative numbers (Judice & Pires' counter), or where a dense problem is of a kind and
** size that the energy criterion solves sooner (singular and n <= 512; no quick progress and n <=
** 1024), that one takes over, and report->fallback says so; from sparse problems of more than 1024
** rows a descent that cannot cycle does (block_descent.h). A sparse matrix whose factor would be
** nearly full is written out, up to 3000 rows.
**
** report->iterations: steps; report->pivots: of the energy criterion. Status and arguments as
** dls_lcp_run. Source: Judice & Pires, Computers & Operations Research 21, 1994. */
size_t dls_lcp_block_bytes(const dls_lcp *p);
dls_status dls_lcp_block(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                         double *w, dls_lcp_report *report);

/* Pivots after which a problem of projections is taken to have no solution. Of 9,865 that pivots
** solved (walls that a ball on a chain strikes, ragdolls, chains; n up to 596) 15 took more than 2 n,
** one 15 n; of 1,465 that have none 5 went on to 100 n, 14 ms of 150 rows. */
static inline int dls_lcp_few_pivots(int n) { return 20 * n + 100; }

/* The same for a matrix at hand in both forms, p dense and S sparse: tmp needs the larger of
** dls_lcp_block_bytes(p) and dls_lcp_block_both_bytes(n, entries of S), for
** n <= DLS_LCP_BLOCK_BOTH_MAX. */
#define DLS_LCP_BLOCK_BOTH_MAX 3000
dls_status dls_lcp_block_both(const dls_lcp *p, const dls_sparse *S, const dls_lcp_opts *opts,
                              dls_arena *tmp, double *z, double *w, dls_lcp_report *report);
size_t dls_lcp_block_both_bytes(int n, size_t nnz);

#endif
