/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_FIRST_TOUCH_H
#define DLS_COLLIDE_FIRST_TOUCH_H

#include "core/collide/collide.h"
#include "core/math/tumble.h"

/* Where two shapes first touch along their ways.
**
** A way has legs of constant twist: on a leg the mass centre goes x(s) = x + (s - from) v, and the
** body turns by the rotation vector (s - from) w, or tumbles with its angular momentum; s is a
** share of the step, so v is in m, w in rad.
**
** Conservative advancement (Mirtich 1996), with a bound by direction. At s let g be the gap of two
** convex parts along n, which separates them: g is a lower bound of their distance, and stays one
** along n. A point of a body at the arm r from its mass centre has n . (v + w x r) <= n . v + |w x
** n| |r|, on the whole leg, since w is constant there. So with
**
**     rate = max(0, n . (v_a - v_b) + |w_a x n| arm_a + |w_b x n| arm_b)
**
** they are apart until s + g / rate; rate = 0: until the leg ends. Balls turn without an effect
** (arm = |com|), a capsule's points are its segment's, and what is round about its own axis feels
** only w across it. Without rotation sphere and plane take one step. The inside of a drum's shell
** is not convex: there the rate is that of all directions.
**
** What is carried along arcs has velocities of all directions in its bound, those of its carriers
** included, so that a body that falls with its neighbours comes near to all of them. Ways of convex
** bodies in space bend little: where no point of a and b has together a greater acceleration than c
** (dls_leg_curve), and their supports along n tell that the gap closes by d from s to s + ds, then
** at the share t of that it is still g - t d - t (1 - t) c ds^2/2 at least, along n; the first zero
** of that is looked at, with ds drawn together around it.
**
** Of two convex bodies with flat faces g is their largest separation along normals and crossings of
** edges (separate3.h): less than their distance where corners are nearest, and that or their
** overlap where they touch. Touches are found only where it is closed.
**
** And what hangs together goes together (stretch.h): over windows that are short enough for c to
** mean little, chords of both bodies tell how fast any points of them can come nearer.
**
** Steps become short where parts pass each other closely, and never shorter than a hundredth of the
** smaller thickness: what dips into the other by less than that between two looks, by rotation, is
** not seen to touch. A look that finds parts in each other is followed by a search for the zero of
** the gap between it and the one before. */

enum { DLS_LEGS = 4, DLS_PATHS = 3 };

/* A body carried by another: beside its carrier it turns about a point by a constant rotation
** vector, while the point goes straight. So what hangs on hinges goes along arcs, from one pose of
** all joints to another. */
typedef struct dls_hung {
  int carrier;       /* number of the carrier; -1: the world          */
  /* the point at the start, from the carrier's mass centre in its axes; how far it goes, m */
  dls_vec3 from, go;
  dls_vec3 turning;  /* in the carrier's axes, rad                    */
  dls_quat turn;     /* space: of the body beside its carrier, at the start */
  double angle;      /* plane: the same, rad                          */
  dls_vec3 arm;      /* from the point to the mass centre, in the body's axes, m */
} dls_hung;

typedef struct dls_leg {
  double from, to;   /* shares of the step                            */
  dls_vec3 x;        /* mass centre at `from`, world, m               */
  dls_quat turn;     /* space: of the body there                      */
  double angle;      /* plane: of the body there, rad                 */
  dls_vec3 v, w;     /* m, rad a step; world axes; in the plane w.z   */
  bool tumbles;      /* instead of turning by w:                      */
  dls_vec3 L;        /* angular momentum, times the step              */
  double most;       /* no point of time has a faster turn, rad a step */
  int path;          /* number of its path of the way; -1: it turns too far for one */
  /* NULL: as above; else all bodies that are carried, on this leg: then v and w are but about
  ** how it goes, and x, turn and angle are not read */
  const dls_hung *hung;
  double span;       /* of the step, while these go their ways, s     */
  double fastest;    /* no point of it goes farther, m a step         */
  double curve;      /* or bends more: its acceleration, m a step^2     */
} dls_leg;

typedef struct dls_way {
  const dls_shape *shape; /* borrowed */
  dls_vec3 com;      /* mass centre in the shape's frame, m           */
  bool planar; /* else in space */
  int n;             /* legs, from 0 to 1                             */
  dls_leg leg[DLS_LEGS]; /* n, one after the other */
  double until;      /* from there on it stands still; >= 1: it does not */
  dls_tumble tumble; /* of the body, where a leg tumbles              */
  int n_paths;       /* of path                                       */
  dls_tumble_path path[DLS_PATHS]; /* n_paths, of legs that tumble    */
  int number;        /* of the body among those that are carried      */
} dls_way;

/* A way without legs: those, and what they lead to, are written once they are known. */
static inline dls_way dls_way_blank(const dls_shape *shape, dls_vec3 com, bool planar, int number) {
  dls_way way;
  way.shape = shape, way.com = com, way.planar = planar, way.number = number;
  way.n = way.n_paths = 0;
  way.until = 2;
  return way;
}

