/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/open.h"

#include "bind/joint_parts.h"

/* What joins the bodies of a world, as plain tables for recordings: joints, springs, hand-made
** contacts and ropes. */

/* Sets t[name] of the table on top to dim numbers. */
static void set_numbers(lua_State *L, const char *name, int n, const double *x) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushnumber(L, x[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, name);
}

/* { position = {x, y, z}, rotation = {w, x, y, z} } */
static void set_frame(lua_State *L, const char *name, const dls_place *place) {
  double x[4];
  lua_createtable(L, 0, 2);
  dls_v3_store(x, place->p);
  set_numbers(L, "position", 3, x);
  dls_q_store(x, dls_q_from_matrix(&place->R));
  set_numbers(L, "rotation", 4, x);
  lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

/* A new table { kind =, a =, b =, key = }: the key names the slot and its use. */
static void begin(lua_State *L, const char *kind, const char *slots, int slot, uint32_t generation,
                  int a, int b) {
  lua_createtable(L, 0, 8);
  set_text(L, "kind", kind);
  lua_pushfstring(L, "%s %d:%I", slots, slot + 1, (LUAI_UACINT)generation);
  lua_setfield(L, -2, "key");
  dls_push_body(L, 1, a);
  lua_setfield(L, -2, "a");
  dls_push_body(L, 1, b);
  lua_setfield(L, -2, "b");
}

static void push_joint(lua_State *L, const dls_world *w, int index) {
  const dls_joint *joint = &w->joints[index];
  double x[3];
  begin(L, dls_joint_kind_names[joint->kind], "joint", joint->slot, joint->generation, joint->a,
        joint->b);
  dls_push_joint(L, 1, index);
  lua_setfield(L, -2, "joint");
  set_frame(L, "frame_a", &joint->on_a);
  set_frame(L, "frame_b", &joint->on_b);
  dls_v3_store(x, joint->axis);
  set_numbers(L, "axis", 3, x);
  dls_v3_store(x, joint->second);
  set_numbers(L, "second", 3, x);
  if (joint->n_limits > 0) {
    const double limits[2] = {joint->lo[0], joint->hi[0]};
    set_numbers(L, "limits", 2, limits);
  }
  lua_pushinteger(L, joint->nu);
  lua_setfield(L, -2, "freedom");
}

/* A point given from the mass centre, in the body frame. */
static void set_point(lua_State *L, const char *name, const dls_world *w, int body,
                      const double *from_com) {
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = from_com[i] + w->bodies[body].com[i];
  set_numbers(L, name, w->dim, x);
}

static void push_spring(lua_State *L, const dls_world *w, int index) {
  const dls_spring *spring = &w->springs[index];
  begin(L, "spring", "spring", spring->slot, spring->generation, spring->a, spring->b);
  set_point(L, "point_a", w, spring->a, spring->anchor_a);
  set_point(L, "point_b", w, spring->b, spring->anchor_b);
  lua_pushnumber(L, spring->length);
  lua_setfield(L, -2, "length");
  lua_pushnumber(L, spring->stiffness);
  lua_setfield(L, -2, "stiffness");
}

static void push_user_contact(lua_State *L, const dls_world *w, int index) {
  const dls_user_contact *user = &w->user_contacts[index];
  const bool rope = user->kind == DLS_USER_ROPE;
  begin(L, rope ? "rope" : "contact", "contact", user->slot, user->generation, user->a, user->b);
  set_point(L, "point_a", w, user->a, user->point_a);
  set_point(L, "point_b", w, user->b, user->point_b);
  if (!rope) {
    set_numbers(L, "normal", w->dim, user->normal);
    return;
  }
  lua_pushnumber(L, user->length);
  lua_setfield(L, -2, "length");
}

/* connections(world) -> list of { kind =, key =, a =, b =, ... }: joints, springs, then contacts
** and ropes made by hand. Contacts by a gap function are at no place and are left out. */
static int connections(lua_State *L) {
  const dls_world *w = dls_check_world(L, 1)->world;
  lua_Integer n = 0;
  lua_settop(L, 1);
  luaL_checkstack(L, 12, "connections");
  lua_newtable(L);
  for (int i = 0; i < w->n_joints; i++) {
    if (!w->joints[i].alive) continue;
    push_joint(L, w, i);
    lua_rawseti(L, 2, ++n);
  }
  for (int i = 0; i < w->n_springs; i++) {
    if (!w->springs[i].alive) continue;
    push_spring(L, w, i);
    lua_rawseti(L, 2, ++n);
  }
  for (int i = 0; i < w->n_user_contacts; i++) {
    if (!w->user_contacts[i].alive || w->user_contacts[i].kind == DLS_USER_GAP) continue;
    push_user_contact(L, w, i);
    lua_rawseti(L, 2, ++n);
  }
  return 1;
}

static uint64_t mixed(uint64_t sum, int kind, int slot, uint32_t generation) {
  return sum * UINT64_C(0x9E3779B97F4A7C15) +
         ((uint64_t)kind << 62 ^ (uint64_t)slot << 32 ^ generation) + 1;
}

static uint64_t sum_connections(const dls_world *w) {
  uint64_t sum = 0;
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive) sum = mixed(sum, 1, w->joints[i].slot, w->joints[i].generation);
  for (int i = 0; i < w->n_springs; i++)
    if (w->springs[i].alive) sum = mixed(sum, 2, w->springs[i].slot, w->springs[i].generation);
  for (int i = 0; i < w->n_user_contacts; i++)
    if (w->user_contacts[i].alive)
      sum = mixed(sum, 3, w->user_contacts[i].slot, w->user_contacts[i].generation);
  return sum;
}

/* connected(world) -> a number that stays while joints, springs and hand-made contacts do. */
static int connected(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)sum_connections(dls_check_world(L, 1)->world));
  return 1;
}

/* seen(world) -> a number that stays while, besides, the bodies, their types and their shapes do:
** what a picture of the world is made of. */
static int seen(lua_State *L) {
  const dls_world *w = dls_check_world(L, 1)->world;
  uint64_t sum = sum_connections(w);
  for (int i = 1; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!body->alive) continue;
    sum = mixed(sum, body->type, body->slot, body->generation);
    sum = mixed(sum, 0, 0, 0) ^ (uint64_t)(uintptr_t)body->shape;
  }
  lua_pushinteger(L, (lua_Integer)sum);
  return 1;
}

/* Adds joint_kinds, the list of names of the kinds, in the order of the core. */
static void set_joint_kinds(lua_State *L) {
  lua_createtable(L, DLS_N_KINDS, 0);
  for (int i = 0; i < DLS_N_KINDS; i++) {
    lua_pushstring(L, dls_joint_kind_names[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "joint_kinds");
}

void dls_open_world_connections(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"connections", connections}, {"connected", connected}, {"seen", seen}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
  set_joint_kinds(L);
}
