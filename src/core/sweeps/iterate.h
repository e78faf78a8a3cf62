/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SWEEPS_ITERATE_H
#define DLS_SWEEPS_ITERATE_H

#include "core/base/arena.h"
#include "core/sweeps/accelerate.h"
#include "core/rows/island.h"

/* An island's impulses and velocities one after the other, for mixing. */
typedef struct dls_iterate {
  const dls_sweep_lanes *lanes; /* kernels */
  int n_p, n_u;                /* numbers: multiples of 8          */
  int n_bodies, *body;         /* those that move                  */
  double *p, *was, *f, *p_old; /* n_p each                         */
  double *u, *u_old;           /* n_u each                         */
} dls_iterate;

/* Room for the impulses of n_rows rows, and for the velocities of the bodies (n_bodies, body: as
** they are) with `more` numbers behind them. False where tmp has none. */
bool dls_iterate_take(dls_iterate *x, int n_rows, int n_u, dls_arena *tmp);
size_t dls_iterate_bytes(int n_rows, int n_u);

/* Velocities of the bodies from the rows, and back. */
void dls_iterate_read(const dls_rows *rows, dls_iterate *x);
void dls_iterate_write(dls_rows *rows, const dls_iterate *x);

/* p and u mixed with the sweep before; answers theta: 0 where they are as they were. */
double dls_iterate_mix(dls_iterate *x, dls_acceleration *rate);

#endif
