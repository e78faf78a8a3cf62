/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_HELD_H
#define DLS_JOINTS_HELD_H

#include "core/joints/joint_gaps.h"
#include "core/joints/stage.h"

/* The linear problem behind every projection on what joints hold (fit.h, admit.h): of all y that
** trees admit, with J y + gap obeying the rows' laws, the one nearest to x in the metric of M.
** Statuses: DLS_SINGULAR, a link without inertia where its joint moves. */

/* Whether large problems, too, are projected to round-off: the world was told a tolerance below
** that of large solves. */
static inline bool dls_projects_finely(const dls_world *w) {
  static const double LARGE = 1e-6; /* relative residual, by default beyond 200 rows */
  return w->solve.tolerance > 0 && w->solve.tolerance < LARGE;
}

/* S->answer: the nearest to x (NULL: zero; f is NULL then). Multipliers of the n rows into o[].pi
** such that J (answer + M^-1 J' pi) + gap obeys their laws, and the answer follows: bodies in
** S->answer, trees' coordinates in trees->du. f: generalized impulses on trees beside M x, or
** NULL. */
dls_status dls_joints_answer(dls_joint_stage *S, const double *q, dls_overlap *o, int n,
                             const double *x, const double *f);

/* W (n x n) gets what bodies that stand by themselves, and compliances, have in it. */
void dls_joints_add_body_part(const dls_joint_stage *S, const dls_overlap *o, int n, double *W);

#endif
