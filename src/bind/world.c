/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world.h"

#include "bind/joint.h"
#include "bind/joint_penalty.h"
#include "bind/lcp.h"
#include "bind/lcp_cone.h"
#include "bind/open.h"

/* The world as an object: made, stepped, asked, stored. What fills it is in world_make.c, what it
** calls back in world_hooks.c; run, advance and show are Lua (lua/delassus/world.lua). */

enum { USER_VALUES = 2 };

dls_world_box *dls_check_world(lua_State *L, int idx) {
  return dls_class_check(L, idx, &dls_world_class);
}

dls_world_box *dls_check_unlocked(lua_State *L, int idx, const char *function) {
  dls_world_box *box = dls_check_world(L, idx);
  if (box->world->stepping) dls_raise(L, function, "not possible while the world steps");
  return box;
}

static dls_world *check(lua_State *L) { return dls_check_world(L, 1)->world; }

void dls_push_kept(lua_State *L, int idx, const char *name) {
  lua_getiuservalue(L, idx, 2);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}

/* --- children: one Lua value each ------------------------------------------------------------ */

/* Pushes children[key]; answers whether it is there (else the stack is as before). */
static bool push_child(lua_State *L, int idx, lua_Integer key) {
  lua_getiuservalue(L, idx, 1);
  if (lua_rawgeti(L, -1, key) == LUA_TUSERDATA) {
    lua_remove(L, -2);
    return true;
  }
  lua_pop(L, 2);
  return false;
}

static dls_child_ref *new_child(lua_State *L, int idx, lua_Integer key, const dls_class *cls) {
  dls_child_ref *ref = dls_class_new(L, cls, sizeof *ref, 1);
  ref->box = lua_touserdata(L, idx);
  ref->tie = -1;
  lua_pushvalue(L, idx);
  lua_setiuservalue(L, -2, 1);
  lua_getiuservalue(L, idx, 1);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, key);
  lua_pop(L, 1);
  return ref;
}

void dls_push_body(lua_State *L, int idx, int body) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  if (body < 0 || body >= w->n_bodies || !w->bodies[body].alive) {
    lua_pushnil(L);
    return;
  }
  if (push_child(L, idx, body)) {
    const dls_child_ref *ref = lua_touserdata(L, -1);
    if (ref->generation == w->bodies[body].generation) return;
    lua_pop(L, 1);
  }
  dls_child_ref *ref = new_child(L, idx, body, &dls_body_class);
  ref->index = body;
  ref->generation = w->bodies[body].generation;
}

/* Bodies have keys from 0 up; contacts of the step below, hand-made ones further down. */
void dls_push_tie(lua_State *L, int idx, int tie, int a, int b) {
  lua_Integer key = -((lua_Integer)1 << 40) - tie;
  if (push_child(L, idx, key)) return;
  dls_child_ref *ref = new_child(L, idx, key, &dls_contact_class);
  ref->tie = tie;
  ref->a = a;
  ref->b = b;
}

void dls_push_contact(lua_State *L, int idx, int k) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  const dls_contact *c = &w->contacts[k];
  if (c->tie >= 0) {
    dls_push_tie(L, idx, c->tie, c->a, c->b);
    return;
  }
  lua_Integer key = -1 - (lua_Integer)k;
  if (push_child(L, idx, key)) {
    const dls_child_ref *ref = lua_touserdata(L, -1);
    if (ref->steps == w->steps && ref->key == c->key && ref->a == c->a && ref->b == c->b) return;
    lua_pop(L, 1);
  }
  dls_child_ref *ref = new_child(L, idx, key, &dls_contact_class);
  ref->index = k;
  ref->steps = w->steps;
  ref->key = c->key;
  ref->a = c->a;
  ref->b = c->b;
  ref->tie = c->tie;
}

/* --- making ------------------------------------------------------------------------------------ */

