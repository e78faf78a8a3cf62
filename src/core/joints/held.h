/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_HELD_H
#define DLS_JOINTS_HELD_H

#include "core/joints/stage.h"

/* The linear problem behind every projection on what joints hold (fit.h, admit.h): of all y that
** trees admit, with J y + gap obeying the rows' laws, the one nearest to x in the metric of M. */

/* Bodies that trees, rigid joints or gears hold: S->held. */
void dls_joints_mark_held(dls_joint_stage *S);

/* M^-1 J' of a gap's row. */
void dls_overlap_weigh(const dls_joint_stage *S, dls_overlap *o);
/* J u of a gap's row, on all its bodies. */
double dls_overlap_speed(const dls_joint_stage *S, const dls_overlap *o, const double *u);

/* What rigid joints and gears lack at q, as gaps that are to be zero: behind the *n_out that are
** there. */
void dls_joints_find_gaps(const dls_joint_stage *S, const double *q, dls_overlap *out, int *n_out);

/* Whether a reduced joint's own coordinates among those of the forest, q, tell that none of its
** limits is within slack: no frame is needed then. */
bool dls_joint_limits_are_far(const dls_joint_stage *S, int index, const double *q, double slack);

/* By how much limits are exceeded at least. */
typedef struct dls_exceeded {
  double share; /* of radii of gyration, rad         */
  double way;   /* angles at radii of gyration, m    */
} dls_exceeded;

/* Limits at q' that are within slack, m, angles at radii of gyration. */
void dls_joints_find_limit_gaps(const dls_joint_stage *S, dls_overlap *out, int *n_out,
                                double slack, dls_exceeded *worst);

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

/* Multipliers, all at once: W pi + b = 0 or the rows' laws. W and b are overwritten: they become those of gaps in rad, of
** points as shares of a radius of gyration. */
dls_status dls_joints_solve_mixed(dls_joint_stage *S, const dls_overlap *o, int n, double *W, double *b,
                                  double *pi);

#endif
