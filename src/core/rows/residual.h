/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_RESIDUAL_H
#define DLS_ROWS_RESIDUAL_H

#include "core/math/cone.h"
#include "core/rows/mass.h"

/* How well the rows' laws hold: code that knows no solver (EQUATIONS G.1.7). With K the block's set
** and y its velocities as in rows.h (De Saxce's change for cones),
**
**     r = |p - P_K(p - rho y)| / rho,   rho = 1 / |W| (Frobenius),
**
** rows in rad/s made m/s by their length: v * length, p / length, arm / length. */

/* |W| of a block's own W, rows by their length; 1 where it is zero. */
double dls_block_norm(const dls_rows *rows, const dls_block *block);

/* The parts of a block's cone: sliding, and for rolling blocks spinning and rolling. */
dls_cone_shape dls_cone_of(const dls_rows *rows, const dls_block *block);

/* z <- the nearest point of the block's set; z: impulses by the rows' lengths. */
void dls_admit(const dls_rows *rows, const dls_block *block, double *z);

/* r of a block that is written out, m/s; v: its rows' velocities J u. */
double dls_residual_block(const dls_rows *rows, const dls_block *block, const double *v);

/* The largest r of n blocks at the u and p at hand, m/s. */
double dls_rows_residual_of(const dls_rows *rows, const int *blocks, int n_blocks);

/* Whether all of them are at most `limit`: stops at the first that is not. */
bool dls_residual_holds(const dls_rows *rows, const int *blocks, int n_blocks, double limit);

/* The largest of them, or DLS_INF where that is above `limit`: stops there. */
double dls_residual_within(const dls_rows *rows, const int *blocks, int n_blocks, double limit);

/* u, then v, from p, J, M^-1 and u_free alone; the largest r of all blocks, m/s. */
double dls_rows_residual(dls_rows *rows);

/* max |J u_free| of all blocks, and what their springs push, m/s. */
double dls_rows_scale(const dls_rows *rows);

#endif