static const char *const impacts[] = {"newton", "poisson", "sequential", NULL};
static const char *const solvers[] = {"auto", "nsgs", "admm", "newton", "lemke", "energy", "block",
                                      "pgs", NULL};
static const char *const schemes[] = {"time-stepping", "event-driven", "semi-implicit", NULL};

typedef struct world_options {
  dls_world_def def;
  bool profile;
  int scheme;
} world_options;

/* The name of a method, or a solver made by lcp.solver or lcp.cone_solver, whose method, tolerance
** and limit are taken. */
static void read_solver(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  dls_world_def *def = &((world_options *)out)->def;
  const dls_cone_box *cone = dls_class_test(L, idx, &dls_cone_solver_class);
  const dls_lcp_box *lcp = dls_class_test(L, idx, &dls_lcp_solver_class);
  if (!cone && !lcp) {
    dls_read_choice(L, idx, at, arg, &def->solver);
    return;
  }
  if (!(cone ? cone->handle.open : lcp->handle.open)) dls_bad(L, at, "must not be closed", idx);
  const char *name = cone ? dls_cone_methods[cone->request.method].name : lcp->method->name;
  int k = 0;
  while (solvers[k] && strcmp(solvers[k], name) != 0) k++;
  if (!solvers[k]) dls_bad(L, at, "must have a method that worlds know", idx);
  def->solver = k;
  def->tolerance = cone ? cone->request.opts.tolerance : lcp->opts.tolerance;
  int limit = cone ? cone->request.opts.max_iterations : lcp->opts.max_iterations;
  if (limit > 0) def->max_iterations = limit;
}

static void read_dimension_first(lua_State *L, int idx, const dls_at *at, const void *arg,
                                 void *out) {
  (void)arg;
  world_options *o = out;
  int n = o->def.dim;
  dls_read_numbers(L, idx, at, n, o->def.gravity);
  o->def.has_gravity = true;
}

static void read_theta(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  double theta = dls_check_number(L, idx, at);
  (void)arg;
  if (!(theta >= 0.5 && theta <= 1)) dls_bad(L, at, "must be between 0.5 and 1", idx);
  *(double *)out = theta;
}

static void read_corners(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  double n = dls_check_number(L, idx, at);
  (void)arg;
  (void)out;
  if (n != 2 && n != 4) dls_bad(L, at, "must be 2 or 4", idx);
}

static const char *const factors[] = {"auto", "ldl", "sweep", "dense", NULL};
#define ROW(name, reader, field, arg) {name, reader, offsetof(world_options, field), arg, 0, 0}
static const dls_option rows[] = {
    {"gravity", read_dimension_first, 0, NULL, 0, 0},
    ROW("dt", dls_read_positive, def.dt, NULL),
    {"planar", NULL, 0, NULL, 0, 0},
    ROW("scheme", dls_read_choice, scheme, schemes),
    ROW("theta", read_theta, def.theta, NULL),
    ROW("impact", dls_read_choice, def.impact, impacts),
    {"solver", read_solver, 0, solvers, 0, 0},
    {"friction_corners", read_corners, 0, NULL, 0, 0},
    ROW("factor", dls_read_choice, def.factor, factors),
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
  else if (type != LUA_TNIL) dls_bad(L, &at, "must be a number of seconds, or false", lua_gettop(L));
  lua_pop(L, 1);
  return seconds;
}

static double steady_clock(void *ud) {
  const dls_watch zero = {0};
  (void)ud;
  return dls_watch_elapsed(&zero);
}

