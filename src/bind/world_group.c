/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

/* Groups of bodies: names as bits, and who may touch whom. */

enum { GROUPS = 31 }; /* bit 0 is of bodies without group */

static void check_name(lua_State *L, int idx, const dls_at *at) {
  if (lua_type(L, idx) != LUA_TSTRING) dls_bad(L, at, "must be the name of a group", idx);
}

/* A list of names without holes and nothing else: names as keys, and those behind a hole, would be
** overlooked. */
static void check_names(lua_State *L, int idx, const dls_at *at) {
  const int top = lua_gettop(L);
  const lua_Integer n = (lua_Integer)lua_rawlen(L, idx);
  lua_Integer names = 0;
  dls_at element = *at;
  for (lua_pushnil(L); lua_next(L, idx) != 0; lua_settop(L, top + 1)) {
    if (!lua_isinteger(L, top + 1) || lua_tointeger(L, top + 1) < 1 ||
        lua_tointeger(L, top + 1) > n)
      dls_bad(L, at, "must be true, false, a group's name or a list of them", idx);
    element.element = (int)lua_tointeger(L, top + 1);
    check_name(L, top + 2, &element);
    names++;
  }
  if (names != n) dls_bad(L, at, "must be true, false, a group's name or a list of them", idx);
}

static void check_filter(lua_State *L, int idx, const dls_at *at) {
  const int type = lua_type(L, idx);
  if (type == LUA_TTABLE) check_names(L, idx, at);
  else if (type != LUA_TNIL && type != LUA_TBOOLEAN && type != LUA_TSTRING)
    dls_bad(L, at, "must be true, false, a group's name or a list of them", idx);
}

/* The bit of the group named at idx, which is made when first met. */
uint32_t dls_group_bit(lua_State *L, int idx, int idx_world, const dls_at *at) {
  const int top = lua_gettop(L);
  check_name(L, idx, at);
  lua_getiuservalue(L, idx_world, 2);
  if (lua_getfield(L, -1, "groups") != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "groups");
  }
  lua_pushvalue(L, idx);
  if (lua_rawget(L, -2) != LUA_TNUMBER) {
    lua_pop(L, 1);
    lua_Integer n = 0;
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) n++;
    if (n >= GROUPS) dls_raise(L, at->function, "there are more than 31 groups");
    lua_pushvalue(L, idx);
    lua_pushinteger(L, n + 1);
    lua_rawset(L, -3);
    lua_pushinteger(L, n + 1);
  }
  uint32_t bit = (uint32_t)1 << lua_tointeger(L, -1);
  lua_settop(L, top);
  return bit;
}

uint32_t dls_group_bits(lua_State *L, int idx, int idx_world, const dls_at *at) {
  const int top = lua_gettop(L);
  uint32_t bits = 0;
  check_filter(L, idx, at);
  switch (lua_type(L, idx)) {
  case LUA_TNIL: return ~(uint32_t)0;
  case LUA_TSTRING: return dls_group_bit(L, idx, idx_world, at);
  case LUA_TTABLE:
    for (int i = 1; lua_rawgeti(L, idx, i) != LUA_TNIL; i++) {
      bits |= dls_group_bit(L, top + 1, idx_world, at);
      lua_settop(L, top);
    }
    lua_settop(L, top);
    return bits;
  default: return lua_toboolean(L, idx) ? ~(uint32_t)0 : 0;
  }
}

/* group = name; collides = name, list of names, true or false. The options table is at 2. */
void dls_check_filters(lua_State *L, const char *function) {
  const dls_at group = {function, "group", 0, 0}, collides = {function, "collides", 0, 0};
  const int top = lua_gettop(L);
  if (lua_getfield(L, 2, "group") != LUA_TNIL) check_name(L, top + 1, &group);
  lua_getfield(L, 2, "collides");
  check_filter(L, top + 2, &collides);
  lua_settop(L, top);
}

/* Groups that are new are made: for options that have been looked at. */
void dls_read_filters(lua_State *L, const char *function, dls_body_def *def) {
  const dls_at group = {function, "group", 0, 0}, collides = {function, "collides", 0, 0};
  const int top = lua_gettop(L);
  if (lua_getfield(L, 2, "group") != LUA_TNIL) def->group = dls_group_bit(L, top + 1, 1, &group);
  lua_getfield(L, 2, "collides");
  def->collides = dls_group_bits(L, top + 2, 1, &collides);
  lua_settop(L, top);
}
