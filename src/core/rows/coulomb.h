/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_COULOMB_H
#define DLS_ROWS_COULOMB_H

#include "core/rows/rows.h"

/* The law of one block solved exactly for its own impulses while those of all others wait:  v = W p
** + v_0, v_0 the velocities without them, m/s. */

/* Coulomb's law of one planar contact, W = [a c; c b], by its four modes. Where several modes hold
** (steep friction), the first in the order separate, stick, slip is taken. */
void dls_coulomb_2(double a, double c, double b, const double v_0[2], double mu, double p[2]);

/* Coulomb's law of one contact in space, W = [a c'; c B]. Sliding means
**
**     (B + l 1) p_t = -(v_0t + c p_n),  l >= 0,  |p_t| = mu p_n,   a p_n + c . p_t + v_0n = 0;
**
** with S = B - c c'/a and g = v_0t - c v_0n/a that is p_t = -(S + l 1)^-1 g and one equation for l,
** solved in the eigenframe of S by Newton's steps on mu p_n / |p_t| = 1, which is nearly a straight
** line in l, kept inside a bracket. */
void dls_coulomb_3(const double W[3][3], const double v_0[3], double mu, double p[3]);

/* Any block. W: its own, nb numbers a row, without gamma; v = J u + s + gamma p at the present
** impulses p, which are replaced by the answer. Friction cones exactly; of a rolling block the
** friction cone with rolling and spinning held, then these with the normal impulse held; bilateral
** rows one after the other. v is scratch afterwards. */
void dls_visit_block(int nb, const dls_block *block, const double *W, const double *gamma,
                     double *p, double *v);

/* Rows i .. i + n - 1 of a block, whose impulses have at most the length `bound`: a projected
** visit, exact for one row. v: at the present p, and at the new ones afterwards, all nb
** rows. */
void dls_visit_disk(int nb, const double *W, int i, int n, double bound, double *p, double *v);

#endif
