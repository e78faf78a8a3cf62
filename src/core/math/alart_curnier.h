/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_ALART_CURNIER_H
#define DLS_MATH_ALART_CURNIER_H

#include "core/math/cone.h"

/* Slopes of Alart and Curnier's function of one group: with x = z - rho y,
**
**     normal    F_n = z_n - max(0, x_n)
**     part k    F_k = z_k - P(x_k),  P the projection on the disk of radius mu_k max(0, x_n)
**     row       F   = z - clamp(x, lo, hi),  where the group has no parts: each of its n rows
**
** X = dF/dy, Y = dF/dz, n x n row-major. Where F is not smooth those of one side: a row at a bound
** and a contact at x_n = 0 count as there, a part at the edge of its disk as inside. The one law of
** both Newton's methods, on contacts (cone/newton.h) and on bodies (ladder/newton_step.h).
** Source: P. Alart & A. Curnier, CMAME 92, 1991. */
void dls_alart_curnier_slopes(const dls_cone_shape *shape, int n, double lo, double hi, double rho,
                              const double *z, const double *y, double *X, double *Y);

#endif
