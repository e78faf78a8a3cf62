/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/class.h"
#include "bind/open.h"
#include "bind/platform.h"

DLS_OUTSIDE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
DLS_INSIDE

/* What sweeps need of the system: copies of the process that work beside it, and a file that
** several processes append to. A child is made first and started then, so that a Ctrl-C between the
** two loses none: who keeps it closes it. */
typedef struct child_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_process child; /* of the platform; empty before its start */
} child_box;

static const dls_class child_class;

static child_box *check(lua_State *L, int idx) {
  return (child_box *)dls_class_check(L, idx, &child_class);
}

/* child() -> one that has not begun. */
static int child_new(lua_State *L) {
  child_box *box = (child_box *)dls_class_new(L, &child_class, sizeof *box, 0);
  box->child.fd = -1;
  box->handle.open = true;
  return 1;
}

static void release(lua_State *L, void *self) {
  (void)L;
  dls_platform_end_child(&((child_box *)self)->child, true);
}

/* In the child, with function and arguments on the stack: the answer is "+" and the string that it
** answers, or "-" and what it raised. Nothing of the process it is a copy of is closed. */
static _Noreturn void work(lua_State *L, const dls_process *child, int n_args) {
  const bool good = lua_pcall(L, n_args, 1, 0) == LUA_OK;
  size_t n = 0;
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &n) : "";
  fflush(NULL);
  const bool told = dls_platform_answer(child, good ? "+" : "-", 1) &&
                    dls_platform_answer(child, text, n);
  dls_platform_leave(told ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* child:start(f, ...) calls f(...) in a copy of this process -> true; or nil and a message. */
static int child_start(lua_State *L) {
  child_box *box = check(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  if (box->child.pid != 0) return luaL_error(L, "a child starts once");
  const int made = dls_platform_fork(&box->child);
  if (made == 0) {
    const dls_process self = box->child;
    box->child = (dls_process){0, 0, -1};
    work(L, &self, lua_gettop(L) - 2);
  }
  if (made < 0) {
    lua_pushnil(L);
    lua_pushstring(L, strerror(errno));
    return 2;
  }
  lua_pushboolean(L, true);
  return 1;
}

/* child:hear() -> some of its answer, "" after a signal; nil at the end. */
static int child_hear(lua_State *L) {
  luaL_Buffer b;
  child_box *box = check(L, 1);
  char *bytes = luaL_buffinitsize(L, &b, LUAL_BUFFERSIZE);
  const int n = dls_platform_hear(&box->child, bytes, LUAL_BUFFERSIZE);
  luaL_pushresultsize(&b, n > 0 ? (size_t)n : 0);
  if (n == 0) lua_pushnil(L);
  return 1;
}

/* child:finish() waits for its end -> its exit status, or minus the number of a signal. */
static int child_finish(lua_State *L) {
  lua_pushinteger(L, dls_platform_end_child(&check(L, 1)->child, false));
  return 1;
}

/* wait_children(list, seconds) -> place of the first one that can be heard; nil after that time, or
** a signal. */
static int lua_wait_children(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const double seconds = luaL_checknumber(L, 2);
  luaL_argcheck(L, seconds >= 0 && seconds <= 3600, 2, "not a time to wait");
  const int n = (int)lua_rawlen(L, 1);
  dls_process **children = NULL;
  if (n > 0) children = (dls_process **)lua_newuserdatauv(L, (size_t)n * sizeof *children, 0);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 1, i + 1);
    children[i] = &check(L, -1)->child;
    lua_pop(L, 1);
  }
  const int first = dls_platform_wait_children(children, n, seconds);
  if (first < 0) lua_pushnil(L);
  else lua_pushinteger(L, first + 1);
  return 1;
}

static FILE *check_file(lua_State *L) {
  const luaL_Stream *stream = (const luaL_Stream *)luaL_checkudata(L, 1, LUA_FILEHANDLE);
  luaL_argcheck(L, stream->closef != NULL, 1, "a closed file");
  return stream->f;
}

/* lock(file, on) -> whether it is ours, until lock(file, false): others that ask for it wait. */
static int lua_lock(lua_State *L) {
  lua_pushboolean(L, dls_platform_lock(check_file(L), lua_toboolean(L, 2)));
  return 1;
}

/* cut(file, size) -> true; or nil and a message. */
static int lua_cut(lua_State *L) {
  FILE *file = check_file(L);
  if (dls_platform_cut(file, luaL_checknumber(L, 2))) {
    lua_pushboolean(L, true);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, strerror(errno));
  return 2;
}

static const dls_method methods[] = {
    {"start", child_start, "(f, ...) calls f in a copy of this process -> true, or nil and why"},
    {"hear", child_hear, "() -> some of its answer; nil at the end"},
    {"finish", child_finish, "() waits for its end -> exit status, or minus a signal"},
    {NULL, NULL, NULL}};

static const dls_class child_class = {"delassus.Child", "child", methods, NULL,
                                      NULL,             NULL,    release};

void dls_open_child(lua_State *L) {
  static const luaL_Reg functions[] = {{"child", child_new}, {"wait_children", lua_wait_children},
                                       {"lock", lua_lock},   {"cut", lua_cut},
                                       {NULL, NULL}};
  dls_class_register(L, &child_class);
  luaL_setfuncs(L, functions, 0);
  lua_pushboolean(L, dls_platform_forks());
  lua_setfield(L, -2, "forks");
}
