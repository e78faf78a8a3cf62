/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_STABILITY_H
#define DLS_ROWS_STABILITY_H

#include "core/base/arena.h"

/* When explicit penalty rows hold. With stiffness alpha and damping beta a row, A and B their
** diagonal matrices, one step u' = u - dt M^-1 J'(A G + B J u), G' = G + dt J u' multiplies modes
** by z with
**
**     (z - 1)^2 M + (z - 1) dt J'B J + z dt^2 J'A J  singular.
**
** For a vector x of the kernel, m = x'Mx, k = dt^2 x'J'A J x, c = dt x'J'B J x give m z^2 + (k + c
** - 2m) z + (m - c) = 0, whose roots lie in |z| < 1 exactly where k + 2c < 4m; and at z = -1 the
** matrix is 4M - J'(dt^2 A + 2 dt B) J. So all modes decay if and only if
**
**     the largest eigenvalue of  D J M^-1 J' D,   D^2 = dt^2 A + 2 dt B,   is below 4:
**
** for one row omega^2 dt^2 + 2 c dt of EQUATIONS B.3.9, for rows that share bodies their sum as
** they meet. It is found by Lanczos' method: every estimate is a lower bound. */

/* y = D J M^-1 J' D x, n numbers. */
typedef void (*dls_stability_apply)(void *ctx, const double *x, double *y);

typedef struct dls_stability {
  double number; /* the largest eigenvalue, 1                                   */
  int row;       /* the row that moves most in its vector; -1 for n = 0         */
} dls_stability;

/* Bytes of scratch. */
size_t dls_stability_bytes(int n);

/* To 1e-12 of itself where n <= 24 or where it is not below `clear`; else to about 1e-3.
** DLS_FULL. */
dls_status dls_stability_number(int n, dls_stability_apply apply, void *ctx, double clear,
                                dls_arena *tmp, dls_stability *out);

#endif
