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
  /* of what has no bounds: its rotation, rad a step, which its points feel by their distance; else
  ** 0 */
  double turn[2];
  dls_vec3 x[2];  /* where the mass centre sets out, m                             */
  double size;      /* its reach, m                                                */
  double narrowest; /* its thickness, m                                            */
} dls_way_speed;

/* A ball about its mass centre that moves freely goes along a line: a bound of the square of its
** way, m^2 a step, as it is and relative to what goes along with `stream`; DLS_INF of anything
** else. */
typedef struct dls_ball_way {
  double alone, streaming; /* m^2 */
} dls_ball_way;

/* way: n_bodies. The stream is the mean way of the balls that may be fast; `most`: the square of a
** way that is swift. */
void dls_ways_of_balls(const dls_ways *ways, double most, dls_ball_way *way);

/* Whether a pair is not swift by these bounds: (|a| + |b|)^2 <= 2 (|a|^2 + |b|^2), so that nobody
** takes a root. */
static inline bool dls_ways_are_slow_balls(const dls_ball_way *a, const dls_ball_way *b,
                                           double most) {
  return (2 * (a->alone + b->alone) < most) | (2 * (a->streaming + b->streaming) < most);
}

/* The most that body i, which has a shape, goes. */
dls_way_speed dls_ways_speed(const dls_ways *ways, int i);

/* Whether a pair is not swift. */
bool dls_ways_is_slow(const dls_way_speed *a, const dls_way_speed *b);

/* For each body those that it may come near to in the step. Where few are asked for, boxes are
** looked through for each; else they are all found at once. */
typedef struct dls_ways_near {
  const double *lo[3], *hi[3]; /* n_bodies: boxes                                        */
  int *found; /* n_bodies: what was found last, first == NULL                            */
  const int *first; /* n_bodies + 1; NULL: few are asked for                             */
  const int *body;  /* those near body i are body[first[i]] .. body[first[i + 1] - 1], ascending */
  int *chain;       /* n_bodies: the first of the swift pairs kept with a body, -1: none */
  int *next;        /* a swift pair: the next one kept with that body, ascending        */
  int *n_swift;     /* n_bodies: swift pairs of a body                                   */
} dls_ways_near;

/* For about so many bodies. DLS_FULL: dls_ways_want. */
dls_status dls_ways_find_near(const dls_ways *ways, const dls_ways_outcome *out, int asked,
                              dls_ways_near *near);

/* Those near body i, *n of them, ascending. */
const int *dls_ways_near_to(const dls_ways *ways, const dls_ways_near *near, int i, int *n);

/* What is known of bodies a < b; NULL: nothing. */
const dls_swift *dls_ways_known(const dls_ways *ways, const dls_ways_near *near, int a, int b);

#endif
