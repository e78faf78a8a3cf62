/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_HOLDS_H
#define DLS_EVENT_WORLD_HOLDS_H

#include "core/joints/trees.h"

/* Rigid joints, gears and motors without bound of an event-driven world, always: with their rows B
** and W = B M^-1 B' what answers a force is
**
**     M^-1 - M^-1 B' W^+ B M^-1
**
** so that impacts and contact problems know them without rows of their own. Dependent rows share
** by the least norm, as in accelerations. Statuses: DLS_SINGULAR, a link without inertia where its
** joint moves (trees->fault); DLS_RANGE, coordinates or velocities that are not finite. */
typedef struct dls_holds {
  int n, room;         /* rows; 0: no joint is rigid                                */
  struct dls_event_world *of; /* whose joints they are */
  double *B, *MB;      /* room x nu: rows, M^-1 of them                             */
  double *W, *A, *kernel; /* room x room                                            */
  double *b, *x, *scale, *share; /* room                                            */
  int *perm;           /* room                                                      */
  void *block;         /* one allocation: its arrays */
  size_t block_size;   /* of it, bytes */
} dls_holds;

/* For the joints of x's world, whose forest is compiled. */
dls_status dls_holds_create(dls_holds *holds, struct dls_event_world *x);
void dls_holds_destroy(dls_holds *holds);

/* Rows at the instant where the world stands and accelerates without them; their forces join
** state->wrench, and world->joint_own knows them: the caller accelerates again. */
dls_status dls_holds_accelerate(dls_holds *holds);
/* W: what motors without bound give, and whoever moves bodies and joints, by the forces found
** last. */
typedef struct dls_holds_work {
  double motors, carried; /* W: of motors; of motions given */
} dls_holds_work;
dls_status dls_holds_charge(dls_holds *holds, dls_holds_work *out);
/* An impact: du without them becomes du; their impulses join state->wrench; J of these. */
dls_status dls_holds_strike(dls_holds *holds, double *du, dls_holds_work *out);
/* M^-1 w in x becomes what answers it: k of them, nu numbers each. */
void dls_holds_answer(dls_holds *holds, int k, double *x);
/* q and u to the nearest that the joints admit, at the time t. */
dls_status dls_holds_project(dls_holds *holds, double t, double *q, double *u);

#endif
