/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_CURVATURE_H
#define DLS_JOINTS_CURVATURE_H

#include "core/joints/stage.h"

/* The curvature of what joints admit. A projection seeks the least of
**
**     L = |aim (-) q|^2/2 - pi g,    M the metric,
**
** whose second derivatives Gauss and Newton take as S' M S. In the plane the rest of them is
** simple: what joints carry is a sum of arms of bodies, R(phi_i) v, and the second derivative of R
** v by phi_i is -R v. So it is diagonal by the bodies' angles,
**
**     k_i = sum of  F . (point - pivot)   over the forces on body i,
**
** F = M (aim (-) q) and pi on the body itself, and all that its children hand to it at their
** joints: their virial, an inertia beside the body's own. With it turns are Newton's: where one
** leaves of its way the share x, the next leaves x^2. Slides turn with their carriers, what that
** couples is left out; in space as well. */

/* S->bend by node of the trees, S->turning by body: k at q, where S->way is aim (-) q, from the
** multipliers of the n rows o; it takes half of the body's own inertia at most. */
void dls_joints_find_curvature(dls_joint_stage *S, const dls_overlap *o, int n, const double *q);

/* The same in space, of trees alone: R v changes by theta x (theta x v)/2, so that a body has
**
**     K_i = sum of  F . v 1 - (F v' + v F')/2,   v = point - pivot,
**
** of which what is negative is left out; axes of hinges turn with their carriers, which is left out
** as well. Without it turns of a light chain that carries much leave (h omega/2)^2 of what the one
** before went, omega its fastest swing, and come nearer no more where that is above 1. */
void dls_joints_find_curvature_3(dls_joint_stage *S, const double *q);

/* F . (point - pivot) of the force that a row exerts on its end e; the least that k of a body may
** be. */
double dls_joints_virial_of(const dls_overlap *o, int e, const double pivot[2]);
double dls_joints_least_bend(const dls_body *body);

/* Bodies that stand by themselves get it after dls_joints_stand, in rows and in S->way: M^-1 is (M
** + k)^-1 then. */
void dls_joints_add_curvature(dls_joint_stage *S);

/* Whether that is all there is: no slides, no space. */
bool dls_joints_curvature_is_whole(const dls_joint_stage *S);

#endif
