/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_JOINT_FRAME_H
#define DLS_JOINTS_JOINT_FRAME_H

#include "core/base/dim.h"
#include "core/model/world.h"

/* A joint at given coordinates of the bodies: its own coordinates, their twists, the directions it
** holds, the gaps of its limits. A row is a functional d = (angular, linear) on the relative twist
** of b's joint frame against a's at the origin of b's, axes of a's joint frame. */
typedef struct dls_joint_frame {
  const dls_joint *joint; /* the joint at these coordinates */
  dls_place A, B;     /* the joint's frames in the world                        */
  dls_place T;        /* B in A                                                 */
  double q[7];        /* coordinates (a to b)                                   */
  dls_place at;       /* the pose of q: T but for what has come apart           */
  double columns[36]; /* twists of the coordinates                              */
  double dual[36];    /* functionals: u_k = dual_k . twist                      */
  const double *drives; /* of its prescribed motions: world->joint_drive         */
  double rate[6];     /* their twist                                            */
  bool regular;       /* the columns are independent: dual is good              */
} dls_joint_frame;

/* The joint's frame at the bodies' coordinates q (n_bodies x NQ), turns counted from its state. */
dls_joint_frame dls_joint_frame_at(const dls_world *w, int index, const double *q);

/* The same with prescribed motions as told, 3 a motion: s, s', s''; borrowed. */
dls_joint_frame dls_joint_frame_driven(const dls_world *w, int index, const double *q,
                                       const double *drives);

/* What dls_joint_frame_limit, _limit_rate and _row read of it, and no more: of balls A, B and T, by
** which their limits go. drives: as told, NULL: of now. */
void dls_joint_frame_for_limits(const dls_world *w, int index, const double *q,
                                const double *drives, dls_joint_frame *f);

/* d . x */
static inline double dls_functional(const double d[6], const double x[6]) {
  double sum = 0;
  for (int m = 0; m < 6; m++) sum += d[m] * x[m];
  return sum;
}

/* The row of a functional, 2 NU numbers (v, w) of a, then of b; positive: b moves along d against
** a. */
void dls_joint_frame_row(const dls_world *w, const dls_joint_frame *f, const double *q,
                         const double d[6],
                         double *J);

/* What the joint's pose lacks of the nearest one that it admits: (2 sin(half the angle) axis, way),
** axes of a's joint frame; rad, m. */
void dls_joint_frame_apart(const dls_joint_frame *f, double x[6]);

/* --- limits: lower and upper of each limited velocity; spherical: the cone, none, both of twist  */

enum { DLS_JOINT_LIMITS = 4 };

/* Gap (rad or m) and functional of its rate, of limit number i; false: there is none. */
bool dls_joint_frame_limit(const dls_joint_frame *f, int i, double *gap, double d[6]);

/* d' of a spherical joint's limit, axes of a's joint frame, where b turns by `spin` against a
** there. */
dls_vec3 dls_joint_frame_limit_rate(const dls_joint_frame *f, int i, dls_vec3 spin);

/* Whether coordinate k is an angle; limit i is of one. */
bool dls_joint_turns(const dls_joint *joint, int k);
bool dls_joint_limit_turns(const dls_joint *joint, int i);

/* --- what it holds --------------------------------------------------------------------------- */

/* Orthonormal functionals that vanish on the joint's columns, translations in world axes first.
** Answers how many. */
int dls_joint_frame_held(int dim, const dls_joint_frame *f, double N[36]);

/* The rotation vector of a ball's coordinates, in axes that its own rotation does not turn. */
dls_vec3 dls_ball_rotation(const double *q);

/* The length that makes rates of rotation of a joint's rows comparable to m/s: the radius of
** gyration of b, or of a where b does not move freely, m. */
double dls_joint_length(const dls_world *w, const dls_joint *joint);

/* The size of who moves at it, by which lengths there are told from none: the largest radius of
** gyration, m (1: there is none). Angles are by 1 rad. */
double dls_joint_size(const dls_world *w, const dls_joint *joint);

/* W of a row J on n bodies where these are free, about: inertia by radii of gyration; *ways: of it
** what is not of turns. */
double dls_row_of_free(const dls_world *w, int n, const int *bodies, const double *J,
                       double *ways);

/* By which angle a gap turns the rows that meet it, about: of a point by its arm where that is
** longer than its size (dls_joint_size), else the gap. J: a row on n bodies. */
double dls_joint_turn_of_gap(const dls_world *w, double gap, double size, int n, const int *bodies,
                             const double *J);

/* Joints that depend on each other where all of them are closed (two on one line, four hinges of
** Bennett's linkage) have rows that depend on others but for the largest angle by which gaps turn
** them: the pivot below which they count as dependent, of unit diagonals, if what the others leave
** of them is little, DLS_JOINT_LEFT of the largest gap or acceleration: a row that needs turns of
** radians, as that of a bridge which is stretched straight, has more left. 0.2 to 0.6 hold
** redundant_turns_spec, similar_spec and bridge_spec, 1 fails bridge_spec. */
#define DLS_JOINT_LEFT 0.2
double dls_joint_dependent_pivot(double turn);

/* --- gears ----------------------------------------------------------------------------------- */

/* A gear at given coordinates: q_2 - ratio q_1 = rest, a row on the bodies of two joints. */
typedef struct dls_gear_frame {
  dls_joint_frame f[2];    /* of the first joint, of the second                         */
  double rate;             /* what prescribed motions of both make of J u: gap' = J u - rate */
  double J[4 * DLS_NU(3)]; /* 4 nu: of the second joint's bodies, of the first's        */
} dls_gear_frame;

/* False where a joint stands in a pose in which its coordinate is not known. */
bool dls_gear_frame_at(const dls_world *w, const dls_gear *gear, const double *q,
                       dls_gear_frame *out);

#endif
