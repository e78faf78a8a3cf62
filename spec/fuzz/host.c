/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* A libFuzzer host: hands each input to the function that spec/fuzz/$FUZZ.lua answers. One Lua state serves all inputs;
** its memory is bounded. An error of the target's own, or one that says FUZZ, is a finding: abort. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_BYTES ((size_t)512 << 20) /* lent at one time */

int luaopen_delassus_core(lua_State *L);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t lent;

static void *bounded(void *ud, void *ptr, size_t old_size, size_t new_size) {
  (void)ud;
  if (ptr == NULL) old_size = 0;
  if (new_size == 0) {
    free(ptr);
    lent -= old_size;
    return NULL;
  }
  if (new_size > old_size && lent - old_size + new_size > MOST_BYTES) return NULL;
  void *block = realloc(ptr, new_size);
  if (block != NULL) lent += new_size - old_size;
  return block;
}

static void give_up(lua_State *L, const char *what) {
  fprintf(stderr, "%s: %s\n", what, lua_tostring(L, -1));
  abort();
}

static lua_State *open_state(void) {
  lua_State *L = lua_newstate(bounded, NULL);
  const char *target = getenv("FUZZ");
  if (L == NULL || target == NULL) abort();
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_delassus_core);
  lua_setfield(L, -2, "delassus.core");
  lua_settop(L, 0);
  lua_getglobal(L, "require");
  lua_pushfstring(L, "fuzz.%s", target);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) give_up(L, "target");
  return L;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static lua_State *L; /* the target's function is at 1 */
  static int turns;
  if (L == NULL) L = open_state();
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushlstring(L, (const char *)data, size);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) give_up(L, "finding");
  if (++turns % 16 == 0) lua_gc(L, LUA_GCCOLLECT);
  return 0;
}
