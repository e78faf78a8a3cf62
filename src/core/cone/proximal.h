/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_PROXIMAL_H
#define DLS_CONE_PROXIMAL_H

#include "core/cone/newton.h"

/* Proximal points: z_k+1 solves the laws for the regular matrix A + E,
**
**     u = A z + c + E (z - z_k),    E = e diag(|A_gg|),
**
** by Newton's full steps on Alart and Curnier's function (cone/newton.h), without line search: at
** small e a change of state raises that function before it lowers it. Points are inexact: steps end
** where the error of the law is a part `near` of the best residual (at least a hundredth of the
** tolerance), so that it falls with the residual, and a point costs one or two factors; at the
** fixed point E (z - z_k) = 0. Exact points (near = 0) cost half as many again and come below the
** tolerance less often.
**
** Where contacts are redundant (four corners of a face, a rope that does not stretch) A is
** singular, and c has a part outside its range as large as the drift of positions: the contacts
** cannot all stick, and the impulses have to go along the kernel of A until some reach the edges of
** their cones. A step goes about |u| / e along it, so
**
**     e = residual / (THETA max_g |A_gg| |z_g|)
**
** makes steps of a part THETA of the impulses. e falls by FALL where the residual stands still, and
** rises by RISE where Newton's steps do not end; then z_k is kept. Source: Rockafellar, Monotone
** operators and the proximal point algorithm, 1976; inexact points: Solodov & Svaiter, A hybrid
** approximate extragradient-proximal point algorithm, 1999; the law's derivatives: Alart & Curnier
** 1991. */

/* `near` of "auto": ropes and ragdolls cost a twentieth more factors at 0.1, a twelfth less at
** 1. */
#define DLS_CONE_NEAR 0.3

/* `convex`: where full steps do not end, from the convex point (cone/convex.h): dearer by point,
** and going where they turn to and fro. From z (n), at most `steps` factors, until residual <=
** tolerance, or e has risen to 1: the best impulses are left in z, their velocities in u. Returns
** their residual; *done counts factors. */
double dls_cone_proximal_steps(const dls_cone_system *sys, dls_cone_newton_work *w,
                               double tolerance, double near, int steps, bool convex, double *z,
                               double *u, int *done);

#endif
