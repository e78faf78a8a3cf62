/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_CONVEX_H
#define DLS_CONE_CONVEX_H

#include "core/cone/newton.h"

/* A proximal point (cone/proximal.h) whose slips add to the normal velocities what they did at its
** centre z_k: with that part s fixed, the law is the projection on K, and the point the one minimum
** of a smooth convex function of the velocities v = A l + c,
**
**     phi(l) = l . A l / 2 + sum_g E_g |P_K(z_k - E^-1 (v + s n))|^2 / 2,
**
** at which l = P_K(z_k - E^-1 (v + s n)) is the impulse. Newton's steps (E + D A) dl = -E (l -
** P_K), D the slopes of P_K, go down it, and a search along them, which costs no product with A,
** makes them end from anywhere: also at small E, where full steps on Coulomb's law turn to and fro
** between states. What they end in is where steps on that law go on. Source: Rockafellar, Augmented
** Lagrangians and applications of the proximal point algorithm in convex programming, 1976; Qi &
** Sun, A nonsmooth version of Newton's method, 1993. */

/* Whether all groups have at most one part. */
bool dls_cone_convex_takes(const dls_cone_system *sys);

/* From w->ref, the centre, with E = e diag(|A_gg|): z (n) is where at most `steps` factors lead, or
** where the law's error, of scale, is at most `limit`; their number is added to *done. u: scratch,
** n. */
void dls_cone_convex_point(const dls_cone_system *sys, dls_cone_newton_work *w, double e,
                           double limit, int steps, double *z, double *u, int *done);

#endif
