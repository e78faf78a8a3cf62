/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACT_MATRIX_H
#define DLS_SCHEME_IMPACT_MATRIX_H

#include "core/scheme/impact_expand.h"

/* A phase of Poisson's law on one island as a dense problem of its rows, v = v_0 + W (x - x_0) +
** soft (x - centre), x the impulses, in the order of the island's blocks; soft is 0 but for
** proximal points (impact_points.h). Rows of what is set aside, or moves nothing, have x = 0.
** Solved by Newton's steps on Alart and Curnier's equations (Alart & Curnier, Comput. Methods
** Appl. Mech. Engrg. 92, 1991). */
typedef struct dls_impact_matrix {
  const dls_expansion *of; /* the phase, the island                                        */
  int n;               /* rows                                                             */
  int steps;           /* Newton's, so far                                                 */
  size_t ld;           /* distance of the rows of A                                        */
  int *block, *at;     /* of a row: the number of its block in the island, its place there */
  int *perm;           /* scratch: an order of the rows                                    */
  double *W, *A;       /* n x n: without soft; n x ld: Newton's                            */
  double *x, *v, *E;   /* impulses; velocities; errors, m/s                                */
  double *soft, *centre; /* n: gamma; impulses from which it counts                          */
  double *most;        /* the largest W_ii of the row's block; 0: nothing moves by it      */
  double *dx, *dv, *x_try, *v_try, *x_kept, *v_kept, *kept; /* n: Newton's direction, trials, kept */
} dls_impact_matrix;

/* From the arena, at the impulses and velocities at hand. DLS_FULL: rows.need is set. */
dls_status dls_impact_matrix_take(dls_impact_matrix *N, const dls_expansion *of);

/* Newton's full steps, then damped ones where these do not end, from x and v, until the root of
** the sum of squared errors is at most `enough`, m/s; whether it is. */
bool dls_impact_matrix_solve(dls_impact_matrix *N, double enough);

/* x and v at other impulses. */
void dls_impact_matrix_go(dls_impact_matrix *N, const double *x);

/* The largest error, m/s, at x without soft. */
double dls_impact_matrix_error(dls_impact_matrix *N);

/* Impulses x of the island: rows.p and u follow. */
void dls_impact_matrix_apply(const dls_impact_matrix *N, const double *x);

#endif
