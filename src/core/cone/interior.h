/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_INTERIOR_H
#define DLS_CONE_INTERIOR_H

#include "core/cone/newton.h"

/* An interior-point method. Coulomb's law as Signorini's and that of largest dissipation, whose
** conditions are pairs,
**
**     numbers         z_N  _|_  u_N                      (rows:  z - lo  _|_  y,   hi - z  _|_  y',   u = y - y')
**     Lorentz cones   (mu_k z_N, z_k)  _|_  (beta_k, u_k)      for every part k of the friction,
**
** beta_k the slip: u_k = - beta_k z_k / |z_k|. No norm of a velocity stands in it, so that a o b =
** t e is smooth, and the way of t to zero is followed with Nesterov and Todd's scaling G a ~ b
** (pair.h). One step solves
**
**     (A + E + H) dz = r,    H: the rows and columns of the parts' G that hold no beta,
**
** (not symmetric: the normal moves the disk of friction, friction does not open the normal) with
** one factor and at least two right sides: to t = 0, then to the t which that suggests, with a
** correction of second order; where the step is short, two tries more without it. Where contacts
** are redundant the path leads to the middle of the solutions: no contact lies at the edge of two
** modes which need not, and the steps do not stall there as those on the laws themselves do. E =
** |A_gg| times DAMP over the largest impulse, raised where steps are short; t stays above what the
** normal's velocities lack of the linear equations. The law is not monotone, there is no proof: a
** step may end at an edge. Sources: Nesterov & Todd, Self-scaled barriers and interior-point
** methods for convex programming, 1997; Mehrotra 1992; Acary, Armand, Nguyen & Shpakovych,
** Second-order cone programming for frictional contact mechanics using interior point algorithm,
** 2022 (there with De Saxce's term); Christensen, Klarbring, Pang & Stromberg 1998. */
size_t dls_cone_interior_bytes(const dls_cone_problem *problem);

/* From z (n), lifted into the cones by `lift` times the size of impulses and velocities; `steps` at
** most, until residual <= tolerance or nothing gains. The best impulses are left in z, their
** velocities in u. Returns their residual; *done counts steps. Own room from tmp: with too little
** of it nothing is done. */
double dls_cone_interior_steps(const dls_cone_system *sys, dls_cone_newton_work *w, dls_arena *tmp,
                               double lift, double tolerance, int steps, double *z, double *u,
                               int *done);

#endif
