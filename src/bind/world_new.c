/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

/* delassus.world{...}: the options and the making. */

enum { USER_VALUES = 2 };

static void read_dimension_first(lua_State *L, int idx, const dls_at *at, const void *arg,
                                 void *out) {
  (void)arg;
  dls_world_options *o = out;
  int n = o->def.dim;
  dls_read_numbers(L, idx, at, n, o->def.gravity);
  o->def.has_gravity = true;
}

#define ROW(name, reader, field, arg) {name, reader, offsetof(dls_world_options, field), arg, 0, 0}
static const dls_option rows[] = {
    {"gravity", read_dimension_first, 0, NULL, 0, 0},
    ROW("dt", dls_read_positive, def.dt, NULL),
    {"planar", NULL, 0, NULL, 0, 0},
    ROW("scheme", dls_read_choice, scheme, dls_world_schemes),
    ROW("theta", dls_world_read_theta, def.theta, NULL),
    ROW("impact", dls_read_choice, def.impact, dls_world_impacts),
    {"solver", dls_world_read_solver, 0, dls_world_solvers, 0, 0},
    ROW("friction_corners", dls_world_read_corners, def.friction_corners, NULL),
    ROW("factor", dls_read_choice, def.factor, dls_world_factors),
    ROW("tolerance", dls_read_positive, def.tolerance, NULL),
    ROW("max_iterations", dls_read_count, def.max_iterations, NULL),
    ROW("seed", dls_read_int64, def.seed, NULL),
    {"record", NULL, 0, NULL, 0, 0},
    ROW("log", dls_read_boolean, def.log, NULL),
    ROW("strict", dls_read_boolean, def.strict, NULL),
    ROW("profile", dls_read_boolean, profile, NULL),
    {NULL, NULL, 0, NULL, 0, 0}};

static void push_weak(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

/* Seconds to record: 10 where not given, none for false. */
static double read_record(lua_State *L) {
  static const dls_at at = {"delassus.world", "record", 0, 0};
  double seconds = 10;
  int type = lua_getfield(L, 1, "record");
  if (type == LUA_TNUMBER) dls_read_nonnegative(L, lua_gettop(L), &at, NULL, &seconds);
  else if (type == LUA_TBOOLEAN && !lua_toboolean(L, -1)) seconds = 0;
  else if (type != LUA_TNIL)
    dls_bad(L, &at, "must be a number of seconds, or false", lua_gettop(L));
  lua_pop(L, 1);
  return seconds;
}

double dls_world_clock(void *ud) {
  const dls_watch zero = {0};
  (void)ud;
  return dls_watch_elapsed(&zero);
}

dls_world_box *dls_push_world_box(lua_State *L) {
  static const char *const kept[] = {"bodies",   "materials",     "laws",   "fields",
                                     "handlers", "user_contacts", "joints", "list"};
  dls_world_box *box = dls_class_new(L, &dls_world_class, sizeof *box, USER_VALUES);
  const int self = lua_gettop(L);
  push_weak(L);
  lua_setiuservalue(L, self, 1);
  lua_newtable(L);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    lua_newtable(L);
    lua_setfield(L, -2, kept[i]);
  }
  lua_setiuservalue(L, self, 2);
  return box;
}

int dls_world_new_lua(lua_State *L) {
  dls_world_options o = {.def = dls_world_def_default()};
  lua_settop(L, 1);
  if (lua_isnil(L, 1)) {
    lua_newtable(L);
    lua_replace(L, 1);
  }
  if (lua_istable(L, 1) && lua_getfield(L, 1, "planar") != LUA_TNIL) {
    static const dls_at at = {"delassus.world", "planar", 0, 0};
    bool planar = false;
    dls_read_boolean(L, 2, &at, NULL, &planar);
    o.def.dim = planar ? 2 : 3;
  }
  lua_settop(L, 1);
  dls_read_options(L, 1, "delassus.world", rows, &o);
  o.def.semi_implicit = o.scheme == 2;
  if (o.def.semi_implicit && o.def.theta != 0 && o.def.theta != 1)
    dls_raise(L, "delassus.world", "'theta' is 1 where 'scheme' is 'semi-implicit'");
  o.def.event_driven = o.scheme == 1;
  if (o.def.solver == DLS_SOLVE_LEMKE && o.def.dim == 3)
    dls_raise(L, "delassus.world", "solver 'lemke' is for planar worlds");
  double seconds = read_record(L);
  dls_world_box *box = dls_push_world_box(L);
  dls_alloc alloc = dls_lua_alloc(L);
  dls_status status = dls_world_create(&box->world, &alloc, &o.def);
  dls_check_status(L, status, "delassus.world");
  box->handle.open = true;
  box->world->hooks.ud = box;
  if (o.profile) box->world->hooks.clock = dls_world_clock;
  box->ring = dls_ring_new(&alloc, seconds);
  return 1;
}
