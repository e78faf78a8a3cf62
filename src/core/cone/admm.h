/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_ADMM_H
#define DLS_CONE_ADMM_H

#include "core/cone/factor.h"

/* Alternating directions: one factor of A + R, R = rho |A_gg| on the rows of group g, and
**
**     z <- (A + R)^-1 (R (w - x) - c - d),     d_N = sum_k mu_k |u_k|  from  u = R (w - x - z) - d
**     w <- P_K(z' + x),  x <- x + z' - w,      z' = 1.6 z - 0.6 w   (over-relaxation)
**
** d is De Saxce's change of variable, followed from step to step. rho is adapted to the ratio of
** |z - w| and |w - w_old|, which costs a new factor, seldom. Redundant contacts do no harm: A + R
** is positive definite. Large problems whose factor would not fit are left as they are (limit).
** Source: Boyd et al., Distributed optimization by ADMM, 2011; Acary, Bremond & Huber 2018. */
dls_status dls_cone_admm(const dls_cone_problem *problem, const dls_cone_opts *opts,
                         dls_arena *tmp, double *p, double *v, dls_cone_report *report);
size_t dls_cone_admm_bytes(const dls_cone_problem *problem);

/* The steps on a system with a planned factor: from z (n) until residual <= tolerance, the best
** impulses are left in z, their velocities in u. work: 7 n numbers. Counts steps and factors.
** Returns their residual. */
double dls_cone_admm_steps(const dls_cone_system *sys, dls_cone_factor *factor, double tolerance,
                           int steps, double *z, double *u, double *work, int *done, int *factors);

#endif
