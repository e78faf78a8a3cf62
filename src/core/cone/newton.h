/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_NEWTON_H
#define DLS_CONE_NEWTON_H

#include "core/cone/factor.h"
#include "core/cone/sweep.h"

/* Semismooth Newton on Alart and Curnier's function, with x = p - rho u:
**
**     normal    F_N = p_N - max(0, x_N)
**     part k    F_k = p_k - P(x_k),  P the projection on the disk of radius mu_k max(0, x_N)
**     row       F   = p - clamp(x, lo, hi)
**
** F = 0 is the law of the group for any rho > 0. One step solves
**
**     (X (A + E) + Y) dz = -F,     X = dF/du, Y = dF/dp,
**
** with E a small multiple of the diagonal that follows the residual down (contacts may be
** redundant, A singular), and is cut by a line search on sum |F_g / rho_g|^2. Where no cut helps,
** or the matrix is too full to factor, Gauss-Seidel sweeps go on from the best impulses instead.
** Source: Alart & Curnier, A mixed formulation for frictional contact problems prone to Newton
** like solution methods, 1991. */
dls_status dls_cone_newton(const dls_cone_problem *problem, const dls_cone_opts *opts,
                           dls_arena *tmp, double *p, double *v, dls_cone_report *report);
size_t dls_cone_newton_bytes(const dls_cone_problem *problem);

/* "auto": the above with its own sweeps; where it stalls, alternating directions and sweeps in turn
** carry the impulses on, each time for longer, and Newton finishes from there. */
dls_status dls_cone_auto(const dls_cone_problem *problem, const dls_cone_opts *opts,
                         dls_arena *tmp, double *p, double *v, dls_cone_report *report);
size_t dls_cone_auto_bytes(const dls_cone_problem *problem);

/* Workspace of the method: one block for the steps on a system. */
typedef struct dls_cone_newton_work {
  dls_cone_factor factor;   /* of X (A + E) + Y */
  dls_arena *room;          /* the factor is planned in it when it is first wanted */
  bool planned;             /* its pattern is known */
  double times;             /* rho |A_gg|                                 */
  double *X, *Y;            /* n_groups blocks of d x d at sys->diag_at   */
  double *E, *F, *dz, *du;  /* n each                                     */
  double *z_try, *u_try;    /* n each                                     */
  double *ref, *u_s;        /* n each: centre of the damping, damped u    */
  double *best;             /* n                                          */
  dls_cone_sweeper sweeper; /* for sweeps after a cut */
} dls_cone_newton_work;

/* DLS_FULL where what is left has not also room for the factor and for `beside` bytes: a method
** that did without, for want of memory, would answer by how much there happens to be. */
dls_status dls_cone_newton_take(const dls_cone_system *sys, dls_arena *tmp, size_t beside,
                                dls_cone_newton_work *w);
size_t dls_cone_newton_work_bytes(const dls_cone_problem *problem);

/* The factor, planned. */
dls_cone_factor *dls_cone_newton_factor(const dls_cone_system *sys, dls_cone_newton_work *w);

/* Alart and Curnier's function with rho = w->times / |A_gg|: fills w->F, returns sum |F_g /
** rho_g|^2 over scale^2. */
double dls_cone_newton_merit(const dls_cone_system *sys, dls_cone_newton_work *w, const double *z,
                             const double *u);

/* w->dz = -(X (A + E) + Y)^-1 w->F from the slopes at z and u. */
void dls_cone_newton_direction(const dls_cone_system *sys, dls_cone_newton_work *w, const double *z,
                               const double *u);

/* The admissible impulses nearest to z and their velocities; returns their residual. */
double dls_cone_newton_settle(const dls_cone_system *sys, const double *z, double *out, double *u);

/* Sweeps and steps from z (n) until residual <= tolerance, `steps` of them, or more than `patience`
** failed line searches; returns the residual of the best impulses, which are left in z, their
** velocities in u. *done counts both; *helped tells that a line search failed. */
double dls_cone_newton_steps(const dls_cone_system *sys, dls_cone_newton_work *w,
                             double tolerance, int steps, int patience, double *z, double *u,
                             int *done, bool *helped);

#endif
