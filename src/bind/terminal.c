/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/open.h"

#include "bind/platform.h"
#include "bind/raise.h"

/* What the command needs of the terminal: Ctrl-C as an error, and whether anybody is watching. A
** signal handler gets no argument, so the state it interrupts and the fact that it was called are
** the mutable statics of the library; the first is set only while guarded() runs, the second is
** read only by wait_input(), and the library itself calls neither. */
static lua_State *volatile interrupted = NULL;
static volatile sig_atomic_t heard = 0;

static void stop_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  luaL_checkstack(L, 8, "interrupted");
  dls_push_where(L); /* the user's line, not that of a loop of the library */
  lua_pushliteral(L, "interrupted");
  lua_concat(L, 2);
  lua_error(L);
}

static void on_interrupt(int number) {
  (void)number;
  lua_State *L = interrupted;
  if (L != NULL)
    lua_sethook(L, stop_hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

/* A protected call: what it needs and what it answers. */
typedef struct protected_call {
  lua_State *L; /* where it is called */
  int n_args, handler; /* on the stack; its index */
} protected_call;

static int call_protected(void *ctx) {
  const protected_call *c = ctx;
  return lua_pcall(c->L, c->n_args, LUA_MULTRET, c->handler);
}

/* guarded(handler, f, ...) -> as xpcall(f, handler, ...), with Ctrl-C raising "interrupted" in
** f. */
static int lua_guarded(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checkany(L, 2);
  protected_call call = {L, lua_gettop(L) - 2, 1};
  lua_State *outer = interrupted;
  interrupted = L;
  const int status = dls_platform_with_interrupt(on_interrupt, call_protected, &call);
  interrupted = outer;
  lua_pushboolean(L, status == LUA_OK);
  lua_replace(L, 1);
  return lua_gettop(L);
}

static void hear(int number) {
  (void)number;
  heard = 1;
}

/* quiet_interrupts(): from now on Ctrl-C ends nothing by itself; it interrupts a read, and
** guarded() hears it. */
static int lua_quiet_interrupts(lua_State *L) {
  (void)L;
  dls_platform_on_interrupt(hear); /* not ignored: programs that a line starts would inherit that */
  return 0;
}

/* The descriptor at `arg`; -1, where it may be absent, for none. */
static int check_descriptor(lua_State *L, int arg, int least) {
  const lua_Integer fd = luaL_checkinteger(L, arg);
  luaL_argcheck(L, fd >= least && fd < DLS_DESCRIPTORS, arg, "not a descriptor to wait for");
  return (int)fd;
}

/* wait_input(fd) -> true once it can be read from, false after a Ctrl-C, also one since the last
** call. wait_input(fd, other, seconds) -> also nil: the other descriptor can be read from, or so
** long has passed, or there was a signal. fd or other may be -1. */
static int lua_wait_input(lua_State *L) {
  const bool forever = lua_isnoneornil(L, 3);
  const int fd = check_descriptor(L, 1, forever ? 0 : -1),
            other = forever ? -1 : check_descriptor(L, 2, -1);
  const double seconds = forever ? 0 : luaL_checknumber(L, 3);
  luaL_argcheck(L, seconds >= 0 && seconds <= 3600, 3, "not a time to wait");
  const int ready = dls_platform_wait(fd, other, forever ? -1 : seconds, &heard);
  if (heard || forever) lua_pushboolean(L, !heard);
  else if (ready & 1) lua_pushboolean(L, true);
  else lua_pushnil(L);
  heard = 0;
  return 1;
}

/* undisturbed(f, ...) -> as f(...), with Ctrl-C held back until it is done: f calls what ends the
** process where a hook raises within it. */
static int lua_undisturbed(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  protected_call call = {L, lua_gettop(L) - 1, 0};
  const int status = dls_platform_without_interrupt(call_protected, &call);
  if (status != LUA_OK) lua_error(L);
  return lua_gettop(L);
}

/* is_terminal(2) -> whether that file descriptor is a terminal. */
static int lua_is_terminal(lua_State *L) {
  lua_pushboolean(L, dls_platform_is_terminal((int)luaL_checkinteger(L, 1)));
  return 1;
}

void dls_open_terminal(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"guarded", lua_guarded}, {"is_terminal", lua_is_terminal}, {"wait_input", lua_wait_input},
      {"undisturbed", lua_undisturbed}, {"quiet_interrupts", lua_quiet_interrupts}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
