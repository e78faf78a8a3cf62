/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

/* Groups of bodies: names as bits, and who may touch whom. */

enum { GROUPS = 31 }; /* bit 0 is of bodies without group */

/* The bit of the group named at idx, which is made when first met. */
uint32_t dls_group_bit(lua_State *L, int idx, int idx_world, const dls_at *at) {
  const int top = lua_gettop(L);
  if (lua_type(L, idx) != LUA_TSTRING) dls_bad(L, at, "must be the name of a group", idx);
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
  dls_at element = *at;
  switch (lua_type(L, idx)) {
  case LUA_TNIL: return ~(uint32_t)0;
  case LUA_TBOOLEAN: return lua_toboolean(L, idx) ? ~(uint32_t)0 : 0;
  case LUA_TSTRING: return dls_group_bit(L, idx, idx_world, at);
  case LUA_TTABLE:
    for (int i = 1; lua_rawgeti(L, idx, i) != LUA_TNIL; i++) {
      element.element = i;
      bits |= dls_group_bit(L, top + 1, idx_world, &element);
      lua_settop(L, top);
    }
    lua_settop(L, top);
    return bits;
  default:
    dls_bad(L, at, "must be true, false, a group's name or a list of them", idx);
    return 0;
  }
}

/* group = name; collides = name, list of names, true or false. The options table is at 2. */
void dls_read_filters(lua_State *L, const char *function, dls_body_def *def) {
  const dls_at group = {function, "group", 0, 0}, collides = {function, "collides", 0, 0};
  const int top = lua_gettop(L);
  if (lua_getfield(L, 2, "group") != LUA_TNIL) def->group = dls_group_bit(L, top + 1, 1, &group);
  lua_getfield(L, 2, "collides");
  def->collides = dls_group_bits(L, top + 2, 1, &collides);
  lua_settop(L, top);
}
