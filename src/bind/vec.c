/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/options.h"

/* vec: an immutable value of 2 to 4 numbers. */

extern const dls_class dls_vec_class;

void dls_push_vec(lua_State *L, int n, const double *x) {
  dls_vec *v = (dls_vec *)dls_class_new(L, &dls_vec_class, sizeof *v, 0);
  v->n = n;
  if (x != NULL) memcpy(v->x, x, (size_t)n * sizeof *x);
}

const dls_vec *dls_test_vec(lua_State *L, int idx) {
  return (const dls_vec *)dls_class_test(L, idx, &dls_vec_class);
}

/* The operand at idx as a vec of n numbers (any size where n = 0): vec or plain table. */
static dls_vec operand(lua_State *L, int idx, const char *function, int n) {
  dls_vec v = {0};
  const dls_vec *given = dls_test_vec(L, idx);
  const dls_at at = {function, NULL, 0, 0};
  if (given != NULL) {
    v = *given;
  } else {
    const dls_vector_arg list = dls_take_vector(L, idx, &at);
    if (list.n < 2 || list.n > 4) dls_raise(L, function, "needs 2 to 4 numbers, got %d", list.n);
    v.n = list.n;
    memcpy(v.x, list.x, (size_t)list.n * sizeof(double));
    lua_pop(L, 1);
  }
  if (n != 0 && v.n != n)
    dls_raise(L, function, "sizes differ: %d and %d numbers", n, v.n);
  return v;
}

static int push_result(lua_State *L, const dls_vec *v) {
  dls_push_vec(L, v->n, v->x);
  return 1;
}

static int combine(lua_State *L, const char *function, double sign) {
  const dls_vec *left = dls_test_vec(L, 1), *right = dls_test_vec(L, 2);
  const int n = left != NULL ? left->n : right != NULL ? right->n : 0;
  dls_vec a = operand(L, 1, function, n);
  const dls_vec b = operand(L, 2, function, a.n);
  for (int i = 0; i < a.n; i++) a.x[i] += sign * b.x[i];
  return push_result(L, &a);
}

static int vec_add(lua_State *L) { return combine(L, "vec +", 1); }
static int vec_sub(lua_State *L) { return combine(L, "vec -", -1); }

static int vec_mul(lua_State *L) {
  const int scalar = lua_type(L, 1) == LUA_TNUMBER ? 1 : 2;
  if (lua_type(L, scalar) != LUA_TNUMBER)
    return dls_raise(L, "vec *",
                     "one side must be a number; a:dot(b) and a:cross(b) are the products");
  const double s = lua_tonumber(L, scalar);
  dls_vec v = operand(L, 3 - scalar, "vec *", 0);
  for (int i = 0; i < v.n; i++) v.x[i] *= s;
  return push_result(L, &v);
}

static int vec_div(lua_State *L) {
  if (lua_type(L, 2) != LUA_TNUMBER) return dls_raise(L, "vec /", "only a number divides a vec");
  const double s = lua_tonumber(L, 2);
  dls_vec v = operand(L, 1, "vec /", 0);
  for (int i = 0; i < v.n; i++) v.x[i] /= s;
  return push_result(L, &v);
}

static int vec_unm(lua_State *L) {
  dls_vec v = operand(L, 1, "vec -", 0);
  for (int i = 0; i < v.n; i++) v.x[i] = -v.x[i];
  return push_result(L, &v);
}

static int vec_eq(lua_State *L) {
  const dls_vec *a = dls_test_vec(L, 1), *b = dls_test_vec(L, 2);
  bool same = a != NULL && b != NULL && a->n == b->n;
  for (int i = 0; same && i < a->n; i++) same = a->x[i] == b->x[i];
  lua_pushboolean(L, same);
  return 1;
}

static int vec_len(lua_State *L) {
  lua_pushinteger(L, ((const dls_vec *)dls_class_check(L, 1, &dls_vec_class))->n);
  return 1;
}

static int vec_tostring(lua_State *L) {
  const dls_vec *v = (const dls_vec *)dls_class_check(L, 1, &dls_vec_class);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addchar(&b, '{');
  for (int i = 0; i < v->n; i++) {
    lua_pushfstring(L, i > 0 ? ", %f" : "%f", v->x[i]);
    luaL_addvalue(&b);
  }
  luaL_addchar(&b, '}');
  luaL_pushresult(&b);
  return 1;
}

