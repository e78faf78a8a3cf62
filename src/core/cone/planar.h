/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_PLANAR_H
#define DLS_CONE_PLANAR_H

#include "core/cone/system.h"

/* Methods for problems whose groups are planar contacts, unilateral, bilateral or box rows; others
** are DLS_ARG with the group in report->fault.
**
** lemke: the two-corner linear complementarity problem
**
**     ( u_N  )   ( NN - NT D   NT   0 ) ( p_N )   ( c_N )
**     ( u_T+ ) = ( TN - TT D   TT   E ) ( p_R ) + ( c_T ),    p_T = p_R - mu p_N,  u_T = u_T+ - u_T-
**     ( p_L  )   (   2 D       -E   0 ) ( u_T-)   (  0  )
**
** by Lemke's method (mu > 0 makes it unsymmetric), enumerated where Lemke ends on a ray and the
** problem has at most 12 unknowns. Box rows take part with finite bounds as p = lo + p_R and the
** third row hi - lo - p_R; a row without a lower bound is split into p+ - p-.
** Source: Glocker & Pfeiffer 1992; EQUATIONS of planar contacts. */
dls_status dls_cone_lemke(const dls_cone_problem *problem, const dls_cone_opts *opts,
                          dls_arena *tmp, double *p, double *v, dls_cone_report *report);
size_t dls_cone_lemke_bytes(const dls_cone_problem *problem);

/* energy, block: two half-problems in turn (Panagiotopoulos): normal impulses with friction fixed,
** then friction with its bounds mu p_N fixed. Each is a symmetric problem with bounds, solved by
** principal pivoting: one row a pivot by the energy criterion (energy), or every row that is wrong
** at once while that helps (block). The turns converge for small mu; where they do not, the
** outcome is DLS_LIMIT.
** Source: Panagiotopoulos, A nonlinear programming approach to the unilateral contact and friction
** boundary value problem, 1975. */
dls_status dls_cone_energy(const dls_cone_problem *problem, const dls_cone_opts *opts,
                           dls_arena *tmp, double *p, double *v, dls_cone_report *report);
dls_status dls_cone_block(const dls_cone_problem *problem, const dls_cone_opts *opts,
                          dls_arena *tmp, double *p, double *v, dls_cone_report *report);
size_t dls_cone_half_bytes(const dls_cone_problem *problem);

/* Whether the groups are of the kinds above; *group = the first that is not. */
bool dls_cone_is_planar(const dls_cone_problem *problem, int *group);

/* A (n x n, row-major) of the system, written out. */
void dls_cone_dense(const dls_cone_system *sys, double *A);

#endif
