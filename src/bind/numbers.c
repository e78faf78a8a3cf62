/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/open.h"
#include "bind/options.h"
#include "core/base/hash.h"
#include "core/base/sort.h"
#include "core/math/elementary.h"
#include "core/math/normal.h"

/* The core's own elementary functions, generator and hash, lent to scripts: the same bits on every
** machine, which Lua's math library and generator do not promise. */

/* --- delassus.math ---------------------------------------------------------------------------- */

typedef struct function1 {
  const char *name, *where; /* key, and what messages say */
  double (*f)(double x);    /* the function itself */
} function1;

typedef struct function2 {
  const char *name, *where; /* key, and what messages say */
  double (*f)(double a, double b); /* the function itself */
} function2;

static const function1 functions1[] = {
    {"sin", "delassus.math.sin", dls_sin},    {"cos", "delassus.math.cos", dls_cos},
    {"tan", "delassus.math.tan", dls_tan},    {"asin", "delassus.math.asin", dls_asin},
    {"acos", "delassus.math.acos", dls_acos}, {"atan", "delassus.math.atan", dls_atan},
    {"exp", "delassus.math.exp", dls_exp},    {"log", "delassus.math.log", dls_log}};

static const function2 functions2[] = {{"atan2", "delassus.math.atan2", dls_atan2},
                                       {"pow", "delassus.math.pow", dls_pow}};

static double number_at(lua_State *L, int idx, const char *where) {
  const dls_at at = {where, NULL, idx, 0};
  if (lua_type(L, idx) != LUA_TNUMBER) dls_bad(L, &at, "must be a number", idx);
  return lua_tonumber(L, idx);
}

static int call1(lua_State *L) {
  const function1 *f = (const function1 *)lua_touserdata(L, lua_upvalueindex(1));
  lua_settop(L, 1);
  lua_pushnumber(L, f->f(number_at(L, 1, f->where)));
  return 1;
}

static int call2(lua_State *L) {
  const function2 *f = (const function2 *)lua_touserdata(L, lua_upvalueindex(1));
  lua_settop(L, 2);
  const double a = number_at(L, 1, f->where), b = number_at(L, 2, f->where);
  lua_pushnumber(L, f->f(a, b));
  return 1;
}

static int lua_sincos(lua_State *L) {
  double s, c;
  lua_settop(L, 1);
  dls_sincos(number_at(L, 1, "delassus.math.sincos"), &s, &c);
  lua_pushnumber(L, s);
  lua_pushnumber(L, c);
  return 2;
}

static void push_math(lua_State *L) {
  lua_newtable(L);
  for (size_t i = 0; i < sizeof functions1 / sizeof *functions1; i++) {
    lua_pushlightuserdata(L, (void *)&functions1[i]);
    lua_pushcclosure(L, call1, 1);
    lua_setfield(L, -2, functions1[i].name);
  }
  for (size_t i = 0; i < sizeof functions2 / sizeof *functions2; i++) {
    lua_pushlightuserdata(L, (void *)&functions2[i]);
    lua_pushcclosure(L, call2, 1);
    lua_setfield(L, -2, functions2[i].name);
  }
  lua_pushcfunction(L, lua_sincos);
  lua_setfield(L, -2, "sincos");
  lua_pushnumber(L, DLS_PI);
  lua_setfield(L, -2, "pi");
}

/* --- delassus.random -------------------------------------------------------------------------- */

static const dls_class random_class;

static dls_random *check_random(lua_State *L) {
  return (dls_random *)dls_class_check(L, 1, &random_class);
}

/* random(seed) -> generator; the seed is a whole number, 1 where absent. */
static int lua_random(lua_State *L) {
  lua_Integer seed = 1;
  const dls_at at = {"delassus.random", NULL, 1, 0};
  if (!lua_isnoneornil(L, 1)) dls_read_int64(L, 1, &at, NULL, &seed);
  dls_random *random = (dls_random *)dls_class_new(L, &random_class, sizeof *random, 0);
  *random = dls_random_seed((uint64_t)seed);
  return 1;
}

static int random_uniform(lua_State *L) {
  dls_random *random = check_random(L);
  if (lua_isnoneornil(L, 2) && lua_isnoneornil(L, 3)) {
    lua_pushnumber(L, dls_random_uniform(random));
    return 1;
  }
  const dls_at from = {"random:uniform", NULL, 1, 0}, to = {"random:uniform", NULL, 2, 0};
  lua_settop(L, 3);
  const double lo = dls_check_number(L, 2, &from), hi = dls_check_number(L, 3, &to);
  if (!(lo < hi)) dls_bad(L, &to, "must be greater than the first number", 3);
  if (!dls_is_finite(hi - lo))
    dls_bad(L, &to, "must be less than 1.8e308 above the first number", 3);
  lua_pushnumber(L, dls_random_range(random, lo, hi));
  return 1;
}

