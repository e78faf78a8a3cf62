/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_TO_CONE_H
#define DLS_LADDER_TO_CONE_H

#include "core/cone/cone.h"
#include "core/rows/island.h"

/* An island as a friction-cone problem of core/cone, dense or sparse, solved from the impulses at
** hand. Answers follow in rows->p; DLS_FULL: more bytes are wanted (rows->need), nothing has
** changed. */

/* Groups of the problem: one a block, but bilateral rows each their own. */
int dls_count_groups(const dls_rows *rows, const int *blocks, int n);
void dls_fill_groups(const dls_rows *rows, const int *blocks, int n, dls_cone_group *groups);

/* What core/cone is told of m rows, m numbers each. */
typedef struct dls_cone_lists {
  double *b;      /* velocities without impulses, m/s */
  double *gamma;  /* of the rows, 1/kg                */
  double *s;      /* of the rows, m/s                 */
  double *length; /* of the rows: 1, or a radius of gyration, m */
  double *start;  /* impulses so far, N s             */
} dls_cone_lists;

/* That of the rows of n blocks in order, into 5 m numbers. Answers the largest velocity among b,
** `least` at least: what core/cone divides by, since speculative contacts may come in faster. */
double dls_fill_lists(const dls_rows *rows, const int *blocks, int n, double least, size_t m,
                      double *numbers, dls_cone_lists *of);

/* W (m x m) of the rows of n blocks in order, trees and gears taken. DLS_FULL: rows->need. */
dls_status dls_fill_matrix(dls_rows *rows, const int *blocks, int n, int m, dls_arena *tmp,
                           double *W);

/* What a method may do with a share of what is left, on m rows; and pays for it: "auto" and
** "newton" tell their multiplications, the others their sweeps, steps and pivots. */
void dls_limit_cone(dls_budget *budget, const dls_cone_method *method, double share, int m,
                    dls_cone_opts *opts);
void dls_pay_cone(dls_budget *budget, const dls_cone_method *method, int m,
                  const dls_cone_report *report);

/* By a method on the dense problem, with a share of what is left of the budget; trees and gears are
** taken. tolerance: of scale, m/s. Velocities do not follow. */
dls_status dls_solve_dense(dls_rows *rows, const int *blocks, int n, const dls_cone_method *method,
                           double tolerance, double scale, dls_budget *budget, double share,
                           dls_arena *tmp, dls_cone_report *report);

/* Free bodies alone, by "auto" on the sparse problem: to residual <= limit (m/s) or as near as that
** gets, never further away; velocities follow. Adds to *iterations. */
dls_status dls_solve_sparse(dls_rows *rows, const int *blocks, int n, double limit, double scale,
                            dls_budget *budget, dls_arena *tmp, int *iterations, bool *converged);

#endif
