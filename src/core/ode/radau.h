/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ODE_RADAU_H
#define DLS_ODE_RADAU_H

#include "core/ode/ode.h"

/* Radau IIA of order 5, three stages, for problems that a few directions of u make stiff: the
** derivative of udot by u counts as  sum_i column_i row_i'  over k of them, the rest is taken by
** iteration.
**
**     Z_i = h sum_j A_ij f(t + c_j h, q_0 (+) D_j, u_0 + Z_j),   D_i = h sum_j A_ij chart_rate(D_j, u_0 + Z_j)
**
** Newton's steps (I - h A (x) C R') dZ = r reduce to 3 k equations for R' dZ. The state and the
** step that is tried next are those of a run of dls_ode (the method of its options is of no
** matter). Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.8
** (simplified Newton, error estimate). Statuses: DLS_STATE, a step of least length that misses its
** tolerance. */
typedef struct dls_radau {
  dls_ode_run *run;  /* borrowed                                                        */
  void *ctx;         /* handed to stiff, borrowed */
  /* Columns and rows (nu numbers each) at a state of the step, at most room of them: *k; and the
  ** rates at which row_i'u changes with q and t alone. */
  dls_status (*stiff)(void *ctx, double t, const double *q, const double *u, int *k, double *column,
                      double *row, double *drift);
  int room;          /* columns and rows                                                */
  /* room x nu twice; room; room^2; (3 room)^2, padded; 3 room twice */
  double *column, *row, *drift, *mixed, *A, *y, *b;
  int *perm;         /* 3 room                                                          */
  /* of three stages: 6 nu each; (d, u), rates at the start: 2 nu; nq */
  double *Z, *rate, *r, *x, *start, *q;
  double h;          /* the last step's length                                          */
} dls_radau;

size_t dls_radau_bytes(int nq, int nu, int room);
/* DLS_FULL: tmp needs dls_radau_bytes. ctx and stiff are set by the caller. */
dls_status dls_radau_begin(dls_radau *radau, dls_ode_run *run, int room, dls_arena *tmp);
/* One step of what the tolerances of the run allow, not beyond `to`. As dls_ode_step. */
dls_status dls_radau_step(dls_radau *radau, double to);
/* The state at a share theta of the last step, which began at q_0, u_0: the polynomial of the
** stages. */
void dls_radau_dense(const dls_radau *radau, const double *q_0, const double *u_0, double theta,
                     double *q, double *u);

#endif
