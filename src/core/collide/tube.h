/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_TUBE_H
#define DLS_COLLIDE_TUBE_H

#include "core/collide/first_touch.h"

/* What a body fills along its way, in space: boxes where its legs end, which go straight in
** between, wider by what its points leave the straight way by (dls_leg_curve). Where two boxes go
** straight their distance along an axis is linear, so it is positive all the way if it is so at
** both ends: two bodies that fall side by side are apart, however far they go. */
typedef struct dls_tube {
  int n;                                       /* ends                                */
  double s[2 * DLS_LEGS];                      /* their shares of the step, ascending */
  dls_vec3 lo[2 * DLS_LEGS], hi[2 * DLS_LEGS]; /* boxes there, m                      */
  dls_vec3 low, high;                          /* the box of all of them, m           */
} dls_tube;

dls_tube dls_tube_of(const dls_way *way);

/* Whether two bodies are nowhere within `margin` (m) of each other, as these tell. */
bool dls_tubes_apart(const dls_tube *a, const dls_tube *b, double margin);

#endif
