/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_EVENT_WORLD_H
#define DLS_EVENT_WORLD_EVENT_WORLD_H

#include "core/event_world/contacts.h"
#include "core/event_world/holds.h"
#include "core/events/event_driven.h"

/* A world as a system for core/events: coordinates and M^-1 of its forest, unilateral constraints
** as smooth gaps.
**
**     rows of a contact:  w = J (twists of the two bodies), A . (v_off(C) - v_on(C)) for A = n, t1, t2
**     C = c - r n, c the ball's centre;  drift: what is left for u = 0;  wbar = a - w . udot, a the acceleration with
**     the forces of now
**
** Bodies outside of the forest (kinematic ones) move by their velocities of the step's beginning,
** or by their function of time. A step takes the state from the world's arrays and leaves it there:
** between steps modes and reference forces are world->event_contacts, all of which is state.
** Statuses: DLS_SINGULAR, a link without inertia where its joint moves (trees->fault); DLS_STATE,
** no forces obey the laws of the rows or the motion cannot be followed; DLS_UNSTABLE, steps too
** long for penalties; DLS_RANGE, coordinates or velocities that are not finite. */
typedef struct dls_smooth_touch {
  dls_smooth_gap gap;   /* and its slopes */
  dls_vec3 n, t1, t2;   /* world                                                                 */
  dls_vec3 c, C, C_on;  /* the ball's centre; the contact point, and that of `on`                */
  /* shares of the gap: of C from the ball's surface, of C_on from C; 0: rigid contacts */
  double early, late;
  /* 1/kg: J M^-1 J' of both bodies alone; of contacts by a function that comply */
  double answer;
} dls_smooth_touch;

/* J, of the last step. */
typedef struct dls_event_work {
  double impact, friction; /* taken, J                                                           */
  double forces;           /* given by loads, fields, torques, motors, J                         */
  double kinematic;        /* given by whoever moves bodies, joints and gaps, J                  */
  double damping;          /* taken, J                                                           */
  /* what compliant contacts stored where the step began, less what those stored that the step
  ** before listed */
  double brought;
} dls_event_work;

typedef struct dls_event_world {
  dls_world *world;      /* borrowed */
  dls_alloc alloc;       /* of all its memory */
  uint64_t model;        /* hash of the model that it was made for                               */
  int n;                 /* smooth gaps; none where nothing moves freely                         */
  dls_smooth_contact *contacts; /* n                                                             */
  int n_bodies, nq, nu, n_links; /* bodies; numbers of the forest; its links */
  dls_system system;             /* for core/events */
  dls_event_scheme scheme;       /* on that system */
  /* where the world stands */
  bool placed, moving, accelerated;
  unsigned char *turns;  /* n_bodies: dls_turns_matter                                           */
  unsigned char *bears;  /* n: the compliant contacts whose forces these accelerations have      */
  double t, *q, *u, *udot; /* nq, nu, nu                                                         */
  double *terms;         /* nu: sizes of what udot is the sum of, the forces of joints among it  */
  dls_place *frame;      /* n_bodies: the bodies' frames                                         */
  bool known;            /* the modes at the beginning of the step were those of the world       */
  double to;             /* s: where the step ends                                               */
  bool cut;              /* before dt is over                                                    */
  double start;          /* s: where the step began                                              */
  double *q_start, *u_start; /* n_bodies x NQ, NU: there                                         */
  dls_holds holds;       /* rigid joints and gears                                               */
  /* n: of contacts by a function: where they were last seen */
  dls_smooth_touch *function_touch;
  /* n_bodies x NU, nq: of those */
  double *gradient, *q_beside;
  double *wrench, *row;  /* 6 n_links of zeros, nu: of a row                                     */
  double *du, *push;     /* nu, n_bodies x NU: of the account                                    */
  bool carries;          /* bodies, joints or gaps are moved by somebody                         */
  dls_event *told;       /* n_told: events of the step                                           */
  int n_told, told_room;
  int *place;            /* n: contact of the step's list, -1 none                               */
  dls_event_work work;   /* of the step so far; impact and the scheme's friction apart           */
  void *block;
  size_t block_size;
  /* of the last refusal or failure */
  dls_event_refusal refusal;
  int a, b;
} dls_event_world;

/* Where a step begins that ends at the time `to`, or after w->dt where that comes first. model: a
** hash of all that makes the gaps; *admitted: poses and velocities, the world's too, were brought
** to what joints admit. DLS_ARG: something is refused, see dls_event_world_refusal. On failure,
** here and below, the caller restores the state. */
dls_status dls_event_world_begin(dls_world *w, double to, uint64_t model, bool *admitted);
/* The step; *n_contacts: how many it will list. DLS_ARG as above; DLS_SINGULAR, DLS_STATE: no
** accelerations, or modes that do not settle. */
dls_status dls_event_world_step(dls_world *w, int *n_contacts);
/* After it, with room for so many contacts: the world goes on to the end of the step. */
dls_status dls_event_world_finish(dls_world *w);
/* The scheme and world->event_contacts. */
void dls_event_world_destroy(dls_world *w);
/* Room in world->event_contacts. */
dls_status dls_event_world_reserve(dls_world *w, int n);

dls_event_work dls_event_world_work(const dls_world *w);
/* Events of the last step. */
const dls_event *dls_event_world_events(const dls_world *w, int *n);
/* What the last step was refused for. */
dls_event_refusal dls_event_world_refusal(const dls_world *w, int *a, int *b);

/* --- for the files of this folder ------------------------------------------------------------- */

/* Tangents of a contact: none without friction. */
int dls_smooth_tangents(const dls_world *w, const dls_smooth_contact *contact);
/* The system of the world's contacts, whose forest is compiled. */
dls_system_def dls_event_world_system(dls_event_world *x);

/* The bodies stand at (t, q), move with u and accelerate without contacts: state->udot, and the
** forest's factor. */
dls_status dls_event_world_accelerate(dls_event_world *x, double t, const double *q,
                                      const double *u);
/* Reactions of joints, and accelerations, with these forces of the contacts' rows, where the world
** stands and moves; the next accelerations are looked for anew. */
dls_status dls_event_world_react(dls_event_world *x, const double *force);
/* Forces of contact i (its rows) join the forest's tau and wrench. */
dls_status dls_event_world_push(dls_event_world *x, int i, const double *force);

#endif