static int new_world(lua_State *L) {
  world_options o = {.def = dls_world_def_default()};
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
  if (o.scheme == 1)
    dls_raise(L, "delassus.world",
              "'scheme' must be 'time-stepping' or 'semi-implicit': events in worlds are not there yet");
  if (o.def.solver == DLS_SOLVE_LEMKE && o.def.dim == 3)
    dls_raise(L, "delassus.world", "solver 'lemke' is for planar worlds");
  double seconds = read_record(L);
  if (o.def.impact == DLS_IMPACT_POISSON)
    dls_raise(L, "delassus.world", "'impact' must be 'newton' or 'sequential' in worlds yet");
  static const char *const kept[] = {"bodies", "materials", "laws", "fields", "handlers", "ties", "joints"};
  dls_world_box *box = dls_class_new(L, &dls_world_class, sizeof *box, USER_VALUES);
  int self = lua_gettop(L);
  push_weak(L);
  lua_setiuservalue(L, self, 1);
  lua_newtable(L);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    lua_newtable(L);
    lua_setfield(L, -2, kept[i]);
  }
  lua_setiuservalue(L, self, 2);
  dls_alloc alloc = dls_lua_alloc(L);
  dls_status status = dls_world_create(&box->world, &alloc, &o.def);
  dls_check_status(L, status, "delassus.world");
  box->handle.open = true;
  box->world->hooks.ud = box;
  if (o.profile) box->world->hooks.clock = steady_clock;
  box->ring = dls_ring_new(&alloc, seconds);
  return 1;
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
  box->world = NULL;
  dls_world_destroy(world);
}

/* --- stepping ------------------------------------------------------------------------------------ */

/* Takes out the body, joint, spring or hand-made contact at idx, which is of the world at 1; what has gone
** meanwhile is passed over. */
static void take_out(lua_State *L, dls_world_box *box, int idx) {
  const dls_child_ref *contact = dls_class_test(L, idx, &dls_contact_class);
  const int *spring = dls_class_test(L, idx, &dls_spring_class);
  const dls_joint_ref *joint = dls_class_test(L, idx, &dls_joint_class);
  if (contact) {
    box->world->ties[contact->tie].alive = false;
  } else if (spring) {
    box->world->springs[*spring].alive = false;
  } else if (joint) {
    if (box->world->joints[joint->index].alive) dls_world_joint_remove(box->world, joint->index);
  } else {
    const dls_child_ref *body = lua_touserdata(L, idx);
    const dls_body *model = &box->world->bodies[body->index];
    if (!model->alive || model->generation != body->generation) return;
    dls_push_kept(L, 1, "bodies");
    lua_pushnil(L);
    lua_rawseti(L, -2, body->index);
    lua_pop(L, 1);
    dls_world_body_remove(box->world, body->index);
  }
}

/* What callbacks removed goes when the step is over. */
static void remove_pending(lua_State *L, dls_world_box *box) {
  dls_push_kept(L, 1, "removed");
  box->pending = false;
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
    take_out(L, box, lua_gettop(L));
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}

static int not_converged(lua_State *L, const dls_world *w) {
  return dls_raise(L, "world:step", "the solver missed the tolerance and 'strict' is set (residual %f, limit %f)",
                   w->stats.residual, w->solve.tolerance);
}

/* Up to n steps, or until the watch says to look in on Lua; -> steps done. The world is at 1. */
static lua_Integer steps(lua_State *L, dls_world_box *box, lua_Integer n, double seconds) {
  lua_pushnil(L);
  dls_call call = {.L = L, .slot = lua_gettop(L)};
  dls_world *w = box->world;
  dls_watch watch = dls_watch_start();
  lua_Integer done = 0;
  dls_status status = DLS_OK;
  box->call = &call; // cppcheck-suppress autoVariables ; taken back before it returns
  box->self = 1;
  while (status == DLS_OK && done < n) {
    status = dls_world_step(w);
    if (status != DLS_OK) break;
    done++;
    if (box->ring) dls_ring_take(box->ring, w);
    if (box->pending) remove_pending(L, box);
    if (seconds > 0 && dls_watch_elapsed(&watch) > seconds) break;
  }
  box->call = NULL;
  if (status != DLS_OK) box->pending = false;
  if (status == DLS_STATE) not_converged(L, w);
  dls_raise_trees(L, 1, status, "world:step");
  dls_raise_unstable(L, 1, status, "world:step");
  dls_call_report(&call, status, "world:step");
  return done;
}

