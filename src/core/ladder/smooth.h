/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_SMOOTH_H
#define DLS_LADDER_SMOOTH_H

#include "core/base/arena.h"
#include "core/rows/island.h"

/* Newton's method on a smoothed law for a large island of planar contacts: the method of core/cone/smooth.h, with
** the bodies' block LU (body_graph.h) for its factor and the sweeps' answer for its start. With the wedge made round,
**
**     z' = (mu z_n, z_t),  y' = (v_n / mu + |v_t|, v_t),    F = z' - P(x) = 0,  x = z' - rho y',  rho = 1 / |W|,
**
** P the projection on |x_t| <= x_n, whose max(0, l), l = x_n +- |x_t|, is replaced by (l + sqrt(l^2 + 4 t^2)) / 2,
** and |v_t| by sqrt(v_t^2 + e^2), e a small part of t |W|. A step solves (X (W + E) + Y) dz = -F by each contact's
** dz = -g - S J du, as in newton_step.h, is cut until sum |W|^2 |F|^2 falls, and t goes back to zero on the way. */

enum { DLS_SMOOTH_MOST = 3000 }; /* contacts of an island, to rough tolerances */

/* From the impulses and velocities at hand: the best found are left there. limit: m/s. DLS_FULL: rows->need. */
dls_status dls_solve_smooth(dls_rows *rows, const int *blocks, int n, double limit, dls_budget *budget, dls_arena *tmp,
                            int *iterations, bool *converged);

#endif
