/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_SOFT_H
#define DLS_FOREST_SOFT_H

#include "core/forest/dynamics.h"

/* Joints that resist their own velocities. Eliminating rows p_k = -(u'_k - r_k)/gamma_k on single
** velocities leaves
**
**     (M + diag(soft)) u' = ...,     soft_k = 1/gamma_k,
**
** an inertia beside A' M* A at the joint, as a rotor is one: the factor costs what it costs
** without. With U = M* A and D = A' U + soft a joint leaves  M_a = M* - U D^-1 U'  to its parent.
** Along the joint of a hinge or slide that is soft U/D, which is written so instead of left to
** cancel. Statuses: DLS_SINGULAR, as of dls_forest_factor.
**
** A ball which something else lets turn about one axis e alone (state->axis) has A e for A: its D^-1
** is e (e' D e)^-1 e', and answers of its velocities lie along e. */

/* The factor of M + diag(soft) after place, as dls_forest_factor's of M, for dls_forest_respond,
** _solve, _walks and _delassus until another one is made. soft: nu numbers >= 0, 0 for all
** velocities of free and planar nodes; those of a ball are equal. NULL: zeros. */
dls_status dls_forest_factor_soft(const dls_forest *forest, dls_forest_state *state,
                                  const double *soft, dls_fault *fault);

/* The diagonal of M^-1 from the factor of M, one pass from roots to tips: with T = C L C' the
** response of a node's motion to wrenches on it where its own joint is locked (L that of the
** parent),
**
**     (M^-1)_kk = (D^-1)_kk + W_k' T W_k,   L = (1 - A W') T (1 - W A') + A D^-1 A',   W = M* A D^-1.
**
** tmp: dls_forest_mobility_bytes; DLS_FULL. Velocities of free nodes get 0. */
dls_status dls_forest_mobility(const dls_forest *forest, const dls_forest_state *state,
                               dls_arena *tmp, double *diagonal);
size_t dls_forest_mobility_bytes(const dls_forest *forest);

#endif
