/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_TIME_PARTS_H
#define DLS_EVENTS_TIME_PARTS_H

#include "core/events/event_parts.h"
#include "core/model/contact_law.h"
#include "core/model/impact_law.h"

/* What the files of a system's time step share: stages of time_step.h, in this order. The set is
** the scratch's: rows in listed, first, n_tangents, rows, mu; G; c: velocities at the end with
** forces alone; b: shifts of the law. Statuses: DLS_SINGULAR, an impact without a solution. */

/* A contact in the step, by its own number; by row: normal, tangents. */
typedef struct dls_time_contact {
  int place;        /* in the set; -1: it has no row                                       */
  double gap;       /* m, at q_c                                                           */
  double before;    /* m/s: normal velocity before the step                                */
  double v_free;    /* m/s: the same by forces alone, with the drift of q_c                */
  double free[3];   /* m/s, by row: at the end of the step by forces alone                 */
  double v[3];      /* m/s, by row: velocities before the step with rows and drift of q_c  */
  double gain[3];   /* m/s, by row: what the drift changes by until the end of the step    */
  double impact[3]; /* N s, by row: impulses that come before the forces                   */
  double back;      /* m/s: normal velocity after them                                     */
  bool speculative;      /* stands by: dls_law_stands_by                                        */
  bool onset;       /* had no row in the last step                                         */
  bool rests;       /* its friction is that of rest                                        */
  bool dies;        /* the rebound ends within the step                                    */
  bool collapsed;   /* of its impacts the rest waits for the forces                        */
  bool tells;       /* of an island that collapsed the one whose event says so             */
} dls_time_contact;

typedef struct dls_time {
  dls_event_scheme *e;    /* the state */
  double h, t_c, t_end;   /* s                                                  */
  dls_step_halves halves; /* of dt */
  double residual, scale; /* of the solve: relative; m/s                        */
  double noise;           /* m/s: speeds that the solve cannot tell from rest   */
  dls_slip_bounds slips;  /* m/s                                                */
} dls_time;

/* A gap up to this is closed, m. */
static inline double dls_time_closed(const dls_time *x, int i) {
  return DLS_CLOSED * x->e->system->scale[i];
}

/* Velocities that are the round-off of those that there were, m/s. */
static inline double dls_time_round_off(const dls_time *x) {
  return DLS_IMPACT_APPROACH_NOISE * x->e->speed;
}

/* Contacts of q_c = scratch->q that may act, from velocities by forces alone, scratch->u: the
** set, with G and c. */
dls_status dls_time_find_contacts(dls_time *x);

/* Contacts of the set that move each other, by way of others as well: island[k] of the place k,
** -1 for who is left out, else anything before; one number an island behind it, a place in it. */
void dls_time_join_islands(dls_event_scratch *w);

/* Impacts that come before the forces, by Poisson's law or in sequence: scratch->u, c and the
** contacts follow. */
dls_status dls_time_collide(dls_time *x);

/* Newton's impacts of redundant contacts, after the solve: w->x follows (cone/points.h);
** *shared: it did. */
dls_status dls_time_share(dls_time *x, bool *shared);

/* Room for so many bytes in e->tmp beside what is there: grown where it is too small, once a set
** of this size. */
dls_status dls_time_make_room(dls_event_scheme *e, size_t bytes);

/* The set as a problem on cones, of these groups (n_listed); without friction where not wanted.
** Its solution: impulses scratch->x, velocities scratch->a. */
dls_cone_problem dls_time_cone_problem(const dls_event_scratch *w, bool friction, double scale,
                                       dls_cone_group *groups);
dls_status dls_time_cone(dls_event_scheme *e, bool friction, double scale, double *residual);
/* Islands of the solution at hand that missed by far, or whose impulses have no measure, lose the
** rebounds that nothing gives (model/rebounds.h), in the shifts b. *any: there are such. */
dls_status dls_time_end_rebounds(dls_time *x, bool *any);
/* Rebounds held through the step that add energy end, in the shifts b; how many. all: also those
** that nothing presses. */
int dls_time_end_gains(dls_time *x, bool all);
/* Energy that the impacts of the step added, J, after the solve. */
double dls_time_gain(const dls_time *x);
/* Whether something gains more than forces can have given it: w->island numbers what does, -1 for
** the rest of the set. */
bool dls_time_gains(const dls_time *x);
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
