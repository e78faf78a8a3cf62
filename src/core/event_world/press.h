/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_PRESS_H
#define DLS_EVENT_WORLD_PRESS_H

#include "core/event_world/touch.h"

/* Compliant contacts as forces of the smooth integration (EQUATIONS G.1): k and c in series, the
** boundary node compressed by x >= 0. While the contact is closed x is less the gap and the force
** is k x + c x'; it ends at 0. From there the node relaxes by x' = -k x/c, and the contact closes
** where the gap is less x again. Where restitution stands for the damper c = 2 zeta(e) sqrt(k/w) by
** the row of where the bodies are, as in a time step; a node relaxes by the c of its time. */

/* N s/m: c of contact i, where the bodies stand; a function's gap has been looked at there. */
double dls_press_dashpot(const dls_event_world *x, int i);

bool dls_press_bears(const dls_event_world *x, int i);
/* Of the node of an open contact, at the time t, where the bodies stand. */
double dls_press_relaxed(const dls_event_world *x, int i, double t);
/* One that is closed, where the world stands and moves: its force, m/s of the gap, and of that what
** free bodies have no part in; its dashpot. */
typedef struct dls_press {
  double force, rate, carried, dashpot; /* N; m/s twice; N s/m */
} dls_press;
dls_status dls_press_look(dls_event_world *x, int i, dls_press *out);
/* m: of a compliant contact's boundary node, where the bodies stand; a function's gap has been
** looked at there. */
double dls_event_world_compression(const dls_event_world *x, int i);
/* Whether the same contacts are closed as when forces were added last. */
bool dls_press_is_as_before(const dls_event_world *x);
/* The forces of the compliant contacts that are closed join the loads; *any: there is one. */
dls_status dls_press_add(dls_event_world *x, bool *any);

#endif
