/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_EQUILIBRIUM_SEARCH_H
#define DLS_WORLD_EQUILIBRIUM_SEARCH_H

#include "core/accelerations/joint_acc.h"
#include "core/accelerations/smooth.h"
#include "core/world/equilibrium.h"

/* The search of an equilibrium: equilibrium_pose.c has what is known of a pose, equilibrium.c goes
** from one to the next. Velocities, steps and gaps are in rad and in the world's own length,
** whatever its scale is. */

/* Gaps below its negative are beyond a limit. */
#define DLS_LIMITED 1e-9

enum { DLS_JOINT_NUMBERS = 7 }; /* of dls_joint_state.q */

typedef struct dls_equilibrium_search {
  dls_smooth *smooth;  /* accelerations of the world                           */
  const dls_ode *ode;  /* its coordinates, and how they go on                  */
  size_t n, ld;        /* velocities; rows of R are so far apart               */
  double length;       /* m                                                    */
  double *unit;        /* n: of each velocity, 1 rad or the length             */
  double *q, *at;      /* nq: a pose; the one tried                            */
  double *a, *tried;   /* n: udot at rest here; there                          */
  double *s, *Ms, *d;  /* n: step; M s; displacement                           */
  double *M, *K, *P;   /* n x n                                                */
  double *R;           /* n x ld                                               */
  double *angle;       /* n_bodies, plane: at q, turns counted, rad            */
  double *joints;      /* DLS_JOINT_NUMBERS a joint: coordinates at q, likewise    */
  double *seen;        /* the same, as forces at the pose tried had them       */
  unsigned char *held; /* a joint: bits of the limits that are equations       */
  double *force;       /* DLS_JOINT_LIMITS a joint: what those do, at the pose evaluated last */
  double *gap, *there; /* the same: gaps of limits here; at the pose evaluated last; +inf: none */
  bool astray;         /* these differ by turns from those of the pose tried   */
  double most;         /* largest diagonal of K by that of M, 1/s^2            */
  double scale;        /* largest |udot| met, and |gravity|                    */
  double energy;       /* here, see energy_of, J                               */
} dls_equilibrium_search;

/* The largest radius of gyration, arm of a joint, arm and length of a spring, m; 1 where there is
** none. */
double dls_equilibrium_length(const dls_world *w);
/* Whether a velocity of the forest turns something. */
bool dls_equilibrium_turns(const dls_forest *f, size_t i);
/* M at the pose evaluated last. */
void dls_equilibrium_mass(dls_equilibrium_search *x);
/* The turns of bodies and joints, which a pose alone does not tell: those of the world, at the pose
** evaluated last, are those of q. */
void dls_equilibrium_note_turns(dls_equilibrium_search *x);
/* Those of q are the world's. */
void dls_equilibrium_go_back(const dls_equilibrium_search *x);
/* The pose that joints admit next to q (+) share d into x->at, and udot there into a. */
dls_status dls_equilibrium_evaluate(dls_equilibrium_search *x, double share, const double *d,
                                    double *a);
/* Largest gap of rigid joints, gears and limits that are held at the pose evaluated last. */
double dls_equilibrium_gap(const dls_equilibrium_search *x);
/* Energy of the pose evaluated last, less the work of constant forces: what falls where forces
** push, but for fields and, in space, torques. */
double dls_equilibrium_energy(dls_world *w);

/* Gaps of limits at the pose evaluated last, into x->there; penalties have forces instead. Answers
** the least. */
double dls_equilibrium_find_limits(dls_equilibrium_search *x);
/* Limits of the working set are equations, the others are kept. */
bool dls_equilibrium_holds(const dls_equilibrium_search *x, int limit);
void dls_equilibrium_hold(dls_equilibrium_search *x, int limit, bool on);
/* The limit that is met first on the way to the pose evaluated last, and at which share of it; -1:
** none is. */
int dls_equilibrium_first_met(dls_equilibrium_search *x, double *share);
/* The one that pulls most is held no more; false: none pulls. */
bool dls_equilibrium_let_go(dls_equilibrium_search *x);

#endif
