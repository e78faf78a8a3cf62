/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_SYSTEM_H
#define DLS_BIND_SYSTEM_H

#include "bind/array.h"
#include "bind/call.h"
#include "bind/options.h"
#include "core/events/event_driven.h"

/* delassus.system: what its files share. User value 1 of a system is the list of what its callbacks
** are (functions, or constant tables), user value 2 the list of its contacts as Lua values. */

enum { /* places in user value 1: of the system, then of each contact behind one another */
  DLS_SYSTEM_MASS = 1,
  DLS_SYSTEM_FORCES,
  DLS_SYSTEM_CONTACTS, /* the first contact's first place */

  DLS_CONTACT_GAP = 0,
  DLS_CONTACT_NORMAL, /* three rows each: normal, tangent, tangent2 */
  DLS_CONTACT_BIAS = DLS_CONTACT_NORMAL + 3,
  DLS_CONTACT_SPEED = DLS_CONTACT_BIAS + 3,
  DLS_CONTACT_FRICTION = DLS_CONTACT_SPEED + 3, /* a function of the slip speed */
  DLS_CONTACT_SIDED, /* how often 'normal' was held against 'gap'; true: no more */
  DLS_CONTACT_PLACES
};

/* mu(0 at rest) and mu(v) = kinetic + (static - kinetic) exp(-decay v) */
typedef struct dls_friction_law {
  double at_rest, kinetic, decay; /* coefficients of friction; s/m */
} dls_friction_law;

typedef struct dls_system_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_system system; /* the equations */
  dls_event_scheme scheme; /* its state, whichever scheme steps */
  bool time_stepping;       /* else from event to event */
  double origin;            /* s: time is origin + counted dt, so that n steps are n times one */
  int64_t counted;          /* whole steps of dt since                                */
  double theta;             /* of time stepping: 1/2 or 1 of a step */
  bool busy;                /* a callback runs                                        */
  bool forces_known;        /* forces and modes are those of the state                */
  double *forces;           /* n_rows: of the contacts, as last asked for or stepped   */
  unsigned char *modes;     /* n_contacts: dls_contact_mode, likewise                 */
  dls_friction_law *friction; /* n_contacts                                           */
  double *mass;             /* n x n where constant; else NULL                        */
  void *block;              /* one allocation: its arrays */
  size_t block_size;        /* of it, bytes */
  dls_call call;            /* of the method in progress                              */
  int functions;            /* stack index of user value 1 in it                      */
  const char *culprit;      /* option whose function failed last                      */
} dls_system_box;

extern const dls_class dls_system_class, dls_system_contact_class;

/* The open system at 1 of a method called `function`; raises inside a callback of its own. */
dls_system_box *dls_check_system(lua_State *L, const char *function);

/* Around whatever calls back: begin takes two stack slots and marks the system busy; end clears it
** and raises what a callback raised (unchanged), or what the status says. */
void dls_system_begin(lua_State *L, dls_system_box *box);
void dls_system_end(lua_State *L, dls_system_box *box, dls_status status, const char *function);

/* The system's functions for the core (ctx: the box). */
void dls_system_callbacks(dls_system_def *def);

/* du/dt (n numbers) of the state; forces and modes are then those that go with it. Between begin
** and end. */
dls_status dls_system_look(dls_system_box *box, double *udot);
/* Forces and modes are those of the last time step where it made the state, else not known. */
void dls_system_forget(dls_system_box *box);

/* Steps, of `dt` each or to a time within one: answers through `status`. */
dls_status dls_system_advance(dls_system_box *box, double to);

/* Methods and properties of the other files. */
int dls_system_sets_lua(lua_State *L);
int dls_system_look_lua(lua_State *L);
int dls_system_solutions_lua(lua_State *L);
int dls_system_snapshot_lua(lua_State *L);
int dls_system_restore_lua(lua_State *L);
int dls_system_hash_lua(lua_State *L);
int dls_system_events_lua(lua_State *L);
int dls_system_stats_lua(lua_State *L);

#endif
