/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_FUNCTION_GAP_H
#define DLS_EVENT_WORLD_FUNCTION_GAP_H

#include "core/event_world/event_world.h"

/* Contacts by hand whose gap is a function of the user's, of all coordinates and time, with its
** gradient by the velocities of two bodies. As in time steps it is divided by the length of its
** gradient for the position of b (of a, where b's is zero), and friction is across that direction
** at point_b. Derivatives in time are central differences (math/difference.h). DLS_STOPPED by the
** function. Statuses: DLS_RANGE, coordinates or velocities that are not finite. */

/* What the function and its gradient say where the world stands and moves. */
typedef struct dls_function_sight {
  double gap, rate;  /* of the gap: all of its rate, m, m/s                                      */
  double carried;    /* of the rate: what the function makes by itself, and moving bodies, m/s   */
  double rough;      /* round-off of the rate, m/s                                               */
  dls_spatial of[2]; /* gradient by the twists of a and b: about their mass centres, world axes  */
} dls_function_sight;
/* x->function_touch[i] is then its place, as below. */
dls_status dls_function_see(dls_event_world *x, int i, dls_function_sight *out);
/* A normal force joins the loads. */
void dls_function_push(dls_event_world *x, const dls_smooth_contact *contact,
                       const dls_function_sight *at, double force);
/* Gap of contact i; x->function_touch[i] is then its place. */
dls_status dls_function_gap(dls_event_world *x, int i, double t, const double *q, double *gap);
/* Its rows, their drifts, and wbar where it is not NULL: as dls_system_def.rows; of a compliant
** contact from the second row on. */
dls_status dls_function_rows(dls_event_world *x, int i, double t, const double *q, const double *u,
                             double *row, double *drift, double *wbar);

#endif
