/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

/* The whole state of a world: kept, taken back, told apart. */

static dls_world *check(lua_State *L) { return dls_check_world(L, 1)->world; }

/* A snapshot ends with its own hash: one that a file or a wire has damaged must not become a state. */
enum { SEAL = 8 };

static void seal(const char *bytes, size_t size, char out[SEAL]) {
  dls_hash hash = dls_hash_start();
  dls_hash_bytes(&hash, bytes, size);
  const uint64_t digest = dls_hash_digest(&hash);
  for (int i = 0; i < SEAL; i++) out[i] = (char)(digest >> (8 * i) & 0xff);
}

int dls_world_snapshot_lua(lua_State *L) {
  const dls_world *w = check(L);
  luaL_Buffer b;
  size_t size = dls_world_snapshot_size(w);
  char *at = luaL_buffinitsize(L, &b, size + SEAL);
  dls_world_snapshot(w, at);
  seal(at, size, at + size);
  luaL_pushresultsize(&b, size + SEAL);
  return 1;
}

int dls_world_restore_lua(lua_State *L) {
  dls_world_box *box = dls_check_unlocked(L, 1, "world:restore");
  static const dls_at at = {"world:restore", NULL, 0, 0};
  size_t size;
  char expected[SEAL] = {0};
  if (lua_type(L, 2) != LUA_TSTRING) dls_bad(L, &at, "needs a string made by world:snapshot", 2);
  const char *bytes = lua_tolstring(L, 2, &size);
  if (size > SEAL) seal(bytes, size - SEAL, expected);
  if (size <= SEAL || memcmp(expected, bytes + size - SEAL, SEAL) != 0)
    dls_raise(L, at.function, "the string is no snapshot of a world, or is damaged");
  dls_status status = dls_world_restore(box->world, bytes, size - SEAL);
  if (status == DLS_ARG) dls_raise(L, at.function, "the snapshot is of a world built differently, or damaged");
  dls_check_status(L, status, at.function);
  return 0;
}

int dls_world_hash_lua(lua_State *L) {
  char text[17];
  dls_hash_text(dls_world_hash(check(L)), text);
  lua_pushstring(L, text);
  return 1;
}
