/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ODE_FOREST_H
#define DLS_ODE_FOREST_H

#include "core/forest/dynamics.h"
#include "core/ode/ode.h"

/* The problem on the coordinates of a forest, whatever its accelerations come from: ctx, handed to
** accelerate, must begin with a const dls_forest *. */
dls_ode dls_ode_on_forest(const dls_forest *forest, void *ctx,
                          dls_status (*accelerate)(void *ctx, double t, const double *q,
                                                   const double *u, double *udot));

/* A forest as a problem for ode.h. */
typedef struct dls_ode_forest {
  const dls_forest *forest; /* first: see dls_ode_on_forest                                    */
  dls_forest_state *state;  /* q and u are overwritten by each evaluation                       */
  dls_forest_method method; /* of the accelerations */
  dls_arena *tmp;           /* dls_forest_bytes(forest, method) are free in it                  */
  /* Before each evaluation, with state->q, u set and placed and moved: fills drives, given, tau,
  ** wrench for time t. NULL: they stay. After it the state is placed and moved again. */
  dls_status (*inputs)(void *ctx, double t, dls_forest_state *state);
  void *ctx;                /* of inputs, borrowed                                              */
  dls_fault fault;          /* where an evaluation failed                                       */
} dls_ode_forest;

/* The problem; borrows of. */
dls_ode dls_ode_of_forest(dls_ode_forest *of);

#endif
