/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_JOINT_H
#define DLS_MODEL_JOINT_H

#include "core/forest/dynamics.h"
#include "core/model/joint_kinds.h"
#include "core/rows/penalty.h"

/* Joints of a world. A joint leads from body a to body b: with the pose T of its frame on b in its
** frame on a,
**
**     T(q) = m_1(q_1) m_2(q_2) ...   (elementary motions, free and prescribed, in order)
**
** or a rotation (spherical), or anything (free). Reduced joints are links of a forest (trees.h);
** where the tree runs from b to a instead, the joint is TURNED: its motions run backwards with
** opposite axes, so that the numbers q keep their meaning. */

typedef enum dls_formulation { DLS_REDUCED, DLS_PENALTY, DLS_RIGID } dls_formulation;

typedef enum dls_motor_kind { DLS_MOTOR_NONE, DLS_MOTOR_SPEED, DLS_MOTOR_POSITION } dls_motor_kind;

typedef struct dls_motor {
  int kind;         /* dls_motor_kind                                                      */
  double target;    /* rad/s or m/s; rad or m                                              */
  double stiffness; /* POSITION: N m/rad or N/m                                            */
  double damping;   /* POSITION: N m s/rad or N s/m                                        */
  double most;      /* the largest torque or force; DLS_INF: none; N m or N                */
} dls_motor;

/* Whether it holds its speed whatever it takes. */
static inline bool dls_motor_holds(const dls_motor *motor) {
  return motor->kind == DLS_MOTOR_SPEED && motor->most == DLS_INF;
}

enum { DLS_MOST_LIMITS = 2 };

typedef enum dls_gains {
  DLS_GAINS_AUTO,
  DLS_GAINS_PUBLISHED,
  DLS_GAINS_SOUND,
  DLS_GAINS_GIVEN
} dls_gains;

/* How stiff a penalty joint is: per unit of effective mass. */
typedef struct dls_gain_def {
  int gains;                           /* dls_gains                                        */
  double alpha, beta;                  /* GIVEN, rows in metres: 1/s^2, 1/s                */
  double alpha_rotation, beta_rotation; /* GIVEN, rows in radians: m^2/s^2, m^2/s          */
  double limit_alpha, limit_beta;      /* of the limits; -1: like the other rows           */
} dls_gain_def;

typedef struct dls_joint {
  bool alive;          /* false: a gap (slots.h)                                           */
  int slot;            /* of the joint: what users hold                                    */
  uint32_t generation; /* counts the uses of the slot                                      */
  int kind;            /* dls_joint_name                                                   */
  int formulation;     /* dls_formulation                                                  */
  int a, b;            /* bodies                                                           */
  bool turned;         /* reduced: b carries a                                             */
  dls_place on_a, on_b; /* the joint's frame in the body frames                            */
  int n_motions;       /* of MOTIONS kinds, prescribed ones included                       */
  int n_driven;        /* how many of them are prescribed                                  */
  dls_motion *motions; /* n_motions, owned; drive = 0 where prescribed, else -1            */
  int nq, nu;          /* coordinates, velocities                                          */
  double stiffness;    /* of a spring to the zero pose, a velocity: N m/rad or N/m         */
  double damping;      /* N m s/rad or N s/m                                               */
  double friction;     /* constant torque or force, N m or N                               */
  int n_limits;        /* limited velocities: 0, 1 (revolute, prismatic), 2 (universal)    */
  double lo[DLS_MOST_LIMITS], hi[DLS_MOST_LIMITS]; /* rad or m                             */
  double cone;         /* spherical: largest angle of the axis, rad; DLS_INF: none         */
  double twist[2];     /* spherical: about the axis, rad; +-DLS_INF: none                  */
  dls_vec3 axis;       /* its axis (spherical: of cone and twist), joint frame             */
  dls_vec3 second;     /* unit, perpendicular to the axis: second direction, joint frame   */
  dls_motor motor;     /* of the one velocity                                              */
  dls_gain_def gains;  /* penalty: what was asked for                                      */
  int like;            /* penalty: the kind whose rows it has (a chain may be any)         */
  dls_penalty penalty; /* penalty: its rows                                                */
} dls_joint;

