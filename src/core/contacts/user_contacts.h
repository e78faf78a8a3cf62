/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_USER_CONTACTS_H
#define DLS_CONTACTS_USER_CONTACTS_H

#include "core/step/step.h"

/* Contacts stated by hand, at any coordinates q with the poses of the step:
**
**   point   gap = n . (P_b - P_a), n fixed in a: the point P_b against a plane of a
**   rope    gap = length - |P_b - P_a|
**   gap     a function of the maker's of all coordinates and time, with its gradient by the velocities
**
** A gap function is divided by the length of its gradient for the position of b (of a where b does
** not move freely), which is 1 for a distance: the row's impulse is then in N s, and friction is
** within mu of it, across that direction at point_b. */

typedef struct dls_user_gap {
  double gap;              /* m */
  dls_vec3 n, r_a, r_b, point; /* normal; arms from the mass centres; contact point: world, m */
  double J[2 * DLS_NU(3)]; /* of the gap, 2 nu numbers                           */
  double scale;            /* metres per unit of a function's gap                */
  /* what the gap changes by with time alone, m/s; at the end of the step; where asked */
  double drift, later;
} dls_user_gap;

/* Hand-made contact i at the coordinates q of all bodies and the time t. moving: also drift and
** later. */
dls_status dls_user_contact_at(dls_step *S, int i, const double *q, double t, bool moving,
                               dls_user_gap *out);

/* The stage: those that act at q_c as contacts with rows. Ropes and gap functions are curved: their
** rows hold what the gap's rate is at the end of the step, so that a stone on a string keeps its
** speed to second order. */
dls_status dls_find_user_contacts(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks);

#endif
