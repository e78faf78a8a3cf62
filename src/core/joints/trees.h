/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_TREES_H
#define DLS_JOINTS_TREES_H

#include "core/joints/acc_row.h"
#include "core/joints/spring_law.h"
#include "core/model/world.h"

/* What the reactions of joints are of. */
typedef enum dls_known {
  DLS_KNOWN_NOTHING,     /* nobody knows                                             */
  DLS_KNOWN_STEP,        /* the last step; the forest stands at its end              */
  DLS_KNOWN_RECALLED,    /* the last step; the forest stands in its middle           */
  DLS_KNOWN_MEANS,       /* means over the last step's parts, in joint_own and joint_qdd */
  DLS_KNOWN_ACCELERATION /* an evaluation                                            */
} dls_known;

/* The bodies of a world as a forest: a link for every dynamic body in the order in which they were
** made (q and u of the whole world follow it), and a given link for every kinematic or static body
** that carries one. Bodies without reduced joints are free links: their state stays in the world's
** arrays, that of the others in the states of their joints; the world's arrays then hold what
** follows from those. */
typedef struct dls_trees {
  bool stale;              /* the model has changed since it was compiled                   */
  dls_forest *forest;      /* NULL: not compiled                                            */
  /* forest without bodies that hang on nothing: what time steps walk, whose nodes alone stand at the
  ** end of one */
  dls_forest walked;
  int *walked_link;        /* n_walked: links of it, ascending                              */
  int n_walked;
  dls_forest_state *state; /* of it                                                         */
  int n_links;             /* links of forest                                               */
  int n_reduced;           /* reduced joints alive                                          */
  int *link_body;          /* n_links: body of each                                         */
  int *link_joint;         /* n_links: joint that carries it, -1 none                       */
  int *drive_joint, *drive_motion; /* forest->n_drives: whose                               */
  int room_links, room_drives, room_bodies; /* what the arrays have room for                */
  int *body_link;          /* room_bodies: link, -1 none                                    */
  int *body_tree;          /* room_bodies: first body of its tree where joints hold it, or -1 */
  int *carrier;            /* room_map: reduced joint that carries the body, -1 none        */
  int *group;              /* room_map: union-find: bodies joined by reduced joints         */
  int room_map;            /* bodies that carrier and group know                            */
  bool parted;             /* groups may hold bodies that joints no longer join             */
  double *u_free, *u_end;  /* forest->nu: velocities of a step without, with rows           */
  double *q_mid;           /* forest->nq: where the step is evaluated                       */
  double *q_aim;           /* forest->nq: where a projection comes from                     */
  double *u_before;        /* forest->nu: at the start of the step                          */
  double *gave;            /* forest->nu: what had to give way then: joints do not admit it  */
  double *u_scratch;       /* forest->nu                                                    */
  /* forest->nu: what rotors, as bodies of their own, are faster than u_end */
  double *u_apart;
  dls_spring_law *law;     /* forest->nu: springs and dampers in a step; k = c = 0: none     */
  /* forest->nu: what they add to the inertia, in the solve and at the end */
  double *soft, *late;
  double *give;            /* forest->nu: by what coordinates on springs give to an impulse  */
  double *impulse;         /* forest->nu: of what acts along coordinates in a step          */
  double *mean;            /* forest->nu: rates that the end is drawn to                    */
  double *jump;            /* 6 n_links: impulses on the links from their joints in the last
                           ** step, moment about the centre first; not state                */
  /* 6 n_links: what is closed before the step, and admitted at its end, has of them: where it
  ** acts is not where the rows do */
  double *apart_jump;
  double *wrench;          /* 6 n_links: impulses of rows on the links, about their centres */
  dls_drive *drives_mid;   /* drives and given links in the middle of the last step         */
  dls_given *given_mid;
  double step_time;        /* its length, s                                                 */
  bool pushed;             /* its rows pushed on trees: wrench holds how                    */
  double *velocity;        /* 6 n_links: of the links, scratch                              */
  double *du;              /* forest->nu: scratch                                           */
  /* push_room: forces of an evaluation, kept for the next one; NULL: lent */
  double *push;
  size_t push_room;        /* numbers                                                       */
  /* 3 n_nodes each: axes of balls that turn about one alone, node axes (doubled.h); the turns that
  ** bring them where they should be, tan(angle/2); of so many balls in the last step */
  double *axis, *off_axis;
  int n_axes;
  int known;               /* dls_known: what the reactions are of                          */
  int method;              /* dls_forest_method                                             */
  dls_arena arena;         /* of the methods that need one                                  */
  dls_arena rows_arena;    /* of rows on the forest outside of steps                        */
  dls_acc_room acc_room;   /* of rows on accelerations and their laws                       */
  dls_fault fault;         /* of the last failure: a BODY and a value                       */
  bool one_of_more;        /* other accelerations may obey the laws: they were not sought   */
  bool without_friction; /* of accelerations, where equilibria are sought                   */
  /* forest->nu: forces along coordinates beside what acts (borrowed: linearisation); NULL: none */
  const double *more_tau;
  /* a joint: bits of the limits that act, as equations, and no others; NULL: limits act as they
  ** are (borrowed: equilibrium) */
  const unsigned char *limits_held;
  /* DLS_JOINT_LIMITS a joint: what those of the last accelerations do; borrowed with it */
  double *limit_force;
  dls_forest_fault model_fault; /* of the last compilation: link is a BODY                  */
} dls_trees;


