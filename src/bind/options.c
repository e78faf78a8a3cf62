/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/options.h"

#include "core/math/vec.h"

#include "bind/array.h"
#include "core/math/elementary.h"

double dls_check_number(lua_State *L, int idx, const dls_at *at) {
  if (lua_type(L, idx) != LUA_TNUMBER) dls_bad(L, at, "must be a number", idx);
  const double x = lua_tonumber(L, idx);
  if (!dls_is_finite(x)) dls_bad(L, at, "must be a finite number", idx);
  return x;
}

void dls_read_number(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  *(double *)out = dls_check_number(L, idx, at);
}

void dls_read_positive(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  const double x = dls_check_number(L, idx, at);
  if (!(x > 0)) dls_bad(L, at, "must be > 0", idx);
  *(double *)out = x;
}

void dls_read_nonnegative(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  const double x = dls_check_number(L, idx, at);
  if (!(x >= 0)) dls_bad(L, at, "must be >= 0", idx);
  *(double *)out = x;
}

void dls_read_extended(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  if (lua_type(L, idx) != LUA_TNUMBER) dls_bad(L, at, "must be a number", idx);
  const double x = lua_tonumber(L, idx);
  if (x != x) dls_bad(L, at, "must be a number", idx);
  *(double *)out = x;
}

void dls_read_fraction(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  const double x = dls_check_number(L, idx, at);
  if (!(x >= 0 && x <= 1)) dls_bad(L, at, "must be between 0 and 1", idx);
  *(double *)out = x;
}

int dls_check_list(lua_State *L, int idx, const dls_at *at, const char *rule) {
  if (!lua_istable(L, idx)) dls_bad(L, at, rule, idx);
  const lua_Unsigned n = lua_rawlen(L, idx);
  if (n > INT32_MAX - 1) dls_bad(L, at, "must have below 2147483647 elements", idx);
  for (lua_pushnil(L); lua_next(L, idx) != 0; lua_pop(L, 1)) {
    const bool whole = lua_isinteger(L, -2) != 0;
    if (!whole || lua_tointeger(L, -2) < 1 || (lua_Unsigned)lua_tointeger(L, -2) > n)
      dls_bad(L, at, rule, idx);
  }
  return (int)n;
}

static lua_Integer check_integer(lua_State *L, int idx, const dls_at *at) {
  int whole = 0;
  if (lua_type(L, idx) != LUA_TNUMBER) dls_bad(L, at, "must be a whole number", idx);
  const lua_Integer i = lua_tointegerx(L, idx, &whole);
  if (!whole) dls_bad(L, at, "must be a whole number", idx);
  return i;
}

void dls_read_count(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  const lua_Integer i = check_integer(L, idx, at);
  if (i < 1) dls_bad(L, at, "must be >= 1", idx);
  if (i > INT32_MAX) dls_bad(L, at, "must be below 2147483648", idx);
  *(int *)out = (int)i;
}

void dls_read_integer(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  const lua_Integer i = check_integer(L, idx, at);
  if (i < INT32_MIN || i > INT32_MAX) dls_bad(L, at, "must be within +-2147483647", idx);
  *(int *)out = (int)i;
}

void dls_read_int64(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  *(lua_Integer *)out = check_integer(L, idx, at);
}

void dls_read_boolean(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  if (!lua_isboolean(L, idx)) dls_bad(L, at, "must be true or false", idx);
  *(bool *)out = lua_toboolean(L, idx);
}

void dls_read_string(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  if (lua_type(L, idx) != LUA_TSTRING) dls_bad(L, at, "must be a string", idx);
  *(const char **)out = lua_tostring(L, idx);
}

/* "'damping' must be one of 'lagged', 'always', 'none', got 'x'" */
static void bad_choice(lua_State *L, const dls_at *at, const char *const *choices, int idx) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "must be one of ");
  for (int i = 0; choices[i] != NULL; i++) {
    if (i > 0) luaL_addstring(&b, ", ");
    luaL_addchar(&b, '\'');
    luaL_addstring(&b, choices[i]);
    luaL_addchar(&b, '\'');
  }
  luaL_pushresult(&b);
  dls_bad(L, at, lua_tostring(L, -1), idx);
}

void dls_read_choice(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  const char *const *choices = (const char *const *)arg;
  if (lua_type(L, idx) == LUA_TSTRING) {
    const char *given = lua_tostring(L, idx);
    for (int i = 0; choices[i] != NULL; i++) {
      if (strcmp(given, choices[i]) == 0) {
        *(int *)out = i;
        return;
      }
    }
  }
  bad_choice(L, at, choices, idx);
}

