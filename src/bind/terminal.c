/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "bind/open.h"
#include "bind/raise.h"

DLS_OUTSIDE
#include <errno.h>
#include <signal.h>
#include <sys/select.h>
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

/* wait_input(fd) -> true once it can be read from, false after a Ctrl-C, also one since the last call. */
static int lua_wait_input(lua_State *L) {
  const int fd = (int)luaL_checkinteger(L, 1);
  luaL_argcheck(L, fd >= 0 && fd < FD_SETSIZE, 1, "not a descriptor to wait for");
  sigset_t interrupt, before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, &before);
  fd_set readable;
  FD_ZERO(&readable);
  FD_SET(fd, &readable);
  while (!heard && pselect(fd + 1, &readable, NULL, NULL, NULL, &before) < 0 && errno == EINTR && !heard)
    FD_SET(fd, &readable); /* some other signal */
  sigprocmask(SIG_SETMASK, &before, NULL);
  lua_pushboolean(L, !heard);
  heard = 0;
  return 1;
}

/* is_terminal(2) -> whether that file descriptor is a terminal. */
static int lua_is_terminal(lua_State *L) {
  lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
  return 1;
}

void dls_open_terminal(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"guarded", lua_guarded}, {"is_terminal", lua_is_terminal}, {"wait_input", lua_wait_input},
      {"quiet_interrupts", lua_quiet_interrupts}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
