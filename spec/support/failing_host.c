/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* failing_host SCRIPT: runs a Lua script again and again in fresh states. In run k the k-th memory
** request and the next one fail (two in a row, since Lua answers the first failure with an emergency
** collection and asks again). Ends when a run needs fewer than k requests. Every run must end in
** success or in an error, and give back every byte. The global `phase` of the script, called with no
** arguments, is what is tested: it is defined by the script, which itself runs with memory enough. */
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct meter {
  long requests; /* of the phase under test     */
  long fail_at;  /* 0: never                    */
  size_t bytes;  /* lent at present             */
} meter;

static void *counted(void *ud, void *ptr, size_t old_size, size_t new_size) {
  meter *m = (meter *)ud;
  if (ptr == NULL) old_size = 0;
  if (new_size == 0) {
    free(ptr);
    m->bytes -= old_size;
    return NULL;
  }
  if (new_size > old_size && m->fail_at > 0) { /* Lua assumes that shrinking cannot fail */
    m->requests++;
    if (m->requests == m->fail_at || m->requests == m->fail_at + 1) return NULL;
  }
  void *block = realloc(ptr, new_size);
  if (block != NULL) m->bytes += new_size - old_size;
  return block;
}

static int run(lua_State *L) {
  const char *script = (const char *)lua_touserdata(L, 1);
  luaL_openlibs(L);
  if (luaL_dofile(L, script) != LUA_OK) return lua_error(L);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  long k = 1, failed = 0;
  for (;; k++) {
    meter m = {0, 0, 0};
    lua_State *L = lua_newstate(counted, &m);
    if (L == NULL) return 2;
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, argv[1]);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
      fprintf(stderr, "script: %s\n", lua_tostring(L, -1));
      return 1;
    }
    lua_getglobal(L, "phase");
    m.fail_at = k;
    const int status = lua_pcall(L, 0, 0, 0);
    m.fail_at = 0;
    const long requests = m.requests;
    if (status != LUA_OK) {
      failed++;
      const char *text = lua_tostring(L, -1);
      if (text == NULL || (strstr(text, "memory") == NULL)) {
        fprintf(stderr, "request %ld: not a memory error: %s\n", k, text ? text : "(no text)");
        return 1;
      }
    }
    lua_settop(L, 0);
    lua_getglobal(L, "after");
    if (!lua_isnil(L, -1) && lua_pcall(L, 0, 0, 0) != LUA_OK) {
      fprintf(stderr, "request %ld, afterwards: %s\n", k, lua_tostring(L, -1));
      return 1;
    }
    lua_close(L);
    if (m.bytes != 0) {
      fprintf(stderr, "request %ld: %zu bytes lost\n", k, m.bytes);
      return 1;
    }
    if (requests < k) break;
  }
  printf("%ld requests, %ld of them ended in a clean error\n", k - 1, failed);
  return failed > 0 ? 0 : 1;
}
