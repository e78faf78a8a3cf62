/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* script_host SCRIPT [ARGUMENTS]: runs a Lua script with the core linked in, where no lua5.4 of that machine can load it. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

int luaopen_delassus_core(lua_State *L);

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (L == NULL || argc < 2) return 2;
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_delassus_core);
  lua_setfield(L, -2, "delassus.core");
  lua_createtable(L, argc, 0);
  for (int i = 1; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
  if (luaL_dofile(L, argv[1]) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return 1;
  }
  lua_close(L);
  return 0;
}