static int step(lua_State *L) {
  static const dls_at at = {"world:step", "n", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world:step");
  int n = 1;
  if (!lua_isnoneornil(L, 2)) dls_read_count(L, 2, &at, NULL, &n);
  lua_settop(L, 1);
  (void)steps(L, box, n, 0);
  return 0;
}

/* slice(world, n) -> steps done: what run is made of. */
static int slice(lua_State *L) {
  dls_world_box *box = dls_check_unlocked(L, 1, "world:run");
  lua_Integer n = luaL_checkinteger(L, 2);
  lua_settop(L, 1);
  lua_Integer done = steps(L, box, n, DLS_RUN_SLICE);
  lua_pushinteger(L, done);
  return 1;
}

/* --- what is in it --------------------------------------------------------------------------------- */

static int count_bodies(const dls_world *w) { return w->n_bodies - w->n_dead - 1; }

static int length(lua_State *L) {
  lua_pushinteger(L, count_bodies(check(L)));
  return 1;
}

/* A list of the bodies in the order in which they were made, the ground left out. */
static int get_bodies(lua_State *L) {
  const dls_world *w = check(L);
  lua_settop(L, 1);
  lua_createtable(L, count_bodies(w), 0);
  int n = 0;
  for (int i = 1; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    dls_push_body(L, 1, i);
    /* Slots are used again: insert by the number of making. */
    int k = n++;
    while (k > 0) {
      lua_rawgeti(L, 2, k);
      const dls_child_ref *ref = lua_touserdata(L, -1);
      if (w->bodies[ref->index].serial < w->bodies[i].serial) {
        lua_pop(L, 1);
        break;
      }
      lua_rawseti(L, 2, k + 1);
      k--;
    }
    lua_rawseti(L, 2, k + 1);
  }
  return 1;
}

static int get_joints(lua_State *L) {
  const dls_world *w = check(L);
  lua_settop(L, 1);
  lua_newtable(L);
  for (int i = 0, n = 0; i < w->n_joints; i++) {
    if (!w->joints[i].alive) continue;
    dls_push_joint(L, 1, i);
    lua_rawseti(L, 2, ++n);
  }
  return 1;
}

static int get_ground(lua_State *L) {
  (void)check(L);
  dls_push_body(L, 1, 0);
  return 1;
}

static int find(lua_State *L) {
  const dls_world *w = check(L);
  static const dls_at at = {"world:find", "name", 0, 0};
  if (lua_type(L, 2) != LUA_TSTRING) dls_bad(L, &at, "must be a string", 2);
  lua_settop(L, 2);
  dls_push_kept(L, 1, "bodies");
  for (int i = 1; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive || lua_rawgeti(L, 3, i) != LUA_TTABLE) {
      lua_settop(L, 3);
      continue;
    }
    lua_getfield(L, -1, "name");
    if (lua_rawequal(L, -1, 2)) {
      dls_push_body(L, 1, i);
      return 1;
    }
    lua_settop(L, 3);
  }
  lua_pushnil(L);
  return 1;
}

/* Puts the thing at 2 on the list of what goes at the end of the step. */
static void postpone(lua_State *L, dls_world_box *box) {
  lua_getiuservalue(L, 1, 2);
  if (!box->pending || lua_getfield(L, 3, "removed") != LUA_TTABLE) {
    lua_settop(L, 3);
    lua_newtable(L);
    lua_pushvalue(L, 4);
    lua_setfield(L, 3, "removed");
  }
  lua_pushvalue(L, 2);
  lua_rawseti(L, 4, (lua_Integer)lua_rawlen(L, 4) + 1);
  box->pending = true;
}

