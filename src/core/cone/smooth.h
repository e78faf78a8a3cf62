/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_SMOOTH_H
#define DLS_CONE_SMOOTH_H

#include "core/cone/newton.h"

/* Newton's method on a smoothed law, the smoothing t taken back to zero on the way. With the cone
** made round, z' = (mu z_N, z_T) and y' = (u_N / mu + |u_T|, u_T) both in the Lorentz cone L, every
** law reads
**
**     F = z' - P(x) = 0,    x = z' - rho y',   P the projection on L (rows: on [lo, hi]),
**
** and P becomes smooth when max(0, l), l = x_N +- |x_T|, is replaced by (l + sqrt(l^2 + 4 t^2)) / 2
** and |u_T| by sqrt(|u_T|^2 + e^2), e a small part of t |A_gg|. For t > 0 contacts do not change
** from one mode to another at once, which is what Newton's steps on the law itself stall on. One
** step solves
**
**     (X (A + E) + Y) dz = -F,    X = dF/du, Y = dF/dz,   E a small multiple of |A_gg|, adapted,
**
** and is cut until sum |F_g / rho_g|^2 falls. t falls once F is small beside it, and rises where
** steps stall (friction makes the sum have valleys that hold no solution). Groups of several parts
** (rolling) are not taken: they lie in no Lorentz cone. Source: Hayashi, Yamashita & Fukushima, A
** combined smoothing and regularization method for monotone second-order cone complementarity
** problems, 2005; with De Saxce's term as in Acary, Bremond & Huber 2018. */

/* From z (n), `steps` at most, until residual <= tolerance: the best impulses are left in z, their
** velocities in u. fall: factor by which t falls, in (0, 1). Returns their residual; *done counts
** steps. */
double dls_cone_smooth_steps(const dls_cone_system *sys, dls_cone_newton_work *w,
                             double tolerance, double fall, int steps, double *z,
                             double *u, int *done);

#endif
