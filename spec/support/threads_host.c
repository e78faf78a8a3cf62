/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* threads_host CODE: eight threads, each with states of its own, one after the other, run the same Lua code, which
** returns a string: the same from all. "ok", or what differs. For the thread sanitizer: states share nothing. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int luaopen_delassus_core(lua_State *L);

enum { THREADS = 8, STATES = 4 };

typedef struct task {
  const char *code;
  char said[STATES][256];
} task;

static void run(const char *code, char *said) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_delassus_core);
  lua_setfield(L, -2, "delassus.core");
  lua_settop(L, 0);
  (void)luaL_dostring(L, code);
  snprintf(said, 256, "%s", luaL_tolstring(L, -1, NULL));
  lua_close(L);
}

static void *work(void *of) {
  task *t = of;
  for (int i = 0; i < STATES; i++) run(t->code, t->said[i]);
  return NULL;
}

int main(int argc, char **argv) {
  static task tasks[THREADS];
  pthread_t thread[THREADS];
  if (argc != 2) return 2;
  for (int i = 0; i < THREADS; i++) {
    tasks[i].code = argv[1];
    if (pthread_create(&thread[i], NULL, work, &tasks[i]) != 0) return 2;
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++)
    for (int j = 0; j < STATES; j++)
      if (strcmp(tasks[i].said[j], tasks[0].said[0]) != 0)
        return printf("thread %d, state %d: %s, not %s\n", i, j, tasks[i].said[j], tasks[0].said[0]), 1;
  printf("ok: %s\n", tasks[0].said[0]);
  return 0;
}
