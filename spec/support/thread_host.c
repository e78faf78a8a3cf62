/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Eight threads with a hundred Lua states and a hundred worlds of their own: all get the same bits.
** "ok". make tsan runs it under the thread sanitizer. */
#include "delassus.h"

#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, STATES = 100, STEPS = 60 };

static uint64_t hashes[STATES];
static double answers[STATES];

static uint64_t world_alone(void) {
  delassus_world_def def = delassus_world_def_default();
  delassus_world *world = NULL;
  delassus_body_id body;
  if (delassus_world_create(&def, &world) != DELASSUS_OK) return 0;
  delassus_body_def floor = delassus_body_def_default(), box = delassus_body_def_default();
  floor.type = DELASSUS_STATIC, floor.shape.kind = DELASSUS_PLANE;
  delassus_status status = delassus_body_create(world, &floor, &body);
  box.shape.kind = DELASSUS_BOX;
  box.shape.size[0] = box.shape.size[1] = box.shape.size[2] = 0.2;
  for (int i = 0; i < 6; i++) {
    box.position[0] = 0.02 * i, box.position[2] = 0.11 + 0.21 * i;
    if (status == DELASSUS_OK) status = delassus_body_create(world, &box, &body);
  }
  if (status == DELASSUS_OK) status = delassus_world_step(world, STEPS);
  const uint64_t hash = status == DELASSUS_OK ? delassus_world_hash(world) : 0;
  delassus_world_destroy(world);
  return hash;
}

static double script(void) {
  double answer = -1;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_requiref(L, "delassus", luaopen_delassus, 1);
  if (luaL_dostring(L, "local world = delassus.world{ planar = true }\n"
                       "world:floor{}\n"
                       "for i = 1, 10 do world:disk{ radius = 0.1, position = {0.05 * i, 0.2 * i} } end\n"
                       "world:step(60)\n"
                       "return world.bodies[7].position.y + world.stats.contacts") == LUA_OK)
    answer = lua_tonumber(L, -1);
  else fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_close(L);
  return answer;
}

static void *run(void *first) {
  for (int i = *(int *)first; i < STATES; i += THREADS) {
    hashes[i] = world_alone();
    answers[i] = script();
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS], bad = 0;
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, run, &numbers[i]) != 0) return 2;
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < STATES; i++)
    bad += hashes[i] == 0 || hashes[i] != hashes[0] || !(answers[i] > 0) || answers[i] != answers[0];
  if (bad > 0) printf("%d of %d differ\n", bad, STATES);
  else printf("ok\n");
  return bad > 0;
}