static int vec_at(lua_State *L) {
  const dls_vec *v = (const dls_vec *)dls_class_check(L, 1, &dls_vec_class);
  const lua_Number i = lua_tonumber(L, 2);
  for (int k = 0; k < v->n; k++) {
    if (i == k + 1) {
      lua_pushnumber(L, v->x[k]);
      return 1;
    }
  }
  return 0;
}

static int component(lua_State *L, char name) {
  const dls_vec *v = (const dls_vec *)dls_class_check(L, 1, &dls_vec_class);
  const char *names = v->n == 4 ? "wxyz" : v->n == 3 ? "xyz" : "xy";
  const char *found = strchr(names, name);
  if (found == NULL) return dls_raise(L, "vec", "a vec of %d numbers has no '%c'", v->n, name);
  lua_pushnumber(L, v->x[found - names]);
  return 1;
}

static int get_w(lua_State *L) { return component(L, 'w'); }
static int get_x(lua_State *L) { return component(L, 'x'); }
static int get_y(lua_State *L) { return component(L, 'y'); }
static int get_z(lua_State *L) { return component(L, 'z'); }

static int set_component(lua_State *L) {
  return dls_raise(L, "vec", "cannot be changed in place: assign a whole new one");
}

static int vec_dot(lua_State *L) {
  const dls_vec *a = (const dls_vec *)dls_class_check(L, 1, &dls_vec_class);
  const dls_vec b = operand(L, 2, "vec:dot", a->n);
  double sum = 0;
  for (int i = 0; i < a->n; i++) sum += a->x[i] * b.x[i];
  lua_pushnumber(L, sum);
  return 1;
}

static int vec_cross(lua_State *L) {
  const dls_vec *a = (const dls_vec *)dls_class_check(L, 1, &dls_vec_class);
  const dls_vec b = operand(L, 2, "vec:cross", a->n);
  if (a->n == 4) return dls_raise(L, "vec:cross", "needs 2 or 3 numbers, got 4");
  const double z = a->x[0] * b.x[1] - a->x[1] * b.x[0];
  if (a->n == 2) {
    lua_pushnumber(L, z);
    return 1;
  }
  const double c[3] = {a->x[1] * b.x[2] - a->x[2] * b.x[1],
                       a->x[2] * b.x[0] - a->x[0] * b.x[2], z};
  dls_push_vec(L, 3, c);
  return 1;
}

static int vec_norm(lua_State *L) {
  const dls_vec *v = (const dls_vec *)dls_class_check(L, 1, &dls_vec_class);
  double most = 0, sum = 0;
  for (int i = 0; i < v->n; i++) most = dls_max(most, fabs(v->x[i]));
  for (int i = 0; i < v->n && most > 0; i++) sum += (v->x[i] / most) * (v->x[i] / most);
  lua_pushnumber(L, most * sqrt(sum));
  return 1;
}

static int vec_unpack(lua_State *L) {
  const dls_vec *v = (const dls_vec *)dls_class_check(L, 1, &dls_vec_class);
  for (int i = 0; i < v->n; i++) lua_pushnumber(L, v->x[i]);
  return v->n;
}

static int vec_totable(lua_State *L) {
  const dls_vec *v = (const dls_vec *)dls_class_check(L, 1, &dls_vec_class);
  lua_createtable(L, v->n, 0);
  for (int i = 0; i < v->n; i++) {
    lua_pushnumber(L, v->x[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static const dls_method methods[] = {
    {"dot", vec_dot, "(v) the scalar product"},
    {"cross", vec_cross, "(v) the vector product; a number in the plane"},
    {"norm", vec_norm, "() the length"},
    {"unpack", vec_unpack, "() the numbers themselves"},
    {"totable", vec_totable, "() a plain table of the numbers"},
    {NULL, NULL, NULL}};

static const dls_property properties[] = {
    {"w", get_w, set_component, "real part of a quaternion"},
    {"x", get_x, set_component, "first component, also v[1] (v[2] of a quaternion)"},
    {"y", get_y, set_component, "second component"},
    {"z", get_z, set_component, "third component"},
    {NULL, NULL, NULL, NULL}};

static const luaL_Reg meta[] = {
    {"__add", vec_add}, {"__sub", vec_sub}, {"__mul", vec_mul}, {"__div", vec_div},
    {"__unm", vec_unm}, {"__eq", vec_eq},   {"__len", vec_len}, {"__tostring", vec_tostring},
    {NULL, NULL}};

const dls_class dls_vec_class = {"delassus.vec", "vec", methods, properties, meta, vec_at, NULL};
