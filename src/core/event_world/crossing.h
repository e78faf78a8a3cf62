/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_CROSSING_H
#define DLS_EVENT_WORLD_CROSSING_H

#include "core/math/vec.h"

/* Two axes (of capsules in space) and their points nearest to each other, D = off - on:
**
**     on = a + s u,  off = b + t v;  D . u = 0 where s is free (within its axis), D . v = 0 where t is
**
** |D| has a continuous first derivative where those points are unique: but for parallel axes beside
** each other. */
typedef struct dls_crossing {
  dls_vec3 on, off, u, v; /* u, v: unit                                                      */
  bool free_on, free_off; /* s, t are within their axes */
  double sine2;           /* |u x v|^2                                                       */
  double overlap;         /* m: of the axes along u; negative: one lies ahead of the other   */
} dls_crossing;

dls_crossing dls_crossing_of(dls_vec3 a, dls_vec3 a_end, dls_vec3 b, dls_vec3 b_end);
/* ds/dt and dt/dt where the bodies turn with omega_on, omega_off and the body's point at `off` has
** the velocity w relative to that at `on`. */
void dls_crossing_rates(const dls_crossing *x, dls_vec3 w, dls_vec3 omega_on, dls_vec3 omega_off,
                        double *on, double *off);

#endif
