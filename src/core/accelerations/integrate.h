/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_INTEGRATE_H
#define DLS_ACCELERATIONS_INTEGRATE_H

#include "core/joints/trees.h"
#include "core/ode/forest.h"

/* A world without contacts as a smooth problem for ode.h: q and u of its forest. Statuses:
** DLS_SINGULAR, a link without inertia where its joint moves (trees->fault); DLS_RANGE, coordinates
** or velocities that are not finite. */
typedef struct dls_smooth {
  const dls_forest *forest; /* its trees; first: see dls_ode_on_forest              */
  dls_world *world;  /* its bodies follow each evaluation                          */
  double start;      /* s: where the kinematic bodies' coordinates are from        */
  double *q_start;   /* n_bodies x NQ: those                                       */
  double accepted;   /* s: where turns of joints are counted to                    */
  bool limited;      /* rows of reduced joints (limits that are reached) count, too */
} dls_smooth;

/* Why a world cannot be integrated smoothly. */
typedef enum dls_rough {
  DLS_ROUGH_FINE,
  DLS_ROUGH_LIMITS,  /* joint `a` has limits                                                   */
  DLS_ROUGH_MOTOR,   /* joint `a` has a motor that holds a speed                               */
  DLS_ROUGH_FRICTION, /* joint `a` has dry friction, which could hold it                       */
  /* a contact by hand is active */
  DLS_ROUGH_USER_CONTACT,
  DLS_ROUGH_SHAPES   /* bodies `a` and `b` have shapes that could meet                         */
} dls_rough;
dls_rough dls_world_rough(const dls_world *w, bool stepped, int *a, int *b);

/* The forest is compiled, gathered, placed and moving. q_start holds n_bodies x NQ numbers. */
void dls_smooth_begin(dls_smooth *smooth, dls_world *world, double *q_start);
dls_ode dls_ode_of_world(dls_smooth *smooth);
/* Where what rigid joints and drives hold is off at the start, by more than round-off, the start is
** projected: a step from what they do not admit would not be of the order of its method. Rates of
** joints beside the trees are noted, to count their turns by. */
dls_status dls_smooth_start(dls_smooth *smooth);

/* Takes the run to the nearest state that rigid joints admit, in the metric of M. */
dls_status dls_smooth_project(dls_smooth *smooth, dls_ode_run *run);

/* The state (t, q, u) becomes the world's. DLS_STOPPED by a hook. */
dls_status dls_smooth_accept(dls_smooth *smooth, double t, const double *q, const double *u);

#endif
