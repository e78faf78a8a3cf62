/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint_parts.h"

#include "core/model/joint_kinds.h"

/* What a joint lets move: elementary motions by its kind, its list of motions or its subspace. */

static const char function[] = DLS_JOINT_FUNCTION;

void dls_joint_direction(lua_State *L, int idx, const dls_at *at, int dim, double out[3]) {
  dls_read_numbers(L, idx, at, dim, out);
  if (!dls_make_unit(out, 3)) dls_bad(L, at, "must not be the zero vector", idx);
}

static dls_motion elementary(dls_motion_kind kind, dls_vec3 axis) {
  dls_motion m = {.kind = kind, .drive = -1};
  dls_v3_store(m.axis, axis);
  return m;
}

static const char *const motion_kinds[] = {"rotate", "slide", NULL};

/* An entry of motions, at the top of the stack, has nothing but a kind, an axis and a motion. */
static void check_entry(lua_State *L, const dls_at *at) {
  const int entry = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, entry) != 0; lua_settop(L, entry + 1)) {
    const bool place = lua_isinteger(L, entry + 1) && lua_tointeger(L, entry + 1) >= 1 &&
                       lua_tointeger(L, entry + 1) <= 2;
    const bool named =
        lua_type(L, entry + 1) == LUA_TSTRING && strcmp(lua_tostring(L, entry + 1), "motion") == 0;
    if (!place && !named) dls_bad(L, at, "takes a kind, an axis and 'motion'", entry + 1);
  }
}

/* motions[k] = { kind, axis, motion = function }: the list is at idx. */
static int read_motions(lua_State *L, int idx, const dls_joint_options *o, dls_motion *out,
                        int *n_driven) {
  const dls_at at_list = {function, "motions", 0, 0};
  const int n = dls_check_list(L, idx, &at_list, "must be a list of { kind, axis }");
  int n_free = 0;
  if (n > DLS_MAX_MOTIONS)
    dls_raise(L, function, "'motions' has %d entries, at most %d are possible", n, DLS_MAX_MOTIONS);
  for (int k = 0; k < n; k++) {
    const int top = lua_gettop(L);
    const dls_at at = {function, "motions", k + 1, 0};
    int kind = 0;
    double axis[3] = {0};
    lua_rawgeti(L, idx, k + 1);
    if (!lua_istable(L, top + 1)) dls_bad(L, &at, "must be { kind, axis }", top + 1);
    check_entry(L, &at);
    lua_rawgeti(L, top + 1, 1);
    dls_read_choice(L, top + 2, &at, motion_kinds, &kind);
    if (lua_rawgeti(L, top + 1, 2) == LUA_TNIL && o->dim == 2 && kind == 0) axis[2] = 1;
    else if (o->dim == 2 && kind == 0) {
      const dls_vector_arg list = dls_take_vector(L, top + 3, &at);
      if (list.n != 3 || list.x[0] != 0 || list.x[1] != 0)
        dls_bad(L, &at, "must turn about {0, 0, 1} in the plane", top + 3);
      axis[2] = list.x[2] < 0 ? -1 : 1;
    } else {
      dls_joint_direction(L, top + 3, &at, o->dim, axis);
    }
    out[k] = elementary((dls_motion_kind)kind, dls_v3_load(axis));
    if (lua_getfield(L, top + 1, "motion") != LUA_TNIL) {
      if (!lua_isfunction(L, -1))
        dls_bad(L, &at, "must have a function as 'motion'", lua_gettop(L));
      out[k].drive = 0;
      ++*n_driven;
    } else {
      n_free++;
    }
    lua_settop(L, top);
  }
  if (n_free > 6)
    dls_raise(L, function, "'motions' has %d free ones, at most 6 are possible", n_free);
  const int fault = dls_joint_chain_fault(n, out);
  if (fault >= 0) dls_raise(L, function, "'motions'[%d] depends on those before it", fault + 1);
  return n;
}

