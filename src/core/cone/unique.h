/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_UNIQUE_H
#define DLS_CONE_UNIQUE_H

#include "core/cone/system.h"

/* Least-norm impulses: given a solution z*, u* of the system, the smallest |z| with A z = A z* that
** obeys the same laws at the same velocities,
**
**     min |z|^2 / 2   over  z in C(u*),  Q z = Q z*,
**
** Q an orthonormal basis of A's rows. With u* fixed the laws are convex: groups that open carry
** nothing, parts that slide carry mu z_N against u*, the others stay in their disks. The dual is
** smooth and concave: z = P_C(Q'y) with Q P_C(Q'y) = Q z*, solved by Newton's method with line
** search. The answer replaces p only where the judge finds it as good as the tolerance asks.
** Source: Hiriart-Urruty & Lemarechal, Fundamentals of Convex Analysis, 2001, ch. E. */
dls_status dls_cone_unique(const dls_cone_problem *problem, const dls_cone_opts *opts,
                           dls_arena *tmp, double *p, double *v, dls_cone_report *report);

/* O(n_rows^2) numbers. */
size_t dls_cone_unique_bytes(const dls_cone_problem *problem);

#endif
