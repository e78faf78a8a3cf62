/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

/* world.bodies: one list as long as no body is made or removed, so that world.bodies[i] in a loop
** costs no copy.
**
** What a script gets is an empty table that reads from the list behind it. The first assignment (of
** table.sort, say) makes it a plain table of its own: the world's list is never changed by a
** script. */

/* Pushes a table of the bodies in the order in which they were made, the ground left out. The world
** is at 1. */
static void push_all(lua_State *L, const dls_world *w) {
  lua_createtable(L, dls_count_bodies(w), 0);
  lua_Integer n = 0;
  for (int i = 1; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    dls_push_body(L, 1, i);
    lua_rawseti(L, -2, ++n);
  }
}

static int list_length(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, lua_upvalueindex(1)));
  return 1;
}

static int list_next(lua_State *L) {
  lua_settop(L, 2);
  if (lua_next(L, lua_upvalueindex(1)) != 0) return 2;
  lua_pushnil(L);
  return 1;
}

static int list_pairs(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, list_next, 1);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* (list, key, value): the list becomes a plain table of its own, no longer the world's. */
static int list_assign(lua_State *L) {
  const lua_Integer n = (lua_Integer)lua_rawlen(L, lua_upvalueindex(1));
  lua_settop(L, 3);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(L, lua_upvalueindex(1), i);
    lua_rawseti(L, 1, i);
  }
  lua_pushnil(L);
  lua_setmetatable(L, 1);
  lua_rawset(L, 1);
  return 0;
}

/* Pushes an empty table that reads from the list at the top of the stack, in its place. */
static void push_view(lua_State *L) {
  static const luaL_Reg manners[] = {
      {"__len", list_length}, {"__pairs", list_pairs}, {"__newindex", list_assign}, {NULL, NULL}};
  const int list = lua_gettop(L);
  lua_newtable(L);
  lua_createtable(L, 0, 5);
  for (const luaL_Reg *m = manners; m->name != NULL; m++) {
    lua_pushvalue(L, list);
    lua_pushcclosure(L, m->func, 1);
    lua_setfield(L, -2, m->name);
  }
  lua_pushvalue(L, list);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_remove(L, list);
}

/* Whether the field `name` of the table at 2 is this number. */
static bool holds(lua_State *L, const char *name, lua_Integer number) {
  const bool same = lua_getfield(L, 2, name) == LUA_TNUMBER && lua_tointeger(L, -1) == number;
  lua_pop(L, 1);
  return same;
}

static bool is_view(lua_State *L, int idx) {
  const bool view = lua_type(L, idx) == LUA_TTABLE && lua_getmetatable(L, idx);
  if (view) lua_pop(L, 1);
  return view;
}

int dls_world_get_bodies(lua_State *L) {
  const dls_world *w = dls_check_world(L, 1)->world;
  const lua_Integer made = (lua_Integer)w->n_made, alive = dls_count_bodies(w);
  luaL_checkstack(L, 12, "world.bodies");
  lua_settop(L, 1);
  dls_push_kept(L, 1, "list"); /* { made =, alive =, view = }: they change where bodies do */
  if (holds(L, "made", made) && holds(L, "alive", alive)) {
    lua_getfield(L, 2, "view");
    if (is_view(L, 3)) return 1;
    lua_pop(L, 1);
  }
  push_all(L, w);
  push_view(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, "view");
  lua_pushinteger(L, made);
  lua_setfield(L, 2, "made");
  lua_pushinteger(L, alive);
  lua_setfield(L, 2, "alive");
  return 1;
}