static void bad_length(lua_State *L, const dls_at *at, int n, int got) {
  if (at->option == NULL && at->element == 0)
    dls_raise(L, at->function, "expected %d numbers, got %d", n, got);
  dls_bad_got(L, at, lua_pushfstring(L, "must be a list of %d numbers", n),
              lua_pushfstring(L, "%d", got));
}

void dls_read_numbers(lua_State *L, int idx, const dls_at *at, int n, double *out) {
  if (lua_type(L, idx) == LUA_TNUMBER) /* the plane's way, or space's */
    dls_bad(L, at,
            n == 2   ? "must be a list of 2 numbers"
            : n == 3 ? "must be a list of 3 numbers"
                     : "must be a list of numbers",
            idx);
  const dls_vector_arg list = dls_take_vector(L, idx, at);
  if (list.n != n) bad_length(L, at, n, list.n);
  memcpy(out, list.x, (size_t)n * sizeof *out);
  lua_pop(L, 1);
}

void dls_read_vec2(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  dls_read_numbers(L, idx, at, 2, (double *)out);
}

void dls_read_vec3(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  dls_read_numbers(L, idx, at, 3, (double *)out);
}

void dls_read_direction3(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  double d[3];
  dls_read_numbers(L, idx, at, 3, d);
  if (!dls_make_unit(d, 3)) dls_bad(L, at, "must not be the zero vector", idx);
  memcpy(out, d, sizeof d);
}

static void read_axis_angle(lua_State *L, int idx, const dls_at *at, double q[4]) {
  double axis[3] = {0, 0, 0};
  for (lua_pushnil(L); lua_next(L, idx) != 0; lua_pop(L, 1)) {
    const char *key = dls_push_described(L, lua_gettop(L) - 1);
    if (strcmp(key, "'axis'") != 0 && strcmp(key, "'angle'") != 0)
      dls_raise(L, at->function, "'%s' takes axis = and angle =, not %s", at->option, key);
    lua_pop(L, 1);
  }
  lua_getfield(L, idx, "axis");
  const dls_at at_axis = {at->function, "rotation.axis", 0, 0};
  dls_read_direction3(L, lua_gettop(L), &at_axis, NULL, axis);
  lua_getfield(L, idx, "angle");
  const dls_at at_angle = {at->function, "rotation.angle", 0, 0};
  const double half = dls_check_number(L, lua_gettop(L), &at_angle) / 2;
  const double s = dls_sin(half);
  q[0] = dls_cos(half);
  for (int i = 0; i < 3; i++) q[i + 1] = s * axis[i];
  lua_pop(L, 2);
}

void dls_read_rotation3(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  double q[4];
  bool named = false;
  if (lua_type(L, idx) == LUA_TNUMBER)
    dls_bad(L, at, "must be {w, x, y, z} or { axis =, angle = }", idx);
  if (lua_istable(L, idx)) {
    const int top = lua_gettop(L);
    named = lua_getfield(L, idx, "axis") != LUA_TNIL || lua_getfield(L, idx, "angle") != LUA_TNIL;
    lua_settop(L, top);
  }
  if (named)
    read_axis_angle(L, idx, at, q);
  else
    dls_read_numbers(L, idx, at, 4, q);
  if (!dls_make_unit(q, 4)) dls_bad(L, at, "must not be the zero quaternion", idx);
  memcpy(out, q, sizeof q);
}

/* Moves the temporary on the top of the stack into the anchor table. */
static void anchor(lua_State *L, const dls_at *at) {
  if (at->anchor != 0)
    lua_rawseti(L, at->anchor, (lua_Integer)lua_rawlen(L, at->anchor) + 1);
  else
    lua_pop(L, 1);
}

void dls_read_vector(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  *(dls_vector_arg *)out = dls_take_vector(L, idx, at);
  anchor(L, at);
}

void dls_read_matrix(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  *(dls_matrix_arg *)out = dls_take_matrix(L, idx, at);
  anchor(L, at);
}

void dls_read_function(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  if (!lua_isfunction(L, idx)) dls_bad(L, at, "must be a function", idx);
  *(bool *)out = true;
}

/* --- tables of options ------------------------------------------------------------------------ */

