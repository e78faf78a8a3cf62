/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array_parts.h"

/* vector: a long immutable list of numbers. */

static dls_vector *check_vector(lua_State *L, int idx) {
  return (dls_vector *)dls_class_check(L, idx, &dls_vector_class);
}

int dls_lua_vector(lua_State *L) {
  const dls_at at = {"vector", NULL, 0, 0};
  const dls_vector_arg list = dls_take_vector(L, 1, &at);
  dls_push_vector(L, list.n, list.x);
  return 1;
}

int dls_lua_vec(lua_State *L) {
  const dls_at at = {"vec", NULL, 0, 0};
  const dls_vector_arg list = dls_take_vector(L, 1, &at);
  if (list.n < 2 || list.n > 4) return dls_raise(L, "vec", "needs 2 to 4 numbers, got %d", list.n);
  dls_push_vec(L, list.n, list.x);
  return 1;
}

static int vector_at(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  int whole;
  const lua_Integer i = lua_tointegerx(L, 2, &whole);
  if (!whole || i < 1 || i > v->n) return 0;
  lua_pushnumber(L, v->x[i - 1]);
  return 1;
}

static int vector_len(lua_State *L) {
  lua_pushinteger(L, check_vector(L, 1)->n);
  return 1;
}

static int vector_combine(lua_State *L, const char *function, double sign) {
  const dls_at at = {function, NULL, 0, 0};
  const dls_vector_arg a = dls_take_vector(L, 1, &at);
  const dls_vector_arg b = dls_take_vector(L, 2, &at);
  if (a.n != b.n) return dls_raise(L, function, "sizes differ: %d and %d numbers", a.n, b.n);
  double *out = dls_push_vector(L, a.n, a.x);
  for (int i = 0; i < a.n; i++) out[i] += sign * b.x[i];
  return 1;
}

static int vector_add(lua_State *L) { return vector_combine(L, "vector +", 1); }
static int vector_sub(lua_State *L) { return vector_combine(L, "vector -", -1); }

static int vector_scale(lua_State *L, int idx, double s, bool divide) {
  const dls_vector *v = check_vector(L, idx);
  double *out = dls_push_vector(L, v->n, NULL);
  for (int i = 0; i < v->n; i++) out[i] = divide ? v->x[i] / s : v->x[i] * s;
  return 1;
}

static int vector_mul(lua_State *L) {
  const int scalar = lua_type(L, 1) == LUA_TNUMBER ? 1 : 2;
  if (lua_type(L, scalar) != LUA_TNUMBER)
    return dls_raise(L, "vector *", "one side must be a number; a:dot(b) is the product");
  return vector_scale(L, 3 - scalar, lua_tonumber(L, scalar), false);
}

static int vector_div(lua_State *L) {
  if (lua_type(L, 2) != LUA_TNUMBER)
    return dls_raise(L, "vector /", "only a number divides a vector");
  return vector_scale(L, 1, lua_tonumber(L, 2), true);
}

static int vector_unm(lua_State *L) { return vector_scale(L, 1, -1, false); }

static int vector_eq(lua_State *L) {
  const dls_vector *a = dls_test_vector(L, 1), *b = dls_test_vector(L, 2);
  bool same = a != NULL && b != NULL && a->n == b->n;
  for (int i = 0; same && i < a->n; i++) same = a->x[i] == b->x[i];
  lua_pushboolean(L, same);
  return 1;
}

void dls_add_numbers(lua_State *L, luaL_Buffer *b, int n, const double *x) {
  enum { MOST = 8 };
  luaL_addchar(b, '{');
  for (int i = 0; i < n && i < MOST; i++) {
    lua_pushfstring(L, i > 0 ? ", %f" : "%f", x[i]);
    luaL_addvalue(b);
  }
  luaL_addstring(b, n > MOST ? ", ...}" : "}");
}

static int vector_tostring(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  dls_add_numbers(L, &b, v->n, v->x);
  if (v->n > 8) {
    lua_pushfstring(L, " (%d numbers)", v->n);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  return 1;
}

static int vector_dot(lua_State *L) {
  const dls_vector *a = check_vector(L, 1);
  const dls_at at = {"vector:dot", NULL, 0, 0};
  const dls_vector_arg b = dls_take_vector(L, 2, &at);
  if (a->n != b.n) return dls_raise(L, at.function, "sizes differ: %d and %d numbers", a->n, b.n);
  double sum = 0;
  for (int i = 0; i < a->n; i++) sum += a->x[i] * b.x[i];
  lua_pushnumber(L, sum);
  return 1;
}

static int vector_cross(lua_State *L) {
  const dls_vector *a = check_vector(L, 1);
  const dls_at at = {"vector:cross", NULL, 0, 0};
  const dls_vector_arg b = dls_take_vector(L, 2, &at);
  if (a->n != b.n) return dls_raise(L, at.function, "sizes differ: %d and %d numbers", a->n, b.n);
  const double *x = a->x, *y = b.x;
  if (a->n == 2) {
    lua_pushnumber(L, x[0] * y[1] - x[1] * y[0]);
    return 1;
  }
  if (a->n != 3) return dls_raise(L, at.function, "needs 2 or 3 numbers, got %d", a->n);
  double *out = dls_push_vector(L, 3, NULL);
  for (int i = 0; i < 3; i++)
    out[i] = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
  return 1;
}

static int vector_norm(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  double most = 0, sum = 0;
  for (int i = 0; i < v->n; i++) most = dls_max(most, fabs(v->x[i]));
  for (int i = 0; i < v->n && most > 0; i++) sum += (v->x[i] / most) * (v->x[i] / most);
  lua_pushnumber(L, most * sqrt(sum));
  return 1;
}

static int vector_unpack(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  luaL_checkstack(L, v->n, "vector:unpack");
  for (int i = 0; i < v->n; i++) lua_pushnumber(L, v->x[i]);
  return v->n;
}

void dls_push_plain(lua_State *L, int n, const double *x) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushnumber(L, x[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static int vector_totable(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  dls_push_plain(L, v->n, v->x);
  return 1;
}

static const dls_method vector_methods[] = {
    {"dot", vector_dot, "(v) the scalar product"},
    {"cross", vector_cross, "(v) the vector product of 3 numbers; of 2 a number"},
    {"norm", vector_norm, "() the Euclidean length"},
    {"unpack", vector_unpack, "() the numbers themselves"},
    {"totable", vector_totable, "() a plain table of the numbers"},
    {NULL, NULL, NULL}};

static const luaL_Reg vector_meta[] = {
    {"__add", vector_add}, {"__sub", vector_sub}, {"__mul", vector_mul}, {"__div", vector_div},
    {"__unm", vector_unm}, {"__eq", vector_eq},   {"__len", vector_len},
    {"__tostring", vector_tostring}, {NULL, NULL}};

const dls_class dls_vector_class = {"delassus.vector", "vector", vector_methods, NULL, vector_meta,
                                    vector_at, NULL};
