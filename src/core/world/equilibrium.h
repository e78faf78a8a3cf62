/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_EQUILIBRIUM_H
#define DLS_WORLD_EQUILIBRIUM_H

#include "core/accelerations/integrate.h"

/* Poses of a world at which forces and the reactions of its joints balance. On the manifold Q =
** {g(q) = 0} of what rigid joints and gears admit, with the metric M, let
**
**     a(q) = udot at rest = M^-1 (f + J' lambda),   J a + bias = 0
**
** which is minus the gradient of the energy where forces have one. Steps solve
**
**     (K + mu M) s = M a,    K = -P' D(M a) P,
**
** D the derivative along Q and P the projection on its velocities, M-orthogonal: the Hessian of the
** energy and of lambda . g on what joints admit. mu is the least of a few that make the matrix
** positive definite: Newton's method near a stable pose, descent elsewhere. A step is as long as
** the radius of trust at most, is projected on Q and halved until the energy falls (where fields of
** force act, which have none: the force along it) and joints close. Limits that are met are
** equations of Q, as long as they push. Source: Absil, Mahony & Sepulchre, Optimization Algorithms
** on Matrix Manifolds, 2008, ch. 6-7. */

typedef struct dls_rest {
  /* residual <= 1e-9, joints are closed, limits kept, and motors of a speed do not push */
  bool converged;
  bool stable;     /* in no direction that joints and limits that press admit does the energy fall,
                   ** to second order: K >= -1e-6 of the largest curvature; true in neutral ones */
  /* bodies touch or overlap there: contacts, which have no part in it, would act */
  bool contacts;
  int iterations;  /* steps taken                                                            */
  double residual; /* max |udot| at rest, over the largest met on the way and |gravity|       */
} dls_rest;

/* What is far in each velocity's coordinate (nu): 1 rad, or the world's own length (the largest
** radius of gyration, arm of a joint, arm or length of a spring; 1 m where there is none). */
void dls_world_units(const dls_world *w, double *unit);

/* Numbers that the search needs. */
size_t dls_equilibrium_bytes(const dls_world *w, int nq, int nu);

/* From q (nq), in place; velocities are none. ode: that of the world, which is left with the turns
** of its joints counted. Not converged is an outcome: q is then the last pose. Fails as
** accelerations do, and with DLS_STOPPED. */
dls_status dls_world_equilibrium(dls_smooth *smooth, const dls_ode *ode, dls_arena *tmp, double *q,
                                 dls_rest *report);

#endif
