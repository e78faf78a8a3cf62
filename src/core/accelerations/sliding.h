/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_SLIDING_H
#define DLS_ACCELERATIONS_SLIDING_H

#include "core/base/alloc.h"
#include "core/joints/acc_row.h"

/* Forces x of rows on accelerations, v = W x + b, where contacts slide. Friction that slides is known by its normal,
** x_i = -bound x_normal, so its rows are eliminated, and bilateral ones behind them:
**
**     W~ = W - W_B W_BB^+ W_B',    x = C z,    0 <= z _|_ M z + q >= 0,
**
** z: a force for each unilateral row and each sliding normal; for a planar contact that rests (x_N; mu x_N - x_T; the
** positive part of v_T), against (v_N; the negative part of v_T; mu x_N + x_T). M is not symmetric, and may have
** no solution or several (Painleve): up to DLS_SLIDING_ALL unknowns are enumerated, more go by Lemke's method.
** Source: Glocker & Pfeiffer 1992; EQUATIONS E.2. */
enum { DLS_SLIDING_ALL = 12 };

/* Whether some row slides, and all rows are bilateral, unilateral, sliding, or planar contacts that rest. joint: of
** each row, -1 a contact's. */
bool dls_sliding_is(int dim, int n, const dls_acc_row *row, const int *joint);

/* x (n), and *n_found: 0 none, 1, or 2 for several whose accelerations differ (x is then one of them). DLS_NOMEM. */
dls_status dls_sliding_solve(const dls_alloc *alloc, int n, const dls_acc_row *row, const int *joint, const double *W,
                             const double *b, double *x, int *n_found);

#endif