/* Where a tumbling body stood at the latest two shares that were looked at in order: what is next
** to them is near; and where a body that is carried stood at the latest one. */
typedef struct dls_way_memo {
  int n; /* how many, 0 .. 2 */
  double s[2]; /* shares of the step, 0 .. 1 */
  dls_quat turn[2]; /* rotations there */
  bool carried; /* the latter is known */
  double at;    /* its share of the step */
  dls_vec3 x;   /* the mass centre there, m */
  dls_quat by;  /* the rotation there */
} dls_way_memo;

/* A pair that is followed. */
typedef struct dls_pursuit {
  const dls_way *a, *b; /* of its bodies, borrowed */
  double thickness;  /* the smaller one, m                                                  */
  double size;       /* of the smaller body, m: a gap of 1e-9 of it is closed               */
  dls_touch *touch;  /* room: touches found                                                 */
  int room, n; /* of touch; found */
  uint64_t *passed;  /* passed_room: parts (dls_touch.part) that may touch                  */
  int passed_room, n_passed; /* of passed; found */
  double slack;      /* of a passed part: an overlap of so much is a touch, m; DLS_INF: none is */
  double leeway;     /* of any other part, m; 0 by default                                  */
  const uint64_t *only; /* not NULL: nothing but this part is looked at                     */
  double at;         /* share of the step at which they touch                               */
  int looks;         /* made so far                                                         */
  int most;          /* looks, about, until strides get long; 0: no bound but its own       */
  dls_way_memo memo[2]; /* of a, b                                                          */
} dls_pursuit;

typedef enum dls_pursued {
  DLS_PURSUED_APART,  /* no part that is looked at touches                                  */
  DLS_PURSUED_TOUCH,  /* `at`, and touches of the parts that are closed there, by key       */
  DLS_PURSUED_ROOM    /* n says for how many touches there is no room                       */
} dls_pursued;

/* From one share of the step to another; what is closed at the first is a touch there. */
dls_pursued dls_pursue(dls_pursuit *pair, double from, double to);

/* The touches at s within margin, by key: into touch, n of them; `covered`: also of features that a
** neighbour covers. False: no room. */
bool dls_pursuit_look(dls_pursuit *pair, double s, double margin, bool covered);

/* Whether a part is among those passed; adds it (false: no room). */
bool dls_pursuit_knows(const dls_pursuit *pair, uint64_t part);
bool dls_pursuit_pass(dls_pursuit *pair, uint64_t part);

/* Whether its body is carried by joints along it. */
static inline bool dls_leg_is_hung(const dls_leg *leg) { return leg->hung != NULL; }

/* Where a body is at s. */
void dls_way_at(const dls_way *way, double s, dls_vec3 *x, dls_quat *turn, double *angle);

/* The orientation at s on a leg that tumbles. */
dls_quat dls_way_tumbled(const dls_way *way, const dls_leg *leg, double s);

/* How fast the body's point that is at p goes at s on its leg there, m a step. */
dls_vec3 dls_way_velocity(const dls_way *way, const dls_leg *leg, double s, dls_vec3 p);

/* The pose of its shape at s; of the plane turned about z. In space, on a leg of it. */
dls_pose3 dls_way_pose(const dls_way *way, double s);
dls_pose3 dls_way_pose_on(const dls_way *way, const dls_leg *leg, double s);
/* The same in the plane, and in space with what is known of where it was last (memo); its mass
** centre. */
dls_pose2 dls_way_pose2(const dls_way *way, double s);
dls_pose3 dls_way_pose3(const dls_way *way, double s, dls_way_memo *memo);
dls_vec3 dls_way_centre(const dls_way *way, double s, dls_way_memo *memo);

/* The leg that s is on, the later one where two meet if `late`; its twist is zero where the way is
** over. */
dls_leg dls_way_leg(const dls_way *way, double s, bool late);

/* How it turns at s on a leg, rad a step, and the most that it does anywhere there. */
dls_vec3 dls_way_rate(const dls_way *way, const dls_leg *leg, double s);
static inline double dls_leg_turn(const dls_leg *leg) {
  return leg->tumbles ? leg->most : dls_v3_norm(leg->w);
}

/* No point of a body has a greater acceleration on a leg, m a step^2: then none leaves the straight
** way between two shares ds apart by more than ds^2/8 of it. DLS_INF: not known. */
double dls_leg_curve(const dls_way *way, const dls_leg *leg);

/* Whether a body's shape is round about its first axis, and its mass centre is on that. The most of
** its turning that such a shape's axis feels anywhere on a leg, rad a step; of others all of it. */
bool dls_way_is_round(const dls_way *way);
double dls_leg_across(const dls_way *way, const dls_leg *leg);

#endif
