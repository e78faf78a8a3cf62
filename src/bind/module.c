/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <lua.h>
#include <lauxlib.h>

LUAMOD_API int luaopen_delassus_core(lua_State *L);

LUAMOD_API int luaopen_delassus_core(lua_State *L) {
  lua_newtable(L);
  return 1;
}
