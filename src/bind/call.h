/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_CALL_H
#define DLS_BIND_CALL_H

#include "bind/raise.h"
#include "core/base/stop.h"

/* Lua functions inside a run. The core never meets a Lua error: a callback runs protected, its
** error value is kept in a slot of the caller's stack frame, the core unwinds with DLS_STOPPED, and
** only then, with everything put back, is the same value raised again.
**
**     lua_pushnil(L);  call.slot = lua_gettop(L);             -- read: before the core runs
**     status = dls_..._run(..., callback, &call);             -- run: callback uses dls_call
**     dls_call_report(&call, status, "world:step");           -- report: raises the kept error */
typedef struct dls_call {
  lua_State *L; /* of the call */
  int slot; /* absolute stack index that keeps the error value */
} dls_call;

/* Calls the function below n_args arguments on the top of the stack, protected. DLS_OK leaves
** n_results values; DLS_STOPPED leaves none and keeps the error. */
dls_status dls_call_protected(dls_call *call, int n_args, int n_results);
/* Whether the kept error is Lua's own of a function that yields, which no callback may. */
bool dls_call_yielded(const dls_call *call);
/* The same as the first, and says "function: option must not yield" where it does; option: "'gap'",
** "'each'". */
dls_status dls_call_named(dls_call *call, int n_args, int n_results, const char *function,
                          const char *option);

/* Raises the kept error (unchanged) where status is DLS_STOPPED, else what dls_check_status
** does. */
void dls_call_report(dls_call *call, dls_status status, const char *function);

/* A stop watch for runs that must return to Lua now and then, so that Ctrl-C is heard. It decides
** how many steps one call takes, never what they compute. */
typedef struct dls_watch {
  double start; /* s, of a steady clock */
} dls_watch;

#define DLS_RUN_SLICE 0.02 /* s: far below the 0.05 s after which a run must be back in Lua */

dls_watch dls_watch_start(void);
double dls_watch_elapsed(const dls_watch *watch);

/* For callbacks between the steps of a run: every DLS_RUN_SLICE an empty function is called,
** protected, so that a hook (what Ctrl-C sets) gets its turn. DLS_STOPPED: its error is kept. The
** watch starts at dls_watch_start(). */
dls_status dls_call_look_in(dls_call *call, dls_watch *watch);
/* The same between steps that can be left at any time: the error is raised. Whatever the hook may
** have closed is to be looked at again afterwards. */
void dls_look_in(lua_State *L, dls_watch *watch);

/* An ear for what Lua wants while the core computes: every 20 ms an empty function is called,
** protected, so that a hook (what Ctrl-C sets) gets its turn; the error it raises stops the core.
** The hook may run any code: what the core works on must be out of its reach, or say that it is
** busy.
**
**     dls_listener ear;
**     dls_listen(&ear, L);                         -- takes a slot on the stack
**     options.stop = &ear.stop;
**     status = dls_...(...);
**     dls_listen_end(&ear);                        -- gives it back, or leaves the error value there
**     ... put things in order; where status is DLS_STOPPED: lua_error(L) ... */
typedef struct dls_listener {
  dls_call call; /* of the method in progress */
  dls_watch watch; /* Ctrl-C and the clock */
  dls_stop stop; /* lend this to the core */
} dls_listener;

void dls_listen(dls_listener *ear, lua_State *L);
void dls_listen_end(dls_listener *ear);

#endif
