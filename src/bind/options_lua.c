/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/options.h"

/* The reader of options as the Lua layer has it: rules are words. */

typedef struct rule {
  const char *name; /* as Lua's side writes it */
  dls_reader read; /* what checks a value by it */
} rule;

static const rule rules[] = {
    {"number", dls_read_number},     {"positive", dls_read_positive},
    {"nonnegative", dls_read_nonnegative}, {"fraction", dls_read_fraction},
    {"extended", dls_read_extended}, {"count", dls_read_count},
    {"integer", dls_read_integer},   {"boolean", dls_read_boolean},
    {"string", dls_read_string},     {"function", dls_read_function},
    {NULL, NULL}};

static void check_word(lua_State *L, int idx, const dls_at *at, const char *word) {
  union {
    double x; /* of a number */
    int i; /* of a whole number or a choice */
    bool b; /* of true or false */
    const char *s; /* of a text */
  } sink;
  for (const rule *r = rules; r->name != NULL; r++) {
    if (strcmp(r->name, word) == 0) {
      r->read(L, idx, at, NULL, &sink);
      return;
    }
  }
  if (strcmp(word, "table") == 0) {
    if (!lua_istable(L, idx)) dls_bad(L, at, "must be a table", idx);
  } else if (strcmp(word, "any") != 0) {
    luaL_error(L, "no rule '%s'", word);
  }
}

static void check_choice(lua_State *L, int idx, const dls_at *at, int idx_list) {
  const int n = (int)lua_rawlen(L, idx_list);
  luaL_Buffer b;
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, idx_list, i);
    const int same = lua_rawequal(L, -1, idx);
    lua_pop(L, 1);
    if (same) return;
  }
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "must be one of ");
  for (int i = 1; i <= n; i++) {
    luaL_addstring(&b, i > 1 ? ", '" : "'");
    lua_rawgeti(L, idx_list, i);
    luaL_addvalue(&b);
    luaL_addchar(&b, '\'');
  }
  luaL_pushresult(&b);
  dls_bad(L, at, lua_tostring(L, -1), idx);
}

/* Raises for the alphabetically first key of the table at 2 that has no rule in the table at 3. */
static void refuse_unknown(lua_State *L, const char *function) {
  const char *worst = NULL;
  lua_pushnil(L);
  while (lua_next(L, 2) != 0) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    const int known = lua_rawget(L, 3) != LUA_TNIL;
    lua_pop(L, 1);
    if (known) continue;
    if (lua_type(L, -1) != LUA_TSTRING) {
      const char *key = dls_push_described(L, -1);
      dls_raise(L, function, "unexpected value [%s]: options are named", key);
    }
    const char *name = lua_tostring(L, -1);
    if (worst == NULL || strcmp(name, worst) < 0) worst = name;
  }
  if (worst != NULL) dls_unknown(L, function, "option", worst, 3);
}

/* The key of the rules at 3 that follows *name in the alphabet, or NULL: a fixed order. */
static const char *next_name(lua_State *L, const char *name) {
  const char *best = NULL;
  lua_pushnil(L);
  while (lua_next(L, 3) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    const char *key = lua_tostring(L, -1);
    if ((name == NULL || strcmp(key, name) > 0) && (best == NULL || strcmp(key, best) < 0))
      best = key;
  }
  return best;
}

int dls_lua_check_options(lua_State *L) {
  const char *function = luaL_checkstring(L, 1);
  lua_settop(L, 3);
  if (!lua_istable(L, 2)) {
    const dls_at at = {function, NULL, 0, 0};
    return dls_bad(L, &at, "expected a table of options", 2);
  }
  luaL_checktype(L, 3, LUA_TTABLE);
  refuse_unknown(L, function);
  for (const char *name = next_name(L, NULL); name != NULL; name = next_name(L, name)) {
    const dls_at at = {function, name, 0, 0};
    lua_getfield(L, 2, name); /* 4: value */
    lua_getfield(L, 3, name); /* 5: rule  */
    const char *word = lua_istable(L, 5) ? NULL : lua_tostring(L, 5);
    const bool required = word != NULL && word[0] == '!';
    if (!lua_isnil(L, 4)) {
      if (word == NULL)
        check_choice(L, 4, &at, 5);
      else
        check_word(L, 4, &at, word + required);
    } else if (required) {
      dls_raise(L, function, "'%s' is required", name);
    }
    lua_settop(L, 3);
  }
  return 0;
}
