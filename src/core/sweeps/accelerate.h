/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SWEEPS_ACCELERATE_H
#define DLS_SWEEPS_ACCELERATE_H

#include "core/sweeps/lanes.h"

/* Sweeps p -> g(p) (nonsmooth Gauss-Seidel), all in one direction, sped up in two ways that change
** no solution. First by momentum,
**
**     p <- g + beta (g - g before),  beta = (t - 1)/t', t' = (1 + sqrt(1 + 4 t^2))/2, at most DLS_BETA_MAX,
**
** where t starts again at 1 when the sweeps turn against it; then by Anderson's mixing of depth
** one,
**
**     p <- g - theta (g - g before),   theta = f . df / df . df,   f = g - p,
**
** which would end the search on a line of solutions of linear equations; a step that made |f|
** longer is followed by one without. Velocities are affine in the impulses and are mixed with them;
** impulses outside of their sets are put right by the next sweep. A fifth of the sweeps remains.
** Sources: Y. Nesterov 1983; B. O'Donoghue & E. Candes, Adaptive restart for accelerated gradient
** schemes, Found. Comput. Math. 15 (2015); H. F. Walker & P. Ni, Anderson acceleration for
** fixed-point iterations, SIAM J. Numer. Anal. 49 (2011). */

/* The largest beta; a growth of |f|^2 over the least that starts momentum again. */
#define DLS_BETA_MAX 0.9
#define DLS_RESTART_GROWTH 4.0

/* Sweeps with momentum, in islands that have some blocks: in tiny ones it leads away from the
** impulses at hand, where they are not unique. */
enum { DLS_MOMENTUM_SWEEPS = 120, DLS_TINY_ISLAND = 12 };

/* Sweeps are judged once no visit changes its own velocity by more than `quiet`: DLS_QUIET of the
** limit, times DLS_QUIETER after each look at the residual. */
#define DLS_QUIET 1.4
#define DLS_QUIETER 0.7

/* What rounding to single precision leaves of a velocity in sweeps, as a share of the largest. */
#define DLS_FLOAT_NOISE 1e-5

/* What rounding to single precision leaves of a velocity in sweeps, as a share of the largest. */
#define DLS_FLOAT_NOISE 1e-5

typedef struct dls_acceleration {
  int momentum; /* sweeps with momentum                          */
  int done;     /* sweeps                                        */
  double ff;    /* |f|^2 of the last one                         */
  double best;  /* the least so far, or since the last restart   */
  double t;     /* of the momentum                               */
} dls_acceleration;

/* theta of the next mixing; -beta while there is momentum. */
double dls_accelerate(dls_acceleration *x, dls_sweep_change c);

#endif
