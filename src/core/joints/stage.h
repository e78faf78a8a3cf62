/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_STAGE_H
#define DLS_JOINTS_STAGE_H

#include "core/forest/pivots.h"
#include "core/joints/overlap.h"
#include "core/joints/pressed_rows.h"
#include "core/joints/trees.h"
#include "core/model/motion.h"
#include "core/rows/mass.h"

/* What the joints of a step read and write: rows of joints, gears and springs, trees, projections
** on what joints hold. Arrays are the step's; coordinates and velocities of body i stand at i nq
** and i nu of theirs: DLS_Q and DLS_U. */

/* A penalty row at q_c. */
typedef struct dls_penalty_at {
  int joint, row;    /* whose                                                     */
  double J[2 * DLS_NU(3)]; /* 2 nu: of a, of b                                    */
  double chi, rate;  /* what its spring and its damper see: m or rad, /s          */
  double drift;      /* what prescribed motions make of J u: rate = J u - drift   */
  double lambda;     /* its force, N or N m                                       */
  double weight;     /* sqrt(h^2 alpha + 2 h beta); 0: it rests                   */
  double alpha, beta; /* gains that act, 1/s^2, 1/s                               */
} dls_penalty_at;

/* A row of a spring or damper (spring_rows.h). */
typedef struct dls_spring_row {
  dls_spring_law law; /* weights of its two rows */
  int row;     /* among rows                                       */
  int joint;   /* whose, and which velocity of it; springs between two points: -1 - number */
  int k;       /* of the joint */
  int late;    /* number among the rows of the end; -1: it is none */
  int a, b;    /* bodies                                           */
  double v0;   /* s of its row without a spring, m/s or rad/s      */
  double give; /* J M^-1 J'                                        */
  double alone; /* the same of its bodies, whatever other joints hold them; 0 where the step
                ** resolves that                               */
  double way;  /* that it may close in a step, m                   */
  double middle, start; /* of a joint: its deflection before the step, from the middle of the step
                        ** and from there                      */
  double mean; /* its mean rate in the solve, m/s or rad/s         */
  double late_work; /* of its row of the end, J                    */
} dls_spring_row;

typedef struct dls_spring_try dls_spring_try; /* spring_nets.h */
typedef struct dls_spring_nets dls_spring_nets;

/* what[] of blocks of springs: this and the number of their first row; of motors: this and what dry
** friction of the same velocity has. */
enum { DLS_WHAT_SPRINGS = 1 << 10, DLS_WHAT_MOTOR = 1 << 9 };

/* Who holds a body: trees, rigid joints or gears; or springs alone, of unresolved nets, which is
** known after the solve. */
enum { DLS_HELD = 1, DLS_HELD_LATE };

/* Numbers of the curvature of a node (curvature.h). */
#define DLS_BEND(dim) ((dim) == 2 ? 1 : 6)

