/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/raise.h"

#include "bind/suggest.h"

DLS_OUTSIDE
#include <stdarg.h>
#include <stdlib.h>
DLS_INSIDE

static const char own_source_key = 0; /* its address is the key in the registry */

int dls_set_own_source(lua_State *L) {
  luaL_checkstring(L, 1);
  lua_settop(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &own_source_key);
  return 0;
}

void dls_push_where(lua_State *L) {
  const char *own = NULL;
  size_t own_length = 0;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &own_source_key) == LUA_TSTRING)
    own = lua_tolstring(L, -1, &own_length);
  lua_Debug ar;
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline < 0) continue;
    if (own != NULL && strncmp(ar.source, own, own_length) == 0) continue;
    lua_pop(L, 1);
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
    return;
  }
  lua_pop(L, 1);
  lua_pushliteral(L, "");
}

int dls_raise(lua_State *L, const char *function, const char *fmt, ...) {
  luaL_checkstack(L, 8, "error message");
  dls_push_where(L);
  lua_pushfstring(L, "%s: ", function);
  va_list args;
  va_start(args, fmt);
  lua_pushvfstring(L, fmt, args);
  va_end(args);
  lua_concat(L, 3);
  lua_error(L);
  __builtin_unreachable();
}

const char *dls_push_described(lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  switch (lua_type(L, idx)) {
  case LUA_TNIL:
  case LUA_TBOOLEAN: return luaL_tolstring(L, idx, NULL);
  case LUA_TNUMBER: {
    char text[32];
    if (lua_isinteger(L, idx)) return luaL_tolstring(L, idx, NULL);
    const double x = lua_tonumber(L, idx);
    if (x != x) return lua_pushliteral(L, "nan");
    if (!dls_is_finite(x)) return lua_pushstring(L, x > 0 ? "inf" : "-inf");
    lua_Number n = x;
    lua_number2str(text, sizeof text, n);
    return lua_pushstring(L, text);
  }
  case LUA_TSTRING: {
    size_t length;
    const char *s = lua_tolstring(L, idx, &length);
    return length <= 40 ? lua_pushfstring(L, "'%s'", s) : lua_pushliteral(L, "a long string");
  }
  case LUA_TUSERDATA: {
    if (luaL_getmetafield(L, idx, "__name") == LUA_TSTRING) return lua_tostring(L, -1);
    return lua_pushliteral(L, "a userdata");
  }
  case LUA_TNONE: return lua_pushliteral(L, "nothing");
  default: return lua_pushfstring(L, "a %s", luaL_typename(L, idx));
  }
}

int dls_bad_got(lua_State *L, const dls_at *at, const char *rule, const char *got) {
  if (at->option == NULL && at->element == 0)
    dls_raise(L, at->function, "%s, got %s", rule, got);
  if (at->option == NULL)
    dls_raise(L, at->function, "[%d] %s, got %s", at->element, rule, got);
  if (at->element > 0)
    dls_raise(L, at->function, "'%s'[%d] %s, got %s", at->option, at->element, rule, got);
  dls_raise(L, at->function, "'%s' %s, got %s", at->option, rule, got);
}

int dls_bad(lua_State *L, const dls_at *at, const char *rule, int idx) {
  luaL_checkstack(L, 12, "error message");
  dls_bad_got(L, at, rule, dls_push_described(L, idx));
}

int dls_unknown(lua_State *L, const char *function, const char *kind, const char *name,
                int idx_names) {
  luaL_checkstack(L, 12, "error message");
  dls_push_meant(L, name, idx_names);
  const char *meant = lua_tostring(L, -1);
  if (meant)
    dls_raise(L, function, "unknown %s '%s' (did you mean '%s'?)", kind, name, meant);
  dls_raise(L, function, "unknown %s '%s'", kind, name);
}

int dls_lua_unknown(lua_State *L) {
  const char *function = luaL_checkstring(L, 1), *kind = luaL_checkstring(L, 2);
  const char *name = luaL_tolstring(L, 3, NULL);
  luaL_checktype(L, 4, LUA_TTABLE);
  dls_unknown(L, function, kind, name, 4);
}

int dls_lua_raise(lua_State *L) {
  dls_raise(L, luaL_checkstring(L, 1), "%s", luaL_checkstring(L, 2));
}

void dls_check_status(lua_State *L, dls_status status, const char *function) {
  if (status != DLS_OK) dls_raise(L, function, "%s", dls_status_text(status));
}

dls_alloc dls_lua_alloc(lua_State *L) {
  dls_alloc alloc;
  alloc.fn = lua_getallocf(L, &alloc.ud);
  return alloc;
}
