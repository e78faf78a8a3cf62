/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_CONTACTS_H
#define DLS_EVENT_WORLD_CONTACTS_H

#include "core/event_world/surface.h"
#include "core/joints/trees.h"

/* The unilateral constraints of a world as smooth gaps: every ball of a shape against every surface
** it may meet, contacts by hand, limits of joints. Hand-made ones first, then by bodies and number,
** limits last. */
typedef struct dls_smooth_contact {
  int a, b;             /* bodies, as a contact is told of                                       */
  int on, off;          /* bodies: whose the surface is, whose the ball; limits: -1              */
  dls_smooth_pair pair; /* of contacts                                                           */
  uint64_t key;         /* 1, 2, ... of the two bodies                                           */
  bool by_function;     /* by hand: its gap is a function of the user's                          */
  int user;              /* hand-made contact; -1                                                 */
  int joint, limit;     /* of a limit: which; -1                                                 */
  bool upper;           /* of a limit: hi - q, else q - lo                                       */
  bool rubs, drives;    /* no limit: dry friction on that velocity; a motor that holds its speed */
  dls_material material; /* of the pair */
  double size;          /* m: the scale of the gap                                               */
  /* of a compliant contact whose restitution stands for its damper: zeta; else 0 */
  double ratio;
} dls_smooth_contact;

/* What an event-driven world does not take; bodies a and b, or joint a. */
typedef enum dls_event_refusal {
  DLS_EVENTS_FINE,
  DLS_EVENTS_SHAPES,    /* the shapes of a and b have no smooth gap                              */
  DLS_EVENTS_ROLLING,   /* rolling or spinning friction between a and b                          */
  DLS_EVENTS_COMPLIANT, /* a compliant contact of two axes                                       */
  DLS_EVENTS_TURNS,     /* body a would turn by more than 1e5 rad in a step                      */
  DLS_EVENTS_OVERLAP,   /* bodies a and b overlap where a state begins                           */
  DLS_EVENTS_BEYOND     /* joint a is beyond a limit there                                       */
} dls_event_refusal;

/* Whether its normal force is that of a spring and a damper. */
static inline bool dls_smooth_complies(const dls_smooth_contact *contact) {
  return contact->material.stiffness < DLS_INF;
}

/* How many there are, and up to `room` of them. DLS_ARG: *refusal, *a, *b. */
dls_status dls_smooth_contacts(const dls_world *w, dls_smooth_contact *out, int room, int *n,
                               dls_event_refusal *refusal, int *a, int *b);

#endif
