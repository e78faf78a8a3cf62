/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ODE_LINEAR_H
#define DLS_ODE_LINEAR_H

#include "core/ode/ode.h"

/* Small motions about a state, and the states from which there are none, for any problem of ode.h.
** Derivatives are central differences of fourth order in the chart q (+) d: about 1e-11 of the size
** of f where f is smooth. Both fail as f does, and with DLS_STOPPED where ode->stop says so. */

/* With x = (d; u) near (0; u):  x' = (d'; udot) = x'_0 + A x,  A (2 nu x 2 nu, row-major).
** tmp: dls_ode_linear_bytes. */
dls_status dls_ode_linearize(const dls_ode *ode, double t, const double *q, const double *u,
                             dls_arena *tmp, double *A);

typedef struct dls_equilibrium {
  bool converged;  /* residual <= tolerance                                          */
  int iterations;  /* Newton steps taken                                             */
  double residual; /* max |udot| at rest, over the largest met on the way            */
} dls_equilibrium;

/* Newton's method with halved steps for  udot(t, q, 0) = 0,  from q, in place. Directions without
** stiffness (a free body, a wheel) get the smallest change: steps are those of least norm.
** Not converged is an outcome; q is then the best state met. */
dls_status dls_ode_equilibrium(const dls_ode *ode, double t, double tolerance, int max_iterations,
                               dls_arena *tmp, double *q, dls_equilibrium *report);

size_t dls_ode_linear_bytes(int nq, int nu);

#endif