static const dls_option *find_row(const dls_option_set *sets, int n_sets, const char *name,
                                  lua_Integer place) {
  for (int s = 0; s < n_sets; s++)
    for (const dls_option *row = sets[s].rows; row->name != NULL; row++)
      if (name != NULL ? strcmp(row->name, name) == 0 : row->place == place) return row;
  return NULL;
}

static void push_row_names(lua_State *L, const dls_option_set *sets, int n_sets) {
  lua_newtable(L);
  for (int s = 0; s < n_sets; s++) {
    for (const dls_option *row = sets[s].rows; row->name != NULL; row++) {
      lua_pushboolean(L, 1);
      lua_setfield(L, -2, row->name);
    }
  }
}

/* Raises for the first unknown key: names by the alphabet, then places. */
static void refuse_unknown(lua_State *L, int idx, const char *function,
                           const dls_option_set *sets, int n_sets) {
  const char *worst = NULL; /* alive: it is a key of the table */
  lua_pushnil(L);
  while (lua_next(L, idx) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) {
      const char *name = lua_tostring(L, -1);
      if (find_row(sets, n_sets, name, 0) == NULL && (worst == NULL || strcmp(name, worst) < 0))
        worst = name;
    } else if (!lua_isinteger(L, -1) ||
               lua_tointeger(L, -1) < 1 ||
               find_row(sets, n_sets, NULL, lua_tointeger(L, -1)) == NULL) {
      const char *key = dls_push_described(L, -1);
      dls_raise(L, function, "unexpected value [%s]: options are named", key);
    }
  }
  if (worst != NULL && strcmp(worst, "_VERSION") == 0)
    dls_raise(L, function, "expected a table of options, got the library (it is called with '.')");
  if (worst != NULL) {
    push_row_names(L, sets, n_sets);
    dls_unknown(L, function, "option", worst, -1);
  }
}

static void read_row(lua_State *L, int idx, const char *function, const dls_option *row, void *def,
                     int idx_anchor) {
  int type = lua_getfield(L, idx, row->name);
  if (type == LUA_TNIL && row->place > 0) {
    lua_pop(L, 1);
    type = lua_rawgeti(L, idx, row->place);
  }
  if (type != LUA_TNIL) {
    const dls_at at = {function, row->name, 0, idx_anchor};
    if (row->read != NULL)
      row->read(L, lua_gettop(L), &at, row->arg, (char *)def + row->offset);
  } else if ((row->flags & DLS_REQUIRED) != 0) {
    if (row->read == dls_read_choice) { /* its names are the answer */
      const dls_at at = {function, row->name, 0, idx_anchor};
      dls_read_choice(L, lua_gettop(L), &at, row->arg, (char *)def + row->offset);
    }
    dls_raise(L, function, "'%s' is required", row->name);
  }
  lua_pop(L, 1);
}

/* Options with a metatable become a plain table of what they answer: its functions run here, and
** nowhere later. */
static void flatten(lua_State *L, int idx, const dls_option_set *sets, int n_sets) {
  if (!lua_getmetatable(L, idx)) return;
  lua_newtable(L); /* in place of the metatable */
  lua_replace(L, -2);
  const int plain = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, idx) != 0) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, plain);
  }
  for (int s = 0; s < n_sets; s++)
    for (const dls_option *row = sets[s].rows; row->name != NULL; row++) {
      lua_pushstring(L, row->name);
      if (lua_getfield(L, idx, row->name) != LUA_TNIL) lua_rawset(L, plain);
      else lua_pop(L, 2);
    }
  lua_replace(L, idx);
  dls_class_still_open(L);
}

void dls_read_option_sets(lua_State *L, int idx, const char *function,
                          const dls_option_set *sets, int n_sets) {
  luaL_checkstack(L, 16, function);
  idx = lua_absindex(L, idx);
  if (!lua_istable(L, idx)) {
    const dls_at at = {function, NULL, 0, 0};
    dls_bad(L, &at, "expected a table of options", idx);
  }
  refuse_unknown(L, idx, function, sets, n_sets);
  flatten(L, idx, sets, n_sets);
  lua_newtable(L);
  const int idx_anchor = lua_gettop(L);
  for (int s = 0; s < n_sets; s++)
    for (const dls_option *row = sets[s].rows; row->name != NULL; row++)
      read_row(L, idx, function, row, sets[s].def, idx_anchor);
}

void dls_read_options(lua_State *L, int idx, const char *function, const dls_option *rows,
                      void *def) {
  const dls_option_set set = {rows, def};
  dls_read_option_sets(L, idx, function, &set, 1);
}
