/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "bind/open.h"
#include "bind/raise.h"

DLS_OUTSIDE
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
DLS_INSIDE

/* What the command needs of the terminal: Ctrl-C as an error, and whether anybody is watching.
** A signal handler gets no argument, so the state it interrupts and the fact that it was called are the
** mutable statics of the library; the first is set only while guarded() runs, the second is read only by
** wait_input(), and the library itself calls neither. */
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

/* guarded(handler, f, ...) -> as xpcall(f, handler, ...), with Ctrl-C raising "interrupted" in f. */
static int lua_guarded(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checkany(L, 2);
  struct sigaction mine = {0}, before;
  mine.sa_handler = on_interrupt;
  mine.sa_flags = SA_RESTART;
  sigemptyset(&mine.sa_mask);
  lua_State *outer = interrupted;
  interrupted = L;
  sigaction(SIGINT, &mine, &before);
  const int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 1);
  sigaction(SIGINT, &before, NULL);
  interrupted = outer;
  lua_pushboolean(L, status == LUA_OK);
  lua_replace(L, 1);
  return lua_gettop(L);
}

static void hear(int number) {
  (void)number;
  heard = 1;
}

/* quiet_interrupts(): from now on Ctrl-C ends nothing by itself; it interrupts a read, and guarded() hears it. */
static int lua_quiet_interrupts(lua_State *L) {
  struct sigaction mine = {0};
  (void)L;
  mine.sa_handler = hear; /* not ignored: programs that a line starts would inherit that */
  sigemptyset(&mine.sa_mask);
  sigaction(SIGINT, &mine, NULL);
  return 0;
}

/* The descriptor at `arg`; -1, where it may be absent, for none. */
static int check_descriptor(lua_State *L, int arg, int least) {
  const lua_Integer fd = luaL_checkinteger(L, arg);
  luaL_argcheck(L, fd >= least && fd < FD_SETSIZE, arg, "not a descriptor to wait for");
  return (int)fd;
}

/* wait_input(fd) -> true once it can be read from, false after a Ctrl-C, also one since the last call.
** wait_input(fd, other, seconds) -> also nil: the other descriptor can be read from, or so long has passed, or there
** was a signal. fd or other may be -1. */
static int lua_wait_input(lua_State *L) {
  const bool forever = lua_isnoneornil(L, 3);
  const int fd = check_descriptor(L, 1, forever ? 0 : -1), other = forever ? -1 : check_descriptor(L, 2, -1);
  const double seconds = forever ? 0 : luaL_checknumber(L, 3);
  luaL_argcheck(L, seconds >= 0 && seconds <= 3600, 3, "not a time to wait");
  const struct timespec limit = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
  sigset_t interrupt, before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, &before);
  fd_set readable;
  int n = 0;
  do {
    FD_ZERO(&readable);
    if (fd >= 0) FD_SET(fd, &readable);
    if (other >= 0) FD_SET(other, &readable);
    if (heard) break;
    n = pselect((fd > other ? fd : other) + 1, &readable, NULL, NULL, forever ? NULL : &limit, &before);
  } while (n < 0 && errno == EINTR && !heard && forever); /* some other signal */
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (heard || forever) lua_pushboolean(L, !heard);
  else if (n > 0 && fd >= 0 && FD_ISSET(fd, &readable)) lua_pushboolean(L, true);
  else lua_pushnil(L);
  heard = 0;
  return 1;
}

/* undisturbed(f, ...) -> as f(...), with Ctrl-C held back until it is done: f calls what ends the process where a hook
** raises within it. */
static int lua_undisturbed(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  sigset_t interrupt, before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, &before);
  const int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (status != LUA_OK) lua_error(L);
  return lua_gettop(L);
}

/* is_terminal(2) -> whether that file descriptor is a terminal. */
static int lua_is_terminal(lua_State *L) {
  lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
  return 1;
}

void dls_open_terminal(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"guarded", lua_guarded}, {"is_terminal", lua_is_terminal}, {"wait_input", lua_wait_input},
      {"undisturbed", lua_undisturbed}, {"quiet_interrupts", lua_quiet_interrupts}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