static int remove_thing(lua_State *L) {
  static const char function[] = "world:remove";
  static const dls_at at = {function, NULL, 0, 0};
  dls_world_box *box = dls_check_world(L, 1);
  lua_settop(L, 2);
  const dls_child_ref *contact = dls_class_test(L, 2, &dls_contact_class);
  const dls_joint_ref *joint = dls_class_test(L, 2, &dls_joint_class);
  if (contact) {
    if (contact->box != box) dls_raise(L, function, "the contact is of another world");
    if (contact->tie < 0)
      dls_raise(L, function, "a contact found by shapes cannot be removed (see 'collides')");
  } else if (dls_class_test(L, 2, &dls_spring_class)) {
    lua_getiuservalue(L, 2, 1);
    if (!lua_rawequal(L, 1, 3)) dls_raise(L, function, "the spring is of another world");
    lua_settop(L, 2);
  } else if (joint) {
    if (joint->box != box) dls_raise(L, function, "the joint is of another world");
  } else if (dls_take_body(L, 2, 1, &at) == 0) {
    dls_raise(L, function, "the ground cannot be removed");
  }
  if (box->world->stepping) postpone(L, box);
  else take_out(L, box, 2);
  return 0;
}

static int next_contact(lua_State *L) {
  const dls_world_box *box = lua_touserdata(L, lua_upvalueindex(1));
  int k = (int)lua_tointeger(L, lua_upvalueindex(2));
  if (!box->handle.open) return 0;
  while (k < box->world->n_contacts && !box->world->contacts[k].listed) k++;
  if (k >= box->world->n_contacts) return 0;
  lua_pushinteger(L, k + 1);
  lua_replace(L, lua_upvalueindex(2));
  lua_pushvalue(L, lua_upvalueindex(1));
  dls_push_contact(L, lua_gettop(L), k);
  return 1;
}

static int contacts(lua_State *L) {
  (void)check(L);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_contact, 2);
  return 1;
}

static int raycast(lua_State *L) {
  const dls_world *w = check(L);
  static const dls_at at_from = {"world:raycast", "from", 0, 0}, at_to = {"world:raycast", "to", 0, 0};
  double from[3] = {0}, to[3] = {0}, x[3];
  dls_read_numbers(L, 2, &at_from, w->dim, from);
  dls_read_numbers(L, 3, &at_to, w->dim, to);
  dls_hit hit;
  int body = dls_world_raycast(w, from, to, &hit);
  if (body < 0) {
    lua_pushnil(L);
    return 1;
  }
  dls_push_body(L, 1, body);
  dls_v3_store(x, hit.point);
  dls_push_vec(L, w->dim, x);
  dls_v3_store(x, hit.normal);
  dls_push_vec(L, w->dim, x);
  lua_pushnumber(L, hit.fraction);
  return 4;
}

/* --- quantities -------------------------------------------------------------------------------------- */

static int energy(lua_State *L) {
  double e[3];
  dls_ready_penalties(L, check(L), "world:energy");
  dls_world_energy(check(L), e);
  for (int i = 0; i < 3; i++) lua_pushnumber(L, e[i]);
  return 3;
}

static int momentum(lua_State *L) {
  const dls_world *w = check(L);
  double linear[3], angular[3];
  dls_world_momentum(w, linear, angular);
  dls_push_vec(L, w->dim, linear);
  if (w->dim == 2) lua_pushnumber(L, angular[2]);
  else dls_push_vec(L, 3, angular);
  return 2;
}

/* Contacts hold nothing in place for good: only joints take freedom away. */
static int mobility(lua_State *L) {
  const dls_world *w = check(L);
  int n = 0;
  if (w->n_joints > 0)
    return dls_raise(L, "world:mobility", "cannot count joints yet, only free bodies");
  for (int i = 0; i < w->n_bodies; i++)
    if (w->bodies[i].alive && w->bodies[i].type == DLS_DYNAMIC) n++;
  lua_pushinteger(L, n * (w->dim == 2 ? 3 : 6));
  lua_pushinteger(L, 0);
  lua_pushinteger(L, 0);
  return 3;
}