/* --- the carrier of each body (trees.c) ------------------------------------------------------- */

/* Bodies that joints were not told about yet become known: carried by none, each its own group. */
dls_status dls_trees_map(dls_world *w);
/* Groups are of the joints that there are, whatever was taken out. */
void dls_trees_regroup(dls_world *w);
/* After that the first body of those that hang together with body i. */
int dls_trees_group(dls_trees *t, int i);
/* A reduced joint, number index, carries its child. */
void dls_trees_join(dls_world *w, const dls_joint *joint, int index);
/* It carries it no longer. */
void dls_trees_part(dls_world *w, const dls_joint *joint);
/* Bodies or joints stand at other places. */
void dls_trees_moved(dls_world *w);
/* Adds a gear between two joints of one coordinate. */
dls_status dls_world_gear_add(dls_world *w, const dls_gear *def, int *index);
void dls_world_gear_remove(dls_world *w, int index);
/* Whether bodies a and b hang together by reduced joints. */
bool dls_trees_joined(dls_world *w, int a, int b);
/* A point mass that hangs on nothing in a tree, and that a joint beside the trees pushes beside its
** centre or turns: it has no inertia for that; -1: none. */
int dls_joints_turn_point(const dls_world *w);
/* The reduced joint that carries a body; -1. */
static inline int dls_trees_carrier(const dls_world *w, int body) {
  return w->trees && body < w->trees->room_map ? w->trees->carrier[body] : -1;
}
/* The reduced joint between bodies a and b, of which it carries one; -1. */
int dls_trees_joint_between(const dls_world *w, int a, int b);
/* Whether a joint is between bodies a and b, whose shapes then do not meet: a reduced one; one of
** any formulation. */
bool dls_are_tree_joined(const dls_world *w, int a, int b);
bool dls_are_joined(const dls_world *w, int a, int b);
/* Makes room for n numbers in two arrays of one size. */
dls_status dls_grow_two(dls_world *w, int **x, int **y, int *room, int n);

/* --- the forest (trees.c) --------------------------------------------------------------------- */

/* Compiles the forest where the model has changed. DLS_ARG: fault says what (link: the body). */
dls_status dls_trees_update(dls_world *w, dls_forest_fault *fault);
void dls_trees_destroy(dls_world *w);
/* Another forest like the compiled one, for whoever is to own it. */
dls_status dls_trees_make(dls_world *w, dls_forest **out, dls_forest_fault *fault);

/* Whether the world has reduced joints: only then a step looks at trees. */
static inline bool dls_trees_used(const dls_world *w) {
  return w->trees && w->trees->n_reduced > 0;
}

/* Whether a body is part of a tree. */
static inline bool dls_is_on_tree(const dls_world *w, int body) {
  return dls_trees_used(w) && w->trees->body_tree[body] >= 0;
}

/* --- numbers in and out (trees_state.c) ------------------------------------------------------- */

/* The forest's factor (forest/dynamics.h) where it stands. DLS_SINGULAR. */
dls_status dls_trees_factor(dls_world *w);
/* A fault of the forest as w->trees->fault, by body; answers the status it came with. */
dls_status dls_trees_keep_fault(dls_world *w, dls_status status, dls_fault fault);

