/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world.h"

#include "bind/gear.h"
#include "bind/joint.h"
#include "bind/open.h"
#include "bind/world_parts.h"

/* The world as an object. Made in world_new.c, stepped in world_step.c, asked in world_ask.c,
** stored in world_state.c; what fills it is in world_make.c, what it calls back in world_hooks.c;
** run, advance and show are Lua (lua/delassus/world.lua). */

dls_world_box *dls_check_world(lua_State *L, int idx) {
  return dls_class_open(L, idx, &dls_world_class);
}

dls_world_box *dls_check_unlocked(lua_State *L, int idx, const char *function) {
  dls_world_box *box = dls_check_world(L, idx);
  if (box->world->stepping) dls_raise(L, function, "not possible while the world steps");
  dls_refuse_finalizers(L, function);
  return box;
}

void dls_push_kept(lua_State *L, int idx, const char *name) {
  lua_getiuservalue(L, idx, 2);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}

void dls_settle_world(lua_State *L, int idx) {
  dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  if (!w->stepping && dls_world_has_gaps(w) && !dls_in_finalizer(L)) dls_world_move_up(w);
}

void dls_push_kept_of(lua_State *L, int idx, const char *name, int key, uint32_t generation) {
  const int top = lua_gettop(L);
  dls_push_kept(L, idx, name);
  if (lua_rawgeti(L, top + 1, key) == LUA_TTABLE) {
    lua_getfield(L, -1, "generation");
    const bool same = lua_tointeger(L, -1) == (lua_Integer)generation;
    lua_pop(L, 1);
    if (!same) {
      lua_pushnil(L);
      lua_rawseti(L, top + 1, key);
      lua_pushnil(L);
      lua_replace(L, top + 2);
    }
  }
  lua_remove(L, top + 1);
}

void dls_make_kept_of(lua_State *L, int idx, const char *name, int key, uint32_t generation) {
  idx = lua_absindex(L, idx);
  dls_push_kept_of(L, idx, name, key, generation);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushinteger(L, (lua_Integer)generation);
  lua_setfield(L, -2, "generation");
  dls_push_kept(L, idx, name);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, key);
  lua_pop(L, 1);
}

void dls_refuse_lent(lua_State *L, const dls_world_box *box, const char *function, const char *what) {
  if (box->lent) dls_raise(L, function, "%s is not possible: the world is lent by a host, whose steps call no Lua", what);
}

static void release(lua_State *L, void *self) {
  dls_world_box *box = self;
  if (box->world->stepping) {
    box->handle.open = true;
    dls_raise(L, "world:close", "not possible while the world steps");
  }
  dls_world *world = box->world;
  dls_ring_free(box->ring, world);
  box->ring = NULL;
  if (box->lent) {
    dls_host_end_loan(box->host, &box->loan);
    return;
  }
  dls_host_unwrap(box->host);
  box->host = NULL;
  box->world = NULL;
  dls_world_destroy(world);
}

static int to_string(lua_State *L) {
  const dls_world_box *box = luaL_checkudata(L, 1, dls_world_class.name);
  if (!box->handle.open)
    lua_pushliteral(L, "delassus.World (closed)");
  else
    lua_pushfstring(L, "delassus.World (%d bodies, %d contacts, t = %f s)",
                    dls_count_bodies(box->world), box->world->stats.contacts, box->world->time);
  return 1;
}

static const dls_method methods[] = {
    {"step", dls_world_step_lua, "(n) n steps; one where n is absent"},
    {"find", dls_world_find_lua, "(name) the body of that name, or nil"},
    {"remove", dls_world_remove_lua, "(x) takes a body, a joint, a gear, a spring or a hand-made contact out"},
    {"body", dls_world_new_body, "{ shape =, density =, position =, ... } -> body"},
    {"joint", dls_world_joint_lua, "{ kind, a, b, anchor =, axis =, ... } -> joint"},
    {"gear", dls_world_gear_lua, "{ joint1, joint2, ratio =, offset = } -> gear"},
    {"pair", dls_world_pair_lua, "{ a, b, friction =, ... } laws of two materials or bodies"},
    {"contact", dls_world_contact_lua, "{ a, b, point_a =, point_b =, normal =, ... } by hand"},
    {"spring", dls_world_spring_lua, "{ a, b, stiffness =, damping =, length =, ... }"},
    {"field", dls_world_field_lua, "(fn) fn(body, t) -> force, torque on every dynamic body, in the middle of a step"},
    {"on", dls_world_on_lua, "(kind, fn) fn(event) after each step -> handle with off()"},
    {"contacts", dls_world_contacts_lua, "() iterates the contacts of the last step"},
    {"raycast", dls_world_raycast_lua, "(from, to) -> body, point, normal, fraction; nil"},
    {"poses", dls_world_poses_lua, "(into) position and rotation of every body, in the order of bodies: 7 numbers each, 3 in the plane"},
    {"set_forces", dls_world_set_forces_lua, "(array) force at the mass centre and torque on every body: 6 numbers each, 3 in the plane; they last"},
    {"energy", dls_world_energy_lua, "() -> kinetic, potential, stored, J"},
    {"momentum", dls_world_momentum_lua, "() -> linear, angular about the origin"},
    {"mobility", dls_world_mobility_lua, "() -> degrees of freedom, rank, redundant rows"},
    {"ledger", dls_world_ledger_lua, "() -> the energy ledger, term by term, J"},
    {"snapshot", dls_world_snapshot_lua, "() -> string"},
    {"restore", dls_world_restore_lua, "(string) back to a snapshot"},
    {"hash", dls_world_hash_lua, "() -> string of the whole state"},
    {NULL, NULL, NULL}};
static const luaL_Reg meta[] = {{"__tostring", to_string}, {"__len", dls_world_length_lua}, {NULL, NULL}};

const dls_class dls_world_class = {"delassus.World", "world", methods, dls_world_properties, meta, NULL,
                                   release};

void dls_open_world(lua_State *L) {
  dls_class_register(L, &dls_world_class);
  dls_class_register(L, &dls_body_class);
  dls_class_register(L, &dls_contact_class);
  dls_class_register(L, &dls_spring_class);
  dls_class_register(L, &dls_gear_class);
  dls_class_register(L, &dls_handle_class);
  dls_class_register(L, &dls_joint_class);
  lua_pushcfunction(L, dls_world_new_lua);
  lua_setfield(L, -2, "world");
  lua_pushcfunction(L, dls_world_slice_lua);
  lua_setfield(L, -2, "slice");
  dls_add_short_forms(L);
  dls_add_coordinates(L);
  dls_add_integrate(L);
}
