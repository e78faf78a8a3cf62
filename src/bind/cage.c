/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/class.h"
#include "bind/open.h"

#include "core/base/real.h"

DLS_OUTSIDE
#include <lauxlib.h>
#include <lualib.h>
#include <time.h>
DLS_INSIDE

/* caged(chunk, arguments, limits) -> value, or nil and a message: Lua code of strangers, in a state
** of its own. The state has so much memory, and is stopped after so many instructions or so much
** processor time; both are looked at between instructions alone, so `chunk`, which is ours, must
** not hand out functions in C that take long by themselves. What the chunk returns comes back as a
** copy: numbers, strings, booleans, tables without metatables. */

typedef struct cage {
  dls_handle handle; /* first: open or closed (class.h) */
  lua_State *L;      /* the state inside                              */
  lua_Alloc alloc;   /* of the state outside                          */
  void *ud;          /* first argument of alloc */
  size_t used, most; /* bytes                                         */
  lua_Number left;   /* instructions                                  */
  clock_t end;       /* of the processor time                         */
} cage;

enum { LOOK = 100 }; /* instructions between two looks at the limits */

static void release(lua_State *L, void *self) {
  cage *c = self;
  lua_State *inside = c->L;
  (void)L;
  c->L = NULL;
  if (inside) lua_close(inside);
}

static const dls_class cage_class = {"delassus.Cage", "cage", NULL, NULL, NULL, NULL, release};

static void *allocate(void *ud, void *block, size_t old_size, size_t size) {
  cage *c = ud;
  const size_t had = block ? old_size : 0;
  if (size > had && size - had > c->most - c->used) return NULL;
  void *grown = c->alloc(c->ud, block, old_size, size);
  if (size == 0 || grown) c->used = c->used - had + size;
  return grown;
}

static cage *cage_of(lua_State *inside) {
  void *ud;
  (void)lua_getallocf(inside, &ud);
  return ud;
}

static void look(lua_State *inside, lua_Debug *ar) {
  cage *c = cage_of(inside);
  (void)ar;
  c->left -= LOOK;
  if (c->left < 0) {
    lua_pushliteral(inside, "stopped: too many instructions");
    lua_error(inside);
  }
  if (clock() > c->end) {
    lua_pushliteral(inside, "stopped: it takes too long");
    lua_error(inside);
  }
}

/* Protected, inside: chunk, its length, arguments (light), how many. */
static int run(lua_State *inside) {
  static const luaL_Reg libraries[] = {
      {LUA_GNAME, luaopen_base}, {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string},
      {LUA_MATHLIBNAME, luaopen_math}, {NULL, NULL}};
  lua_State *outside = lua_touserdata(inside, 1);
  const int first = (int)lua_tointeger(inside, 2), n = (int)lua_tointeger(inside, 3);
  for (const luaL_Reg *lib = libraries; lib->name; lib++) {
    luaL_requiref(inside, lib->name, lib->func, 1);
    lua_pop(inside, 1);
  }
  /* strings of the state outside, which stay where they are meanwhile */
  for (int i = 0; i < n; i++) {
    size_t size;
    const char *text = lua_tolstring(outside, first + i, &size);
    if (i > 0) lua_pushlstring(inside, text, size);
    else if (luaL_loadbufferx(inside, text, size, "=cage", "t") != LUA_OK) return lua_error(inside);
  }
  lua_sethook(inside, look, LUA_MASKCOUNT, LOOK);
  lua_call(inside, n - 1, 1);
  lua_sethook(inside, NULL, 0, 0);
  return 1;
}

/* Copies the value at idx inside onto the stack outside. */
static void copy(lua_State *L, lua_State *inside, int idx, int depth) {
  enum { DEEPEST = 32 }; /* tables in tables */
  size_t size;
  const char *text;
  luaL_checkstack(L, 4, "copy");
  switch (lua_type(inside, idx)) {
  case LUA_TNUMBER:
    if (lua_isinteger(inside, idx)) lua_pushinteger(L, lua_tointeger(inside, idx));
    else lua_pushnumber(L, lua_tonumber(inside, idx));
    return;
  case LUA_TSTRING:
    text = lua_tolstring(inside, idx, &size);
    lua_pushlstring(L, text, size);
    return;
  case LUA_TBOOLEAN: lua_pushboolean(L, lua_toboolean(inside, idx)); return;
  case LUA_TTABLE: break;
  default: lua_pushnil(L); return;
  }
  lua_newtable(L);
  if (depth >= DEEPEST || !lua_checkstack(inside, 3)) return;
  lua_pushvalue(inside, idx);
  for (lua_pushnil(inside); lua_next(inside, -2) != 0; lua_pop(inside, 1)) {
    copy(L, inside, -2, depth + 1);
    if (lua_isnil(L, -1) || lua_tonumber(L, -1) != lua_tonumber(L, -1)) { /* no key */
      lua_pop(L, 1);
      continue;
    }
    copy(L, inside, lua_gettop(inside), depth + 1);
    lua_rawset(L, -3);
  }
  lua_pop(inside, 1);
}

/* caged(instructions, bytes, seconds, chunk, text...) */
static int caged(lua_State *L) {
  const int n = lua_gettop(L) - 3;
  const lua_Number most = luaL_checknumber(L, 1), bytes = luaL_checknumber(L, 2),
                   seconds = luaL_checknumber(L, 3);
  for (int i = 4; i < 4 + n; i++) luaL_checkstring(L, i);
  cage *c = dls_class_new(L, &cage_class, sizeof *c, 0);
  c->alloc = lua_getallocf(L, &c->ud);
  c->most = (size_t)bytes;
  c->left = most;
  c->end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  c->handle.open = true;
  c->L = lua_newstate(allocate, c);
  if (!c->L) return luaL_error(L, "not enough memory");
  lua_pushcfunction(c->L, run);
  lua_pushlightuserdata(c->L, L);
  lua_pushinteger(c->L, 4);
  lua_pushinteger(c->L, n);
  const int status = lua_pcall(c->L, 3, 1, 0);
  lua_sethook(c->L, NULL, 0, 0);
  if (status != LUA_OK) lua_pushnil(L);
  if (status == LUA_ERRMEM) {
    lua_pushliteral(c->L, "stopped: it takes too much memory");
  }
  if (status != LUA_OK && lua_type(c->L, -1) != LUA_TSTRING)
    lua_pushfstring(L, "the model raises a %s", luaL_typename(c->L, -1));
  else
    copy(L, c->L, lua_gettop(c->L), 0);
  release(L, c);
  return status == LUA_OK ? 1 : 2;
}

void dls_open_cage(lua_State *L) {
  dls_class_register(L, &cage_class);
  lua_pushcfunction(L, caged);
  lua_setfield(L, -2, "caged");
}