/* Joint states and the bodies' arrays q, u -> the forest's q and u, whose balls turn about any axis;
** given links (from q_given, u_given) and drives for t. DLS_STOPPED by a hook. */
dls_status dls_trees_gather(dls_world *w, const double *q, const double *u, const double *q_given,
                            const double *u_given, double t);
/* Given links alone, from the bodies' arrays. */
void dls_trees_give(dls_world *w, const double *q, const double *u);
dls_status dls_trees_drive(dls_world *w, double t);
/* Joints that carry the bodies marked in which have the forest's coordinates that they began with;
** roots are at q. */
void dls_trees_rest(dls_world *w, const unsigned char *which, const double *q);
/* Gravity, given links (from the bodies) and drives for t. */
dls_status dls_trees_inputs(dls_world *w, double t);
/* The forest's q and u -> joint states. */
void dls_trees_keep(dls_world *w);
/* Poses and velocities of the forest -> the arrays q, u (either may be NULL) of bodies in trees, or
** of all. After place and move. */
void dls_trees_scatter(dls_world *w, double *q, double *u, bool all);
/* In the plane: angles of bodies in trees (w->q) and of the hinges between them that are not
** reduced turn on by what coordinates turn from those of the state to `to`, whole turns included
** (scatter and dls_joints_keep take the angle nearest to the last). */
void dls_trees_turn(dls_world *w, const double *to);

/* After joints or roots of trees have been moved: the bodies follow. Compiles where needed. After
** joint number made, -1 none, was added: its tree takes the velocities nearest to its bodies'. */
dls_status dls_trees_follow(dls_world *w, int made, dls_forest_fault *fault);

/* What a change of one body or reduced joint overwrites, as it was before. */
typedef struct dls_undo {
  int body, joint; /* -1: not of one */
  dls_body model;  /* of a body */
  double q[7], q_before[7], u[6]; /* its state: rad, m, /s */
  dls_joint_state state;          /* of a joint */
} dls_undo;
dls_undo dls_undo_of_body(const dls_world *w, int body);
dls_undo dls_undo_of_joint(const dls_world *w, int joint);
/* After the change (of a pose, a velocity, coordinates, masses): what hangs on it follows, beside
** another velocity of a given body as after a blow. Any other answer than DLS_OK: it does not, and
** what was changed is as it was before. */
dls_status dls_trees_follow_change(dls_world *w, const dls_undo *undo, dls_forest_fault *fault);

/* --- forces (trees_load.c) -------------------------------------------------------------------- */

/* User's torques of joints, pushes and loads of bodies -> tau, wrench; more of what steps have as
** rows as forces at q and u of the forest. */
enum {
  DLS_LOAD_SPRINGS = 1,
  DLS_LOAD_FRICTION = 2,
  DLS_LOAD_MOTORS = 4 /* that hold a position */
};
void dls_trees_load(dls_world *w, const double *push, int more);

/* --- joints (add.c) --------------------------------------------------------------------------- */

/* Adds a joint; motions are copied. The state is measured from the bodies. */
dls_status dls_world_joint_add(dls_world *w, const dls_joint *def, int *index);
void dls_world_joint_remove(dls_world *w, int index);
/* The slot that the next one gets. */
int dls_world_joint_slot(const dls_world *w);
/* Joints, gears move up where others were taken out (slots.h). */
void dls_joints_move_up(dls_world *w);
void dls_gears_move_up(dls_world *w);
/* Coordinates of joints beside the trees follow their bodies: turns are counted, next to where they
** were. */
void dls_joints_keep(dls_world *w);
/* The same where bodies went on for a time dt: next to where the mean of the rates then, u of the
** joints' states, and now takes what turns by more than a radian. Those of now are noted. */
void dls_joints_keep_after(dls_world *w, double dt);
/* Prescribed motions of joints that have rows, for the time t: into world->joint_drive.
** DLS_STOPPED. */
dls_status dls_joints_drive(dls_world *w, double t);
/* The body's frame. */
dls_place dls_body_frame(const dls_world *w, int body);
/* Pose of the joint's frame on b in its frame on a, from the bodies. */
dls_place dls_joint_between(const dls_world *w, const dls_joint *joint);

#endif
