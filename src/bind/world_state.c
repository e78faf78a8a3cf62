/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

/* The whole state of a world: kept, taken back, told apart. */

/* The world at 1, in which nothing waits to move up. */
static dls_world *check(lua_State *L, const char *function) {
  dls_world *w = dls_check_world(L, 1)->world;
  dls_settle_world(L, 1);
  if (!dls_world_has_gaps(w)) return w;
  dls_refuse_finalizers(L, function);
  dls_raise(L, function,
            "not possible here: something was removed from the world since its last step");
  return w;
}

int dls_world_snapshot_lua(lua_State *L) {
  const dls_world *w = check(L, "world:snapshot");
  luaL_Buffer b;
  size_t size = dls_world_snapshot_size(w);
  char *at = luaL_buffinitsize(L, &b, size + DLS_SEAL);
  dls_world_snapshot(w, at);
  dls_snapshot_seal(at, size, (unsigned char *)at + size);
  luaL_pushresultsize(&b, size + DLS_SEAL);
  return 1;
}

int dls_world_restore_lua(lua_State *L) {
  dls_world_box *box = dls_check_unlocked(L, 1, "world:restore");
  static const dls_at at = {"world:restore", NULL, 0, 0};
  size_t size;
  if (lua_type(L, 2) != LUA_TSTRING) dls_bad(L, &at, "needs a string made by world:snapshot", 2);
  const char *bytes = lua_tolstring(L, 2, &size);
  if (!dls_snapshot_sealed(bytes, size))
    dls_raise(L, at.function, "the string is no snapshot of a world, or is damaged");
  dls_settle_world(L, 1);
  dls_status status = dls_world_restore(box->world, bytes, size - DLS_SEAL);
  if (status == DLS_ARG)
    dls_raise(L, at.function, "the snapshot is of a world built differently, or damaged");
  dls_check_status(L, status, at.function);
  return 0;
}

int dls_world_hash_lua(lua_State *L) {
  char text[17];
  dls_hash_text(dls_world_hash(check(L, "world:hash")), text);
  lua_pushstring(L, text);
  return 1;
}