/* What a step changes. Order of q and u as in the forest: that of the joint's motions, turned or
** not. */
typedef struct dls_joint_state {
  double q[7];      /* coordinates, nq used                         */
  double u[6];      /* velocities, nu used                          */
  double torque[6]; /* the user's, conjugate to u                   */
  double p[8];      /* impulses of its own rows in the last step, N s or N m s */
} dls_joint_state;

/* q_2 - ratio q_1 = rest: joints of one coordinate, anywhere in a world. */
typedef struct dls_gear {
  bool alive;    /* false: a gap (slots.h)                            */
  int slot;      /* of the gear: what users hold                      */
  uint32_t generation; /* counts the uses of the slot                 */
  int joint[2];  /* the first and the second                          */
  double ratio;  /* not 0; rad or m by rad or m                       */
  double rest;   /* rad or m                                          */
} dls_gear;

/* Below it a joint's coordinate is at rest: dry friction holds it, rad/s or m/s. */
#define DLS_JOINT_STILL 1e-9

/* A joint whose coordinates are those of elementary motions. */
static inline bool dls_joint_is_chain(const dls_joint *joint) {
  return joint->kind != DLS_KIND_SPHERICAL && joint->kind != DLS_KIND_FREE;
}

/* The motion of a chain's coordinate k. */
static inline const dls_motion *dls_joint_motion_of(const dls_joint *joint, int k) {
  const dls_motion *motion = joint->motions;
  for (; motion->drive >= 0 || k > 0; motion++) k -= motion->drive < 0;
  return motion;
}

/* A joint that holds a point of b where one of a is. */
static inline bool dls_joint_pins(const dls_joint *joint) {
  return joint->kind == DLS_KIND_REVOLUTE || joint->kind == DLS_KIND_FIXED;
}

/* Pose of b's joint frame in a's for q (order of a to b) and prescribed values s (one a motion,
** NULL: zero); where A is not NULL, column k of it (6 numbers, angular part first) is the twist for
** u_k = 1: of b's joint frame relative to a's, at the origin of b's frame, axes of a's joint
** frame. */
dls_place dls_joint_pose(const dls_joint *joint, const double *q, const double *s, double *A);

/* First and second order of the motion of b's joint frame in a's, from dls_joint_pose's q: the
** twist `rate` (as the columns of A) for the velocities u and the drives (value, rate,
** acceleration, three a motion; NULL: at rest), and, where `bias` is not NULL, angular acceleration
** and acceleration of the origin of b's frame as seen from a's, for udot = 0. Axes of a's joint
** frame; chains, else zero. */
void dls_joint_motion(const dls_joint *joint, const double *q, const double *u,
                      const double *drives, double rate[6], double bias[6]);

/* The q whose pose is nearest to T, from q as a start: exact where the joint can reach T; turns are
** those nearest to it. */
void dls_joint_measure(const dls_joint *joint, const dls_place *T, const double *s, double *q);

/* The same with turns counted `length` times: nearest in length^2 |turn|^2 + |way|^2. */
void dls_joint_measure_by(const dls_joint *joint, const dls_place *T, const double *s,
                          double length, double *q);

/* Rotations among the coordinates q by as many turns as bring each next to that of `to`. */
void dls_joint_turn_next_to(const dls_joint *joint, const double *to, double *q);

/* The rotation vector from `at` to T, axes of the frame both are given in. */
dls_vec3 dls_joint_turn(const dls_place *T, const dls_place *at);

/* Least squares: y (n) with A y nearest to x; A holds n columns of 6. False where A has not full
** column rank. */
bool dls_columns_solve(const double *A, int n, const double x[6], double *y);
/* All of them at once: row k of dual (6 numbers) gives y_k = dual_k . x. */
bool dls_columns_dual(const double *A, int n, double *dual);

#endif