typedef struct dls_joint_stage {
  dls_world *w;         /* whose step it is */
  int dim, nu, nq, nb;  /* base/dim.h                                                      */
  double h, theta;      /* s                                                               */

  /* --- shared with the other stages */
  dls_rows *rows;       /* of the solve                                                    */
  double *q_c, *q_n;    /* n_bodies x nq: where everything is evaluated; at the end        */
  const double *q_weighed; /* n_bodies x nq: where the solve has their inertia: q_c, or where a
                        ** touch stops them */
  double *u_c, *u_n;    /* n_bodies x nu: before, at q_c; at the end                       */
  double *push;         /* n_bodies x nu: forces and torques beside gravity and load       */
  double *u_smooth;     /* n_bodies x nu: free velocities before impacts                   */
  const dls_pose3 *T;   /* space, n_bodies: poses of body frames at q_c; plane: NULL       */
  double *bounce, *tangential; /* a row: restitutions of its contact: 0 here               */
  double *drift;        /* a row: what its gap changes by with time alone, m/s             */
  /* n_bodies: joints hold it (DLS_HELD), or springs from the end on (DLS_HELD_LATE) */
  unsigned char *held;
  const unsigned char *jointed; /* n_bodies: 1, a joint beside the trees acts on it; 2, by impulses
                                ** of the solve */
  int n_unreduced;      /* joints that are no part of trees                                */
  /* n_joints: those that a joint of a tree holds as well, so that they have no equations */
  unsigned char *doubled;
  int n_doubled;        /* how many                                                        */
  bool strays;          /* before the step one of these turns as its joints do not admit   */
  int room_joints;      /* gaps that joints may add                                        */
  double *correction;   /* energy that projections added, J                                */
  double stretched;     /* what springs store by ways behind first touches and by projections of
                        ** overlaps, J */

  /* --- rows */
  int n_gears;          /* gears alive                                                     */
  dls_second *second;   /* n_gears: their rows' second halves                              */
  int *what; /* a block of joints: number of the limit; DLS_JOINT_LIMITS + k: it holds the
                        ** velocity k; DLS_WHAT_SPRINGS + k: springs; -1: the constraints */
  dls_spring_row *spring_row; /* n_spring_rows                                             */
  int n_spring_rows;    /* of springs and dampers                                          */
  int n_late;           /* of these, that also draw the velocities at the end              */
  int n_stiff;          /* motors that hold positions, and seem not to be resolved         */
  dls_spring_try *spring_try; /* dls_spring_tries: what attempts before this one made of them */
  bool again;           /* their account asks for another attempt                          */
  unsigned char *carried; /* n_bodies: their net moves as one rigid body; NULL: no one's   */
  dls_spring_nets *nets; /* the account; NULL: no springs between two points               */
  dls_penalty_at *penalty; /* n_penalties: rows of penalty joints                          */
  int n_penalties;
  double *penalty_impulse, *penalty_u; /* n_bodies x nu: scratch of their stability        */
  double *qd;           /* 6 n_joints: velocities of joints beside the trees at the start  */
  double *stretch;      /* 6 n_joints: coordinates of these at the start; a ball has none  */

  /* --- trees */
  bool soft;            /* their factor has their springs in it                            */
  bool tree_late;       /* some of those draw the velocities at the end                    */
  const double *more;   /* what their factors get beside their inertia; NULL: nothing      */

  /* --- projections */
  double left;          /* what they may leave, of a radius of gyration, rad; 0: round-off  */
  dls_pressed_rows pressed; /* what inequalities pressed in the last turn towards the aim   */
  bool missed;          /* a turn of many rows is not solved to its tolerance               */
  double *u_t;          /* n_bodies x nu: before, at q_c, as joints admit it (held ones)   */
  double *aim;          /* n_bodies x nq: where a projection comes from                    */
  double *way;          /* n_bodies x nu: from where it is to there; scratch               */
  double *answer;       /* n_bodies x nu: what projections do with it; scratch             */
  double *turning;      /* n_bodies: curvature of bodies that stand by themselves (curvature.h) */
  double *bend;         /* DLS_BEND n_nodes of the forest: of those in trees               */
  const double *u_ahead; /* n_bodies x nu: u_f with what joints do about it                */
  double *u_off;        /* n_bodies x nu: u_c - P u_c, P on what joints admit at q_c (step.md) */
  double *q_alone;      /* n_bodies x nq, space: at the end, before projections              */
  double *q_alone_middle; /* n_bodies x nq, space: in the middle, before the fit             */
  double *moment;       /* 3 n_bodies: of what projections of positions moved beside velocities,
                        ** N m s */
  unsigned char *pushed; /* n_bodies: a projection pushed it out of what does not move freely */
  int *group, *next;    /* n_bodies: scratch of moment.c: the first body of a group; the next one,
                        ** -1: none */
  dls_pivots pivots;    /* where S->hinged: trees in the axes of the world (hinged.h)      */
  bool hinged;          /* they stand, are factored and answer there                       */
  bool bent;            /* loops did not come near where they were to go at the end (fit.c) */
  bool bent_middle;     /* nor in the middle of the step                                   */
  /* near singular poses gaps are left in proportion: equations that depend on others could not
  ** be met where each was left by itself (dls_gaps_to_shut) */
  bool alike;
  double off;      /* largest gap of equations at the pose of the turn at hand, by sizes; else 0 */

  /* --- the account, J */
  dls_spring_work sprung;  /* what springs and dampers did                                 */
  double net_gain;         /* of nets of springs, that nothing could pay, J                */
  double closed_impact;    /* what closing joints took before the step, J                  */
  double closed_kinematic; /* and whoever moves them gave, or the far end of a spring at the end of
                           ** the step */
  /* kinetic energy that what joints hold got by turning with its angular momentum: by closing
  ** joints at q_c; from q_c to the end, */
  double turned_middle, turned;
  double turned_free;      /* less what springs alone hold, which turned as free bodies do, J  */
  /* angular momentum that nets lost (net_motion.c) or is not given back (moment.h), of what their
  ** bodies have */
  double moment_lost;
  double joint_work;       /* of torques on the trees' joints, J                           */
  double stored_before;    /* what penalty joints hold at the start, J                     */
  double stored, stored_n, stored_moved; /* in their springs: before; at q'; projected, J  */
} dls_joint_stage;

/* J u of a row between bodies a and b. */
static inline double dls_velocity_between(const dls_joint_stage *S, const double *J,
                                          const double *u, int a, int b) {
  if (S->nu == 3) return dls_row_velocity(3, J, u + 3 * (size_t)a, u + 3 * (size_t)b);
  return dls_row_velocity(6, J, u + 6 * (size_t)a, u + 6 * (size_t)b);
}

/* What the row of a joint's limit, motor or friction reads beyond J u' (joint_rows.h). */
static inline double dls_joints_admitted_more(const dls_joint_stage *S, const dls_block *block) {
  const double *J = S->rows->J + (size_t)block->row * 2 * (size_t)S->nu;
  return dls_velocity_between(S, J, S->u_off, block->a, block->b);
}

/* Whether joints beside the trees, or gears, may have equations. */
static inline bool dls_joints_have_equations(const dls_joint_stage *S) {
  return S->n_unreduced - S->n_doubled + S->n_gears > 0;
}

/* Whether a body is part of a tree. */
static inline bool dls_held_by_tree(const dls_joint_stage *S, int body) {
  return dls_is_on_tree(S->w, body);
}

/* Whether trees or rows of joints may carry bodies. */
static inline bool dls_joints_hold(const dls_joint_stage *S) {
  return S->room_joints > 0 || dls_trees_used(S->w);
}

#endif
