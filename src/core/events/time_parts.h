/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_TIME_PARTS_H
#define DLS_EVENTS_TIME_PARTS_H

#include "core/events/event_parts.h"
#include "core/model/contact_law.h"

/* What the files of a system's time step share: stages of time_step.h, in this order. The set is the scratch's: rows in
** listed, first, n_tangents, rows, mu; G; c: velocities at the end with forces alone; b: shifts of the law. */

/* A contact in the step, by its own number; by row: normal, tangents. */
typedef struct dls_time_contact {
  int place;        /* in the set; -1: it has no row                                       */
  int island;       /* contacts of one number have impacts together                       */
  double gap;       /* m, at q_c                                                           */
  double before;    /* m/s: normal velocity before the step                                */
  double v_free;    /* m/s: the same by forces alone, with the drift of q_c                */
  double v[3];      /* m/s, by row: velocities before the step with rows and drift of q_c  */
  double gain[3];   /* m/s, by row: what the drift changes by until the end of the step    */
  double impact[3]; /* N s, by row: impulses that come before the forces                   */
  double back;      /* m/s: normal velocity after them                                     */
  bool speculative;      /* stands by: dls_law_stands_by                                        */
  bool onset;       /* had no row in the last step                                         */
  bool rests;       /* its friction is that of rest                                        */
  bool dies;        /* the rebound ends within the step                                    */
  bool collapsed;   /* of its impacts the rest waits for the forces                        */
} dls_time_contact;

typedef struct dls_time {
  dls_event_scheme *e;    /* the state */
  double h, t_c, t_end;   /* s                                                  */
  dls_stride stride;      /* parts of dt */
  double residual, scale; /* of the solve: relative; m/s                        */
  double noise;           /* m/s: speeds that the solve cannot tell from rest   */
  dls_slip_bounds slips;  /* m/s                                                */
} dls_time;

/* A gap up to this is closed, m. */
static inline double dls_time_closed(const dls_time *x, int i) { return DLS_CLOSED * x->e->system->scale[i]; }

/* Contacts of q_c = scratch->q that may act, from velocities by forces alone, scratch->u: the set, with G and c. */
dls_status dls_time_find_contacts(dls_time *x);

/* Impacts that come before the forces, by Poisson's law or in sequence: scratch->u, c and the contacts follow. */
dls_status dls_time_collide(dls_time *x);

/* The set as a problem on cones: impulses scratch->x, velocities scratch->a; without friction where not wanted. */
dls_status dls_time_cone(dls_event_scheme *e, bool friction, double scale, double *residual);
/* The laws of the set and their solution, with each contact's friction that of what it does. */
dls_status dls_time_solve(dls_time *x);
/* x += factor M^-1 J' p, p by row of the set. */
void dls_time_respond(const dls_event_scheme *e, double factor, const double *p, double *x);
/* Adds contact i with so many rows, from its normal on, to the set; after dls_system_rows. */
dls_status dls_time_list(dls_event_scheme *e, int i, int count);

/* Modes, forces, memory and events. */
dls_status dls_time_record(dls_time *x);

/* Gaps at (t_end, q): what held across one is closed, what is negative opened. */
dls_status dls_time_project(dls_time *x, double *q);

#endif