static int ledger(lua_State *L) {
  const dls_ledger *l = &check(L)->ledger;
  lua_createtable(L, 0, 12);
#define FIELD(name)             \
  lua_pushnumber(L, l->name);   \
  lua_setfield(L, -2, #name);
  DLS_LEDGER_LIST(FIELD)
#undef FIELD
  return 1;
}

static int get_stats(lua_State *L) {
  const dls_world *w = check(L);
  const dls_stats *s = &w->stats;
  lua_createtable(L, 0, 16);
#define COUNT(name) lua_pushinteger(L, s->name); lua_setfield(L, -2, #name);
#define NUMBER(name) lua_pushnumber(L, s->name); lua_setfield(L, -2, #name);
  COUNT(contacts) COUNT(unknowns) COUNT(pivots) COUNT(iterations) COUNT(islands)
  NUMBER(residual) NUMBER(penetration) NUMBER(cone_violation) NUMBER(momentum_error)
  NUMBER(energy_balance) NUMBER(correction) NUMBER(stability)
#undef COUNT
#undef NUMBER
  lua_pushboolean(L, s->infeasible);
  lua_setfield(L, -2, "infeasible");
  lua_pushboolean(L, s->overdamped);
  lua_setfield(L, -2, "overdamped");
  if (w->hooks.clock) {
    lua_createtable(L, 0, DLS_N_PHASES);
#define PHASE(code, text)                          \
  lua_pushnumber(L, w->phase[DLS_PHASE_##code]);   \
  lua_setfield(L, -2, text);
    DLS_PHASE_LIST(PHASE)
#undef PHASE
    lua_setfield(L, -2, "time");
  }
  lua_pushinteger(L, w->n_unconverged);
  lua_setfield(L, -2, "unconverged");
  lua_pushinteger(L, w->impacts);
  lua_setfield(L, -2, "impacts");
  lua_pushinteger(L, w->steps);
  lua_setfield(L, -2, "steps");
  return 1;
}

static int get_events(lua_State *L) {
  const dls_world *w = check(L);
  lua_settop(L, 1);
  lua_createtable(L, w->n_events, 0);
  for (int i = 0; i < w->n_events; i++) {
    dls_push_event(L, 1, &w->events[i]);
    lua_rawseti(L, 2, i + 1);
  }
  return 1;
}

/* --- state ---------------------------------------------------------------------------------------------- */

static int snapshot(lua_State *L) {
  const dls_world *w = check(L);
  luaL_Buffer b;
  size_t size = dls_world_snapshot_size(w);
  char *at = luaL_buffinitsize(L, &b, size);
  dls_world_snapshot(w, at);
  luaL_pushresultsize(&b, size);
  return 1;
}

static int restore(lua_State *L) {
  dls_world_box *box = dls_check_unlocked(L, 1, "world:restore");
  static const dls_at at = {"world:restore", NULL, 0, 0};
  size_t size;
  if (lua_type(L, 2) != LUA_TSTRING) dls_bad(L, &at, "needs a string made by world:snapshot", 2);
  const char *bytes = lua_tolstring(L, 2, &size);
  dls_status status = dls_world_restore(box->world, bytes, size);
  if (status == DLS_ARG)
    dls_raise(L, "world:restore", "the snapshot is of a world built differently");
  dls_check_status(L, status, "world:restore");
  return 0;
}

static int hash(lua_State *L) {
  char text[17];
  dls_hash_text(dls_world_hash(check(L)), text);
  lua_pushstring(L, text);
  return 1;
}

/* --- properties -------------------------------------------------------------------------------------------- */

static int get_time(lua_State *L) {
  lua_pushnumber(L, check(L)->time);
  return 1;
}
static int get_dt(lua_State *L) {
  lua_pushnumber(L, check(L)->dt);
  return 1;
}
static int set_dt(lua_State *L) {
  static const dls_at at = {"world", "dt", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.dt");
  double dt;
  dls_read_positive(L, 2, &at, NULL, &dt);
  dls_world_set_dt(box->world, dt);
  return 0;
}
static int get_gravity(lua_State *L) {
  const dls_world *w = check(L);
  dls_push_vec(L, w->dim, w->gravity);
  return 1;
}
static int set_gravity(lua_State *L) {
  static const dls_at at = {"world", "gravity", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.gravity");
  double g[3] = {0};
  dls_read_numbers(L, 2, &at, box->world->dim, g);
  memcpy(box->world->gravity, g, sizeof g);
  return 0;
}
static int get_planar(lua_State *L) {
  lua_pushboolean(L, check(L)->dim == 2);
  return 1;
}
static int get_theta(lua_State *L) {
  lua_pushnumber(L, dls_world_theta(check(L)));
  return 1;
}
static int get_strict(lua_State *L) {
  lua_pushboolean(L, check(L)->strict);
  return 1;
}
static int set_strict(lua_State *L) {
  static const dls_at at = {"world", "strict", 0, 0};
  dls_read_boolean(L, 2, &at, NULL, &check(L)->strict);
  return 0;
}
static int get_profile(lua_State *L) {
  lua_pushboolean(L, check(L)->hooks.clock != NULL);
  return 1;
}
static int set_profile(lua_State *L) {
  static const dls_at at = {"world", "profile", 0, 0};
  bool on = false;
  dls_read_boolean(L, 2, &at, NULL, &on);
  check(L)->hooks.clock = on ? steady_clock : NULL;
  return 0;
}
static int get_scheme(lua_State *L) {
  lua_pushstring(L, schemes[check(L)->semi_implicit ? 2 : 0]);
  return 1;
}
static int get_log(lua_State *L) {
  lua_pushboolean(L, check(L)->log);
  return 1;
}
static int set_log(lua_State *L) {
  static const dls_at at = {"world", "log", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.log");
  dls_read_boolean(L, 2, &at, NULL, &box->world->log);
  return 0;
}
static int get_tolerance(lua_State *L) {
  double t = check(L)->solve.tolerance;
  if (t > 0) lua_pushnumber(L, t);
  else lua_pushnil(L);
  return 1;
}
static int set_tolerance(lua_State *L) {
  static const dls_at at = {"world", "tolerance", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.tolerance");
  double t = 0;
  if (!lua_isnil(L, 2)) dls_read_positive(L, 2, &at, NULL, &t);
  box->world->solve.tolerance = t;
  return 0;
}
static int get_solver(lua_State *L) {
  lua_pushstring(L, solvers[check(L)->solve.method]);
  return 1;
}
static int set_solver(lua_State *L) {
  static const dls_at at = {"world", "solver", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.solver");
  dls_solve_opts *solve = &box->world->solve;
  world_options o = {.def = {.solver = solve->method, .tolerance = solve->tolerance,
                             .max_iterations = solve->max_iterations}};
  read_solver(L, 2, &at, solvers, &o);
  if (o.def.solver == DLS_SOLVE_LEMKE && box->world->dim == 3)
    dls_raise(L, "world", "'solver' = 'lemke' is for planar worlds");
  solve->method = o.def.solver;
  solve->tolerance = o.def.tolerance;
  solve->max_iterations = o.def.max_iterations;
  return 0;
}
static int get_impact(lua_State *L) {
  lua_pushstring(L, impacts[check(L)->impact]);
  return 1;
}
static int get_max_iterations(lua_State *L) {
  lua_pushinteger(L, check(L)->solve.max_iterations);
  return 1;
}
static int set_max_iterations(lua_State *L) {
  static const dls_at at = {"world", "max_iterations", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.max_iterations");
  dls_read_count(L, 2, &at, NULL, &box->world->solve.max_iterations);
  return 0;
}

static int to_string(lua_State *L) {
  const dls_world_box *box = luaL_checkudata(L, 1, dls_world_class.name);
  if (!box->handle.open)
    lua_pushliteral(L, "delassus.World (closed)");
  else
    lua_pushfstring(L, "delassus.World (%d bodies, %d contacts, t = %f s)",
                    count_bodies(box->world), box->world->stats.contacts, box->world->time);
  return 1;
}

static const dls_method methods[] = {
    {"step", step, "(n) n steps; one where n is absent"},
    {"find", find, "(name) the body of that name, or nil"},
    {"remove", remove_thing, "(x) takes a body, a spring or a hand-made contact out"},
    {"body", dls_world_new_body, "{ shape =, density =, position =, ... } -> body"},
    {"joint", dls_world_joint_lua, "{ kind, a, b, anchor =, axis =, ... } -> joint"},
    {"pair", dls_world_pair_lua, "{ a, b, friction =, ... } laws of two materials or bodies"},
    {"contact", dls_world_contact_lua, "{ a, b, point_a =, point_b =, normal =, ... } by hand"},
    {"spring", dls_world_spring_lua, "{ a, b, stiffness =, damping =, length =, ... }"},
    {"field", dls_world_field_lua, "(fn) fn(body, t) -> force, torque on every dynamic body"},
    {"on", dls_world_on_lua, "(kind, fn) fn(event) after each step -> handle with off()"},
    {"contacts", contacts, "() iterates the contacts of the last step"},
    {"raycast", raycast, "(from, to) -> body, point, normal, fraction; nil"},
    {"energy", energy, "() -> kinetic, potential, stored, J"},
    {"momentum", momentum, "() -> linear, angular about the origin"},
    {"mobility", mobility, "() -> degrees of freedom, rank, redundant rows"},
    {"ledger", ledger, "() -> the energy ledger, term by term, J"},
    {"snapshot", snapshot, "() -> string"},
    {"restore", restore, "(string) back to a snapshot"},
    {"hash", hash, "() -> string of the whole state"},
    {NULL, NULL, NULL}};
static const dls_property properties[] = {
    {"time", get_time, NULL, "s"},
    {"dt", get_dt, set_dt, "step, s"},
    {"gravity", get_gravity, set_gravity, "m/s^2"},
    {"planar", get_planar, NULL, "true in the plane"},
    {"theta", get_theta, NULL, "1/2, or 1 where contacts are compliant"},
    {"bodies", get_bodies, NULL, "list, in the order in which they were made"},
    {"joints", get_joints, NULL, "list"},
    {"ground", get_ground, NULL, "the body that never moves"},
    {"stats", get_stats, NULL, "of the last step"},
    {"events", get_events, NULL, "kept where log = true"},
    {"log", get_log, set_log, "keeps events"},
    {"strict", get_strict, set_strict, "a step that misses the tolerance raises"},
    {"profile", get_profile, set_profile, "stats.time tells seconds by phase"},
    {"scheme", get_scheme, NULL, "how it steps"},
    {"tolerance", get_tolerance, set_tolerance, "relative residual; nil: by size"},
    {"solver", get_solver, set_solver, "name of the method"},
    {"impact", get_impact, NULL, "impact law"},
    {"max_iterations", get_max_iterations, set_max_iterations, "of a solve"},
    {NULL, NULL, NULL, NULL}};
static const luaL_Reg meta[] = {{"__tostring", to_string}, {"__len", length}, {NULL, NULL}};

const dls_class dls_world_class = {"delassus.World", "world", methods, properties, meta, NULL,
                                   release};

void dls_open_world(lua_State *L) {
  dls_class_register(L, &dls_world_class);
  dls_class_register(L, &dls_body_class);
  dls_class_register(L, &dls_contact_class);
  dls_class_register(L, &dls_spring_class);
  dls_class_register(L, &dls_handle_class);
  dls_class_register(L, &dls_joint_class);
  lua_pushcfunction(L, new_world);
  lua_setfield(L, -2, "world");
  lua_pushcfunction(L, slice);
  lua_setfield(L, -2, "slice");
  dls_add_short_forms(L);
  dls_add_coordinates(L);
  dls_add_integrate(L);
}