static int random_normal(lua_State *L) {
  dls_random *random = check_random(L);
  const dls_at first = {"random:normal", NULL, 1, 0}, second = {"random:normal", NULL, 2, 0};
  double mean = 0, deviation = 1;
  lua_settop(L, 3);
  if (!lua_isnil(L, 2)) mean = dls_check_number(L, 2, &first);
  if (!lua_isnil(L, 3)) dls_read_nonnegative(L, 3, &second, NULL, &deviation);
  lua_pushnumber(L, mean + deviation * dls_random_normal(random));
  return 1;
}

static int random_integer(lua_State *L) {
  dls_random *random = check_random(L);
  const dls_at from = {"random:integer", NULL, 1, 0}, to = {"random:integer", NULL, 2, 0};
  lua_Integer lo, hi;
  lua_settop(L, 3);
  dls_read_int64(L, 2, &from, NULL, &lo);
  dls_read_int64(L, 3, &to, NULL, &hi);
  if (hi < lo) dls_bad(L, &to, "must not be below the first number", 3);
  lua_pushinteger(L, (lua_Integer)dls_random_integer(random, lo, hi));
  return 1;
}

static int random_copy(lua_State *L) {
  const dls_random *random = check_random(L);
  dls_random *copy = (dls_random *)dls_class_new(L, &random_class, sizeof *copy, 0);
  *copy = *random;
  return 1;
}

static int random_hash(lua_State *L) {
  const dls_random *random = check_random(L);
  dls_hash hash = dls_hash_start();
  char text[17];
  for (int i = 0; i < 4; i++) dls_hash_word(&hash, random->s[i]);
  dls_hash_text(dls_hash_digest(&hash), text);
  lua_pushstring(L, text);
  return 1;
}

static int random_bits(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)dls_random_bits(check_random(L)));
  return 1;
}

static int random_tostring(lua_State *L) {
  lua_settop(L, 1);
  random_hash(L);
  lua_pushfstring(L, "delassus.Random (xoshiro256**, state %s)", lua_tostring(L, -1));
  return 1;
}

static const dls_method random_methods[] = {
    {"uniform", random_uniform, "() in [0, 1); (lo, hi) in [lo, hi)"},
    {"normal", random_normal, "(mean, deviation) normally distributed; 0 and 1 where absent"},
    {"integer", random_integer, "(lo, hi) a whole number from lo to hi"},
    {"bits", random_bits, "() 64 random bits as an integer"},
    {"copy", random_copy, "() a second generator in the same state"},
    {"hash", random_hash, "() the state as 16 characters"},
    {NULL, NULL, NULL}};

static const luaL_Reg random_meta[] = {{"__tostring", random_tostring}, {NULL, NULL}};

static const dls_class random_class = {"delassus.Random", "random", random_methods, NULL,
                                       random_meta, NULL, NULL};

/* --- hash(x, ...): 16 characters from strings (bytes), integers and floats (8 bytes each) ----- */

static int lua_hash(lua_State *L) {
  dls_hash hash = dls_hash_start();
  const int n = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    const dls_at at = {"hash", NULL, i, 0};
    size_t length = 0;
    if (lua_isinteger(L, i)) {
      dls_hash_int(&hash, (int64_t)lua_tointeger(L, i));
    } else if (lua_type(L, i) == LUA_TNUMBER) {
      dls_hash_double(&hash, lua_tonumber(L, i));
    } else if (lua_type(L, i) == LUA_TSTRING) {
      const char *bytes = lua_tolstring(L, i, &length);
      dls_hash_bytes(&hash, bytes, length);
    } else {
      dls_bad(L, &at, "must be a string or a number", i);
    }
  }
  char text[17];
  dls_hash_text(dls_hash_digest(&hash), text);
  lua_pushstring(L, text);
  return 1;
}

/* --- order(list): the places of its numbers from small to large, equal ones as they stand ----- */

static int lua_order(lua_State *L) {
  const dls_at at = {"order", NULL, 0, 0};
  lua_settop(L, 1);
  const dls_vector_arg list = dls_take_vector(L, 1, &at);
  const size_t bytes = dls_bytes_add(dls_sort_bytes(list.n), DLS_ALIGN);
  dls_arena tmp = dls_arena_over(lua_newuserdatauv(L, bytes, 0), bytes);
  int *order = (int *)lua_newuserdatauv(L, dls_bytes((size_t)list.n + 1, sizeof(int)), 0);
  for (int i = 0; i < list.n; i++) order[i] = i;
  dls_check_status(L, dls_sort_by_double(list.n, list.x, order, &tmp), "order");
  lua_createtable(L, list.n, 0);
  for (int i = 0; i < list.n; i++) {
    lua_pushinteger(L, order[i] + 1);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

void dls_open_numbers(lua_State *L) {
  dls_class_register(L, &random_class);
  push_math(L);
  lua_setfield(L, -2, "math");
  lua_pushcfunction(L, lua_random);
  lua_setfield(L, -2, "random");
  lua_pushcfunction(L, lua_hash);
  lua_setfield(L, -2, "hash");
  lua_pushcfunction(L, lua_order);
  lua_setfield(L, -2, "order");
}
