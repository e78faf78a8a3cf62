/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_AGREE_H
#define DLS_CONE_AGREE_H

#include "core/cone/newton.h"

/* Shifts on which redundant contacts agree. Where the A of those that press is singular, shifts
** that are right to second order, each by itself, need not be the velocities of one motion: c does
** not lie in the range of A. The law is met then once contacts slip or open by as little as the
** shifts differ, by impulses along the kernel as large as friction lets them be: these have no
** meaning, and methods take long to find them.
**
** The groups that press are asked to rest by
**
**     (A + E) dz = - (A z + c),      A (z + dz) + c = - E dz
**
** (E = e |A_gg|), from there thrice more: with c + E dz in place of c one motion holds all of them,
** that next to what they ask for but for a share (E / lambda)^4 of what is in the range. Groups
** whose c would change by more than a part of the scale are left out: they decide by themselves. So
** do those that joints hardly give way to: small velocities that these read ask for large
** impulses. */

/* Changes sys->c at impulses z (n) with velocities u (n); answers the number of factors made. */
int dls_cone_agree(dls_cone_system *sys, dls_cone_newton_work *w, const double *z, const double *u);

#endif
