/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_SWEEP_H
#define DLS_CONE_SWEEP_H

#include "core/cone/pack.h"

/* Gauss-Seidel sweeps z -> G(z), made faster in two ways that change no fixed point:
**
**   momentum    z_k+1 = G(y_k),  y_k+1 = z_k+1 + beta_k (z_k+1 - z_k),  beta from t_k+1 = (1 + sqrt(1 + 4 t_k^2))/2,
**               beta_k = (t_k - 1)/t_k+1; t starts again at 1 when (y_k - z_k+1) . (z_k+1 - z_k) > 0
**   mixing      y_k+1 = G(y_k) - sum theta_j dG_j, theta least squares of F(y_k) - sum theta_j dF_j, F = G - 1, over the
**               last MIXED differences; it forgets them when |F| doubles
**
** Momentum goes first; where it blows up or halves nothing for a while, mixing follows from the
** best point, then the sweeps end. In lanes (pack.h) where the problem fits, else group after
** group. Sources: Nesterov 1983; O'Donoghue & Candes, Adaptive restart for accelerated gradient
** schemes, 2015; Mazhar et al., Using Nesterov's method to accelerate multibody dynamics with
** friction and contact, 2015; Walker & Ni, Anderson acceleration for fixed-point iterations,
** 2011. */
typedef struct dls_cone_sweeper {
  const dls_cone_system *sys; /* borrowed                                             */
  dls_cone_local *locals;     /* n_groups, ready                                      */
  dls_cone_pack pack;         /* ready where the problem fits                         */
  int n;                      /* numbers of a vector: in lanes, or sys->n made round  */
  double *y, *x, *w, *top;    /* n + 24 each: swept, last, before, the best           */
  double *mixed;              /* 2 MIXED + 2 vectors                                  */
  double *best, *z_try;       /* sys->n each                                          */
} dls_cone_sweeper;

dls_status dls_cone_sweeper_take(const dls_cone_system *sys, dls_arena *tmp,
                                 dls_cone_sweeper *sweeper);
size_t dls_cone_sweeper_bytes(const dls_cone_problem *problem);

/* From z (n), at most `sweeps`, until residual <= tolerance: the best impulses are left in z, their
** velocities A z + c in u. Returns their residual; *done counts sweeps. */
double dls_cone_sweeps(dls_cone_sweeper *sweeper, double tolerance, int sweeps, double *z,
                       double *u, int *done);

/* The same without speeding up: over-relaxed, then cut shorter while nothing gets better (sweeps
** may run round a circle where friction is large). */
double dls_cone_sweeps_damped(dls_cone_sweeper *sweeper, double tolerance, int sweeps,
                              double *z, double *u, int *done);

#endif
