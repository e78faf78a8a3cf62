/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_MOTIONS_H
#define DLS_STRUCTURE_MOTIONS_H

#include "core/structure/condense.h"

/* Free motions of the structure with its contacts open: y with K y = 0. Only forces of links resist
** them, and whatever else happens
**
**     y'f + zeta'x = 0,   zeta = B y:    R zeta = 0,  zeta'RF = -y'f.
**
** Candidates are what R hardly resists, y = K_rho^-1 B' rho zeta; such a one is free where its
** energy y'K y is no more than rounding makes of it. Where y'f is no more than rounding makes of it
** either, the loads are in balance along y: a beam that is only warmed up, a pair of opposite
** forces. Rounding is that of a backward stable solve, errors of each row of K being independent:
** of y'K u (u = K_rho^-1 f, f) a share of |(|y_i| (|K| |u|)_i)|, the norm over the unknowns.
** Source: Higham, Accuracy and Stability of Numerical Algorithms, SIAM 2002, ch. 10. */

/* What rounding makes of a sum, of the sizes above. At most 2 units were seen in 20,000 sums of
** random frames and blocks, and 12 where links repeat others. */
#define DLS_ROUND_OFF (30 * 0x1p-52)

/* Finds c->motions from R and RF, and takes from both what rounding has left along them: R zeta,
** and RF along motions whose loads are in balance. DLS_NOMEM, DLS_STOPPED. */
dls_status dls_motions_find(dls_condensed *c, dls_stop *stop);
void dls_motions_destroy(dls_free_motions *motions);

/* The largest force on link i, N, that load g calls for along the motions before its parts cancel.
*/
double dls_motions_force(const dls_free_motions *motions, int g, int i);

/* What rounding may have made of forces of the links along the motions, N, one a link: of load g,
** and of sums on the links whose terms are of the sizes given, N. */
void dls_motions_round_off(const dls_free_motions *motions, int g, const double *size, double *x);

/* The largest |y'f + zeta'x| of the motions beyond what rounding may make of it, relative to the
** largest sum of its parts: the equilibrium of whatever moves freely under forces x, one a link.
** part: factors of the constant and the growing load; size: of the loads' forces on links, N;
** round_off: of both loads, of each link, N. */
double dls_motions_unbalance(const dls_free_motions *motions, const double part[2], const double *x,
                             double size, double *const round_off[2]);

#endif