/* subspace: 6 x n, angular rows first. */
static int read_subspace(lua_State *L, int idx, dls_motion *out) {
  const dls_at at = {function, "subspace", 0, 0};
  const dls_matrix_arg S = dls_take_matrix(L, idx, &at);
  if (!S.a || S.n_rows != 6 || S.n_cols < 1 || S.n_cols > 6)
    dls_bad(L, &at, "must be a 6 x n matrix, n from 1 to 6", idx);
  const char *why;
  const int k = dls_joint_make_screws(S.a, S.n_cols, out, &why);
  if (k >= 0) dls_raise(L, function, "column %d of 'subspace' %s", k + 1, why);
  lua_pop(L, 1);
  return S.n_cols;
}

/* Axis and second axis in the joint's frame; F is that frame in the world. */
static void read_axes(const dls_joint_options *o, const dls_place *F, bool framed,
                      int kind, dls_vec3 *first, dls_vec3 *second) {
  const dls_vec3 x = dls_v3(1, 0, 0), y = dls_v3(0, 1, 0), z = dls_v3(0, 0, 1);
  *first = framed ? x : (kind == DLS_KIND_PLANAR ? dls_m3_apply_t(&F->R, z) : x);
  if (o->has_axis) *first = dls_m3_apply_t(&F->R, dls_v3_load(o->axis));
  if (dls_joint_is_about_z(kind, o->dim)) *first = z;
  if (o->has_axis2) *second = dls_m3_apply_t(&F->R, dls_v3_load(o->axis2));
  else if (framed) *second = y;
  else {
    *second = dls_m3_apply_t(&F->R, x);
    if (fabs(dls_v3_dot(*second, *first)) > 1 - 1e-9) *second = dls_m3_apply_t(&F->R, y);
  }
}

int dls_joint_motions(lua_State *L, const dls_joint_options *o, const dls_place *F, bool framed,
                        dls_joint *joint, dls_motion *out) {
  const int kind = joint->kind, top = lua_gettop(L);
  const dls_joint_make *made = &dls_joint_makes[kind];
  const bool about_z = dls_joint_is_about_z(kind, o->dim);
  const bool listed = lua_getfield(L, 2, "motions") != LUA_TNIL;
  const bool spanned = lua_getfield(L, 2, "subspace") != LUA_TNIL;
  if (listed != (kind == DLS_KIND_CHAIN))
    dls_raise(L, function,
              listed ? "'motions' is for chain joints" : "a chain joint needs 'motions'");
  if (spanned != (kind == DLS_KIND_CUSTOM))
    dls_raise(L, function,
              spanned ? "'subspace' is for custom joints" : "a custom joint needs 'subspace'");
  if (o->has_axis && made->axis == DLS_NOT_USED)
    dls_raise(L, function, "'axis' is not used by a %s joint", dls_joint_kind_names[kind]);
  if (o->has_axis2 && made->second == DLS_NOT_USED)
    dls_raise(L, function, "'axis2' is not used by a %s joint", dls_joint_kind_names[kind]);
  if (about_z && o->has_axis)
    dls_raise(L, function, "'axis' is not used by a %s joint in the plane",
              dls_joint_kind_names[kind]);
  if (made->axis == DLS_NEEDED && !o->has_axis && !framed && !about_z)
    dls_raise(L, function, "a %s joint needs 'axis'", dls_joint_kind_names[kind]);
  if (made->second == DLS_NEEDED && !o->has_axis2 && !framed)
    dls_raise(L, function, "a %s joint needs 'axis2'", dls_joint_kind_names[kind]);
  dls_vec3 e, second;
  read_axes(o, F, framed, kind, &e, &second);
  int n = dls_joint_make_motions(joint, e, second, o->has_axis2, out);
  if (n < 0) dls_raise(L, function, "'axis2' lies along 'axis'");
  if (kind == DLS_KIND_CHAIN) n = read_motions(L, top + 1, o, out, &joint->n_driven);
  if (kind == DLS_KIND_CUSTOM) n = read_subspace(L, top + 2, out);
  lua_settop(L, top);
  return n;
}
