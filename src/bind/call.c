/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/call.h"

#include "bind/platform.h"

dls_status dls_call_protected(dls_call *call, int n_args, int n_results) {
  lua_State *L = call->L;
  if (lua_pcall(L, n_args, n_results, 0) == LUA_OK) return DLS_OK;
  lua_replace(L, call->slot);
  return DLS_STOPPED;
}

bool dls_call_yielded(const dls_call *call) {
  static const char *const told[] = {"attempt to yield from outside a coroutine",
                                     "attempt to yield across a C-call boundary"};
  if (lua_type(call->L, call->slot) != LUA_TSTRING) return false;
  const char *text = lua_tostring(call->L, call->slot);
  return strcmp(text, told[0]) == 0 || strcmp(text, told[1]) == 0;
}

/* Protected: function, option (light). */
static int must_not_yield(lua_State *L) {
  const char *function = lua_touserdata(L, 1), *option = lua_touserdata(L, 2);
  return dls_raise(L, function, "%s must not yield", option);
}

dls_status dls_call_named(dls_call *call, int n_args, int n_results, const char *function,
                          const char *option) {
  lua_State *L = call->L;
  const dls_status status = dls_call_protected(call, n_args, n_results);
  if (status == DLS_OK || !dls_call_yielded(call)) return status;
  lua_pushcfunction(L, must_not_yield);
  lua_pushlightuserdata(L, (void *)(uintptr_t)function);
  lua_pushlightuserdata(L, (void *)(uintptr_t)option);
  return dls_call_protected(call, 2, 0);
}

void dls_call_report(dls_call *call, dls_status status, const char *function) {
  if (status == DLS_STOPPED) {
    lua_pushvalue(call->L, call->slot);
    lua_error(call->L);
  }
  dls_check_status(call->L, status, function);
}

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

dls_status dls_call_look_in(dls_call *call, dls_watch *watch) {
  if (dls_watch_elapsed(watch) < DLS_RUN_SLICE) return DLS_OK;
  lua_pushcfunction(call->L, nothing);
  const dls_status status = dls_call_protected(call, 0, 0);
  *watch = dls_watch_start();
  return status;
}

void dls_look_in(lua_State *L, dls_watch *watch) {
  if (dls_watch_elapsed(watch) < DLS_RUN_SLICE) return;
  lua_pushcfunction(L, nothing);
  lua_call(L, 0, 0);
  *watch = dls_watch_start();
}

static bool wants_to_stop(void *data) {
  dls_listener *ear = (dls_listener *)data;
  if (dls_watch_elapsed(&ear->watch) < DLS_RUN_SLICE) return false;
  lua_pushcfunction(ear->call.L, nothing);
  const bool stop = dls_call_protected(&ear->call, 0, 0) != DLS_OK;
  ear->watch = dls_watch_start();
  return stop;
}

void dls_listen(dls_listener *ear, lua_State *L) {
  luaL_checkstack(L, 8, NULL);
  lua_pushnil(L);
  ear->call = (dls_call){L, lua_gettop(L)};
  ear->watch = dls_watch_start();
  ear->stop = (dls_stop){wants_to_stop, ear, 0.0, false};
}

void dls_listen_end(dls_listener *ear) {
  lua_settop(ear->call.L, ear->stop.stopped ? ear->call.slot : ear->call.slot - 1);
}

dls_watch dls_watch_start(void) { return (dls_watch){dls_platform_seconds()}; }
double dls_watch_elapsed(const dls_watch *watch) { return dls_platform_seconds() - watch->start; }
