/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_ELEMENT_H
#define DLS_STRUCTURE_ELEMENT_H

#include "core/structure/model.h"

/* One element: forces of its nodes on it, s = K u - heat T, at a temperature T above that without
** strain.
**
** bar     K = (E A / l) (d, -d)(d, -d)',  heat = E A alpha (-d, d),  d from node 1 to 2, unit
** frame   the same along its axis, and Euler and Bernoulli's beam across:
**         (E I / l^3) [12 6l -12 6l; 6l 4l^2 -6l 2l^2; ...] on (v1, phi1, v2, phi2)
** quad    t int B' D B dA, heat = t int B' D eps dA; D of plane strain or stress, eps the free
**         strain of 1 K: alpha (1, 1, 0) in plane stress, (1 + nu) alpha (1, 1, 0) in plane strain.
**         At 2 x 2 points. "incompatible" adds the modes 1 - xi^2, 1 - eta^2 in both directions
**         with derivatives taken by the Jacobian J0 of the middle, (det J0 / det J) J0^-T grad, so
**         that they do no work in a uniform stress, and eliminates them. "bbar", in plane strain,
**         puts the element's mean dilatation in the place of eps_x + eps_y; in plane stress, where
**         nothing locks by it, it is "bilinear".
** Source: Bathe, Finite Element Procedures, 2014, ch. 5; R. L. Taylor, P. J. Beresford & E. L.
** Wilson, IJNME 10, 1976; T. J. R. Hughes, IJNME 15, 1980. */

/* Degrees of freedom: x and y of each node, of a frame x, y and rotation. */
#define DLS_ELEMENT_MOST 8

static inline int dls_element_dofs(const dls_element *e) {
  return e->kind == DLS_ELEMENT_BAR ? 4 : e->kind == DLS_ELEMENT_FRAME ? 6 : 8;
}
static inline int dls_element_node_dofs(const dls_element *e) {
  return e->kind == DLS_ELEMENT_FRAME ? 3 : 2;
}

/* K (row-major, n x n with n = dls_element_dofs) and heat (n). */
void dls_element_matrix(const dls_structure *st, const dls_element *e, double *K, double *heat);

/* Section forces of a bar or frame for the displacements u of its nodes and the temperature T:
** s = N, V1, M1, V2, M2 at its ends (N tension positive; M = E I v'', V = dM/ds along the axis from
** node 1 to 2, v across it to the left); of a bar all but N are 0. */
void dls_element_section(const dls_structure *st, const dls_element *e, const double *u, double T,
                         double *s);

/* s = sigma_xx, sigma_yy, sigma_xy at the middle of a quad, Pa, tension positive. */
void dls_element_stress(const dls_structure *st, const dls_element *e, const double *u, double T,
                        double *s);

/* Twice the signed area of the quad, and the least Jacobian at its Gauss points (> 0 where it is
** good). */
double dls_quad_jacobian(const dls_structure *st, const int node[4], double *twice_area);

#endif
