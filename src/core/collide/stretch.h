/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_STRETCH_H
#define DLS_COLLIDE_STRETCH_H

#include "core/collide/first_touch.h"

/* How fast two bodies of a pursuit can come nearer on a stretch of their ways, on which each has
** one leg: first_touch.h's bounds. */
typedef struct dls_stretch {
  bool flat;           /* both have flat faces and no hollow: a separation tells of all of them */
  dls_leg a, b;        /* their legs                                    */
  double arm_a, arm_b; /* m                                             */
  double across_a, across_b; /* rad a step: the most of w that is felt  */
  double carried;      /* of that what bodies do that are carried       */
  double all;          /* most that points can come nearer, m a step    */
  bool hollow;         /* a drum: see dls_stretch_rate_of               */
  /* most acceleration of both, m a step^2; DLS_INF: ways are not told by supports */
  double curve;
  bool ended;          /* end is known                                  */
  dls_pose3 end[2];    /* of a, b where it ends                         */
} dls_stretch;

/* The stretch from s on. */
dls_stretch dls_stretch_at(dls_pursuit *pair, double s);

/* How fast a gap along n can close, m a step; the same of a touch. */
double dls_stretch_rate(const dls_stretch *now, dls_vec3 n);
double dls_stretch_rate_of(const dls_pursuit *pair, const dls_stretch *now, const dls_touch *t);

/* A way on from s, no shorter than `step`, on which bodies that are carried, no more than `gap`
** apart, come nearer by no more than that: what hangs together goes together. */
double dls_stretch_together(dls_pursuit *pair, const dls_stretch *now, double s, double to,
                            double gap, double step);

#endif
