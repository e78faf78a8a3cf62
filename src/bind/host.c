/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/class.h"
#include "bind/world_parts.h"

/* Worlds between a host in C and a script: borrowed, lent, taken back. What needs Lua runs in a
** protected call, so that no error reaches the host. */

static const char lent_key = 0; /* its address: registry table, host's world -> userdata, weak */

enum { SLOTS = 12 }; /* of the stack, for one call */

/* --- toworld ---------------------------------------------------------------------------------- */

/* Protected: value, place of the answer (light). */
static int find_world(lua_State *L) {
  dls_world_box **out = lua_touserdata(L, 2);
  dls_world_box *box = dls_class_test(L, 1, &dls_world_class);
  *out = box && box->handle.open ? box : NULL;
  return 0;
}

delassus_world *delassus_toworld(lua_State *L, int index) {
  dls_world_box *box = NULL;
  if (!L || lua_type(L, index) != LUA_TUSERDATA || !lua_checkstack(L, SLOTS)) return NULL;
  index = lua_absindex(L, index);
  const int top = lua_gettop(L);
  lua_pushcfunction(L, find_world);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, &box);
  const int status = lua_pcall(L, 2, 0, 0);
  lua_settop(L, top);
  if (status != LUA_OK || !box) return NULL;
  if (!box->host) box->host = dls_host_wrap(box->world, &box->world->alloc);
  return box->host;
}

/* --- lend ------------------------------------------------------------------------------------- */

/* Pushes the table of what is lent. */
static void push_lent(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lent_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lent_key);
}

/* The module must be there before its worlds. */
static void need_module(lua_State *L) {
  if (luaL_getmetatable(L, dls_world_class.name) == LUA_TNIL) {
    lua_getglobal(L, "require");
    lua_pushliteral(L, "delassus");
    lua_call(L, 1, 0);
  }
  lua_pop(L, 1);
}

/* Protected: host's world (light) -> userdata. */
static int lend(lua_State *L) {
  delassus_world *host = lua_touserdata(L, 1);
  need_module(L);
  push_lent(L); /* 2 */
  if (lua_rawgetp(L, 2, host) == LUA_TUSERDATA) {
    const dls_world_box *known = lua_touserdata(L, 3);
    if (known->handle.open) return 1;
  }
  lua_settop(L, 2);
  dls_world_box *box = dls_push_world_box(L);
  lua_pushvalue(L, 3);
  lua_rawsetp(L, 2, host); /* the last that can fail */
  box->world = host->world;
  box->host = host;
  box->lent = true;
  box->handle.open = true;
  box->loan = (dls_host_loan){lua_topointer(L, LUA_REGISTRYINDEX), &box->handle.open, &box->world,
                              host->loans};
  host->loans = &box->loan;
  return 1;
}

delassus_status delassus_lend(lua_State *L, delassus_world *world) {
  static const char function[] = "delassus_lend";
  if (!L) return DELASSUS_BAD_ARGUMENT;
  if (!lua_checkstack(L, SLOTS)) return DELASSUS_NO_MEMORY;
  const int top = lua_gettop(L);
  lua_pushnil(L);
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (world->borrowed) return dls_host_own(world, function);
  lua_pushcfunction(L, lend);
  lua_pushlightuserdata(L, world);
  const int status = lua_pcall(L, 1, 1, 0);
  if (status == LUA_OK) {
    lua_replace(L, top + 1);
    return DELASSUS_OK;
  }
  lua_settop(L, top + 1);
  if (status == LUA_ERRMEM) return dls_host_report(world, DLS_NOMEM, function);
  return dls_host_fail(world, DELASSUS_NOT_KNOWN, function,
                       "the Lua state has no module 'delassus' (luaopen_delassus opens it)");
}

delassus_status delassus_revoke(lua_State *L, delassus_world *world) {
  static const char function[] = "delassus_revoke";
  if (!L || !world) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = dls_host_unlocked(world, function);
  if (status != DELASSUS_OK) return status;
  if (world->borrowed) return dls_host_own(world, function);
  dls_host_end_loans(world, lua_topointer(L, LUA_REGISTRYINDEX));
  return DELASSUS_OK;
}
