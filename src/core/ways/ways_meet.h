/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WAYS_WAYS_MEET_H
#define DLS_WAYS_WAYS_MEET_H

#include "core/ways/ways.h"

/* Which pairs can be swift, and which bodies can meet, by bounds that cost little. */

/* How fast a body goes in the two parts of its free way, at most. */
typedef struct dls_way_speed {
  dls_vec3 v[2];  /* of its mass centre, m a step                                  */
  double more[2]; /* of its points beside that: rotation, and what forces may add, m a step */
  double turn[2]; /* of what has no bounds: its rotation, rad a step, which its points feel by their distance; else 0 */
  dls_vec3 x[2];  /* where the mass centre sets out, m                             */
  double size;      /* its reach, m                                                */
  double narrowest; /* its thickness, m                                            */
} dls_way_speed;

/* speed: n_bodies; those without a shape are left out. */
void dls_ways_speeds(const dls_ways *ways, dls_way_speed *speed);

/* Whether a pair is not swift. */
bool dls_ways_is_slow(const dls_way_speed *a, const dls_way_speed *b);

/* For each body those that it may come near to in the step. */
typedef struct dls_ways_near {
  const int *first; /* n_bodies + 1                                                     */
  const int *body;  /* those near body i are body[first[i]] .. body[first[i + 1] - 1], ascending */
  int *chain;       /* n_bodies: the first of the swift pairs kept with a body, -1: none */
  int *next;        /* the next one of the swift pairs kept with that body, ascending   */
  int *n_swift;     /* n_bodies: swift pairs of a body                                   */
} dls_ways_near;

/* DLS_FULL: dls_ways_want. */
dls_status dls_ways_find_near(const dls_ways *ways, const dls_ways_outcome *out, dls_ways_near *near);

/* What is known of bodies a < b; NULL: nothing. */
const dls_swift *dls_ways_known(const dls_ways *ways, const dls_ways_near *near, int a, int b);

#endif
