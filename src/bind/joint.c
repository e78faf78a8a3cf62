/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint.h"

#include "bind/joint_parts.h"
#include "bind/joint_penalty.h"

#include "core/joints/reactions.h"

/* Joints as objects, and the road between Lua and the world's forest. */

static const lua_Integer JOINT_KEYS = (lua_Integer)1 << 40; /* children: bodies have keys below */

int dls_joint_place(const dls_joint_ref *ref) {
  return dls_slots_place(&ref->box->world->joint_slots, ref->slot, ref->generation);
}

dls_joint_ref *dls_check_joint(lua_State *L, int idx) {
  dls_joint_ref *ref = dls_class_check(L, idx, &dls_joint_class);
  if (!ref->box->handle.open) dls_raise(L, "joint", "attempt to use a joint of a closed world");
  ref->index = dls_joint_place(ref);
  if (ref->index < 0) dls_raise(L, "joint", "attempt to use a removed joint");
  return ref;
}

void dls_push_joint(lua_State *L, int idx, int index) {
  dls_world_box *box = lua_touserdata(L, idx);
  idx = lua_absindex(L, idx);
  if (index < 0 || index >= box->world->n_joints || !box->world->joints[index].alive) {
    lua_pushnil(L);
    return;
  }
  lua_getiuservalue(L, idx, 1);
  const int slot = box->world->joints[index].slot;
  const uint32_t generation = box->world->joints[index].generation;
  if (lua_rawgeti(L, -1, JOINT_KEYS + slot) == LUA_TUSERDATA &&
      ((const dls_joint_ref *)lua_touserdata(L, -1))->generation == generation) {
    lua_remove(L, -2);
    return;
  }
  lua_pop(L, 1);
  dls_joint_ref *ref = dls_class_new(L, &dls_joint_class, sizeof *ref, 1);
  ref->box = box;
  ref->slot = slot;
  ref->generation = generation;
  ref->index = index;
  lua_pushvalue(L, idx);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, JOINT_KEYS + slot);
  lua_remove(L, -2);
}

/* --- calls outside of a step ------------------------------------------------------------------ */

void dls_scope_begin(lua_State *L, dls_scope *scope, dls_world_box *box, int idx) {
  lua_pushnil(L);
  scope->call = (dls_call){.L = L, .slot = lua_gettop(L)};
  scope->box = box;
  scope->outer = box->call;
  scope->outer_self = box->self;
  box->call = &scope->call;
  box->self = lua_absindex(L, idx);
}

void dls_scope_end(dls_scope *scope, dls_status status, const char *function) {
  scope->box->call = scope->outer;
  scope->box->self = scope->outer_self;
  if (status == DLS_STOPPED && scope->box->lent && lua_isnil(scope->call.L, scope->call.slot))
    dls_raise(scope->call.L, function, "stopped by a function of the host");
  dls_call_report(&scope->call, status, function);
}

/* Calls the motion at idx; -> how many of value, rate and acceleration it told. */
static int ask_drive(lua_State *L, int idx, double t, double out[3]) {
  const int top = lua_gettop(L);
  int told = 0;
  lua_pushvalue(L, idx);
  lua_pushnumber(L, t);
  lua_call(L, 1, 3);
  while (told < 3 && lua_type(L, top + 1 + told) == LUA_TNUMBER &&
         dls_is_finite(lua_tonumber(L, top + 1 + told))) {
    out[told] = lua_tonumber(L, top + 1 + told);
    told++;
  }
  for (int i = told; i < 3; i++)
    if (told == 0 || !lua_isnil(L, top + 1 + i))
      return dls_raise(L, "motion", "must return finite numbers: value, rate, acceleration");
  lua_settop(L, top);
  return told;
}

/* Protected: world, joint's slot, motion, t -> three numbers. Rate and acceleration that are not
** told are central differences, over the same times as those of a body's motion. */
static int call_drive(lua_State *L) {
  const double t = lua_tonumber(L, 4), dt = ((dls_world_box *)lua_touserdata(L, 1))->world->dt;
  double now[3], before[3], after[3];
  dls_push_kept(L, 1, "joints");
  lua_rawgeti(L, -1, lua_tointeger(L, 2) + 1);
  lua_getfield(L, -1, "motions");
  lua_rawgeti(L, -1, lua_tointeger(L, 3) + 1);
  const int fn = lua_gettop(L), told = ask_drive(L, fn, t, now);
  if (told < 3) {
    const double d = 0.01 * dt;
    ask_drive(L, fn, t - d, before);
    ask_drive(L, fn, t + d, after);
    now[told] = (after[told - 1] - before[told - 1]) / (2 * d);
  }
  if (told == 1) {
    const double d = 0.1 * dt;
    ask_drive(L, fn, t - d, before);
    ask_drive(L, fn, t + d, after);
    now[2] = ((after[0] - now[0]) - (now[0] - before[0])) / (d * d);
  }
  for (int i = 0; i < 3; i++) lua_pushnumber(L, now[i]);
  return 3;
}

static dls_status drive(void *ud, int joint, int motion, double t, double out[3]) {
  dls_world_box *box = ud;
  lua_State *L = box->call->L;
  luaL_checkstack(L, 12, "callback");
  lua_pushcfunction(L, call_drive);
  lua_pushvalue(L, box->self);
  lua_pushinteger(L, box->world->joints[joint].slot);
  lua_pushinteger(L, motion);
  lua_pushnumber(L, t);
  dls_status status = dls_call_locked(box, 4, 3, "world:joint", "'motion'");
  if (status != DLS_OK) return status;
  for (int i = 0; i < 3; i++) out[i] = lua_tonumber(L, i - 3);
  lua_pop(L, 3);
  return DLS_OK;
}

void dls_hook_drive(dls_world_box *box) {
  box->world->hooks.drive = drive;
}

/* Pushes how what is kept at the top is called: 'name', or # and its number. */
static const char *push_called(lua_State *L, int number) {
  const int top = lua_gettop(L) - 1;
  if (lua_istable(L, -1) && lua_getfield(L, -1, "name") == LUA_TSTRING)
    lua_pushfstring(L, "'%s'", lua_tostring(L, -1));
  else
    lua_pushfstring(L, "#%d", number);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
  return lua_tostring(L, -1);
}

const char *dls_push_body_called(lua_State *L, int idx, int body) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  dls_push_kept_of(L, idx, "bodies", w->bodies[body].slot, w->bodies[body].generation);
  return push_called(L, w->bodies[body].slot);
}

const char *dls_push_joint_called(lua_State *L, int idx, int joint) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  dls_push_kept_of(L, idx, "joints", w->joints[joint].slot + 1, w->joints[joint].generation);
  return push_called(L, w->joints[joint].slot + 1);
}

/* The reduced joint that carries a body, by name; a free body has none. */
static void raise_massless(lua_State *L, int idx, int body, const char *function) {
  static const char why[] =
      "has a direction without inertia (what it carries has no mass or inertia, "
      "or two of its motions go one way)";
  const int joint = dls_trees_carrier(((dls_world_box *)lua_touserdata(L, idx))->world, body);
  if (joint < 0) dls_raise(L, function, "body %s %s", dls_push_body_called(L, idx, body), why);
  const char *name = dls_push_joint_called(L, idx, joint);
  dls_raise(L, function, "joint %s, which carries body %s, %s", name,
            dls_push_body_called(L, idx, body), why);
}

void dls_raise_trees(lua_State *L, int idx, dls_status status, const char *function) {
  static const char *const what[] = {
      "fine", "has no parent", "closes a loop of reduced joints", "has a joint with a zero axis",
      "has too many motions", "has a drive that does not exist", "has a number out of range",
      "has an inertia that no body can have"};
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  if (status == DLS_SINGULAR && w->fault >= 0)
    dls_raise(L, function, "body %s has %s", dls_push_body_called(L, idx, w->fault),
              w->bodies[w->fault].mass > 0
                  ? "no 'inertia', and a rigid or penalty joint would turn it"
                  : "no mass and no joint");
  if (status == DLS_OK || !w->trees) return;
  const dls_forest_fault *fault = &w->trees->model_fault;
  if (status == DLS_ARG && fault->reason != DLS_FOREST_FINE)
    dls_raise(L, function, "body %s %s", dls_push_body_called(L, idx, fault->link),
              what[fault->reason]);
  if (status == DLS_SINGULAR && w->trees->fault.index >= 0)
    raise_massless(L, idx, w->trees->fault.index, function);
}

/* Ends the scope of a call of dls_trees_follow and raises what was wrong. */
static void report_follow(dls_scope *scope, dls_status status, const dls_forest_fault *fault,
                          const char *function) {
  lua_State *L = scope->call.L;
  dls_world_box *box = scope->box;
  const int at = box->self;
  if (status == DLS_ARG) {
    box->world->trees->model_fault = *fault;
    box->call = scope->outer;
    dls_raise_trees(L, at, status, function);
  }
  dls_scope_end(scope, status, function);
  lua_pop(L, 1);
}

void dls_follow_change(lua_State *L, int idx, const dls_undo *undo, const char *function) {
  dls_world_box *box = lua_touserdata(L, idx);
  dls_forest_fault fault;
  dls_scope scope;
  dls_scope_begin(L, &scope, box, idx);
  const dls_status status = dls_trees_follow_change(box->world, undo, &fault);
  report_follow(&scope, status, &fault, function);
}

void dls_settle_joint(lua_State *L, int idx, int index, const char *function) {
  dls_world_box *box = lua_touserdata(L, idx);
  if (dls_joint_is_settled(box->world, index)) return;
  dls_forest_fault fault;
  dls_scope scope;
  dls_scope_begin(L, &scope, box, idx);
  const dls_status status = dls_trees_follow(box->world, index, &fault);
  if (status != DLS_OK) dls_world_joint_remove(box->world, index);
  report_follow(&scope, status, &fault, function);
}

/* --- numbers of a joint ----------------------------------------------------------------------- */

static dls_joint_ref *check(lua_State *L) { return dls_check_joint(L, 1); }
static dls_joint *model_of(const dls_joint_ref *ref) {
  return &ref->box->world->joints[ref->index];
}
static dls_joint_state *state_of(const dls_joint_ref *ref) {
  return &ref->box->world->joint_state[ref->index];
}

static int push_numbers(lua_State *L, int n, const double *x) {
  if (n == 1) lua_pushnumber(L, x[0]);
  else if (n >= 2 && n <= 4) dls_push_vec(L, n, x);
  else (void)dls_push_vector(L, n, x);
  return 1;
}

static void take_numbers(lua_State *L, const char *option, int n, double *to) {
  const dls_at at = {"joint", option, 0, 0};
  double x[8];
  if (n == 0) dls_raise(L, "joint", "'%s' cannot be set: the joint has no coordinates", option);
  if (n == 1 && lua_type(L, 2) == LUA_TNUMBER) x[0] = dls_check_number(L, 2, &at);
  else dls_read_numbers(L, 2, &at, n, x);
  memcpy(to, x, (size_t)n * sizeof *to);
}

static dls_joint_ref *check_writable(lua_State *L, const char *what) {
  dls_joint_ref *ref = check(L);
  if (ref->box->world->stepping)
    dls_raise(L, "joint", "'%s' cannot be changed while its world steps", what);
  dls_refuse_finalizers(L, "joint");
  if (model_of(ref)->formulation != DLS_REDUCED)
    dls_raise(L, "joint", "'%s' can be set in the reduced formulation only", what);
  return ref;
}

static void follow(lua_State *L, const dls_undo *undo) {
  lua_getiuservalue(L, 1, 1);
  dls_follow_change(L, lua_gettop(L), undo, "joint");
}

/* A driven joint of one degree: where its motion stands now (value, rate, acceleration). */
static bool prescribed(lua_State *L, const dls_joint_ref *ref, double out[3]) {
  const dls_joint *joint = model_of(ref);
  if (joint->n_driven == 0 || joint->kind == DLS_KIND_CHAIN) return false;
  lua_getiuservalue(L, 1, 1);
  dls_scope scope;
  dls_scope_begin(L, &scope, ref->box, lua_gettop(L));
  const dls_world *w = ref->box->world;
  dls_status status = w->hooks.drive(w->hooks.ud, ref->index, 0, w->time, out);
  dls_scope_end(&scope, status, "joint");
  return true;
}

static int get_q(lua_State *L) {
  const dls_joint_ref *ref = check(L);
  double motion[3];
  if (prescribed(L, ref, motion)) return push_numbers(L, 1, &motion[0]);
  double q[7], u[6];
  dls_joint_now(ref->box->world, ref->index, q, u);
  return push_numbers(L, model_of(ref)->nq, q);
}

static int set_q(lua_State *L) {
  dls_joint_ref *ref = check_writable(L, "q");
  const dls_joint *joint = model_of(ref);
  double q[8];
  take_numbers(L, "q", joint->nq, q);
  if (!dls_joint_is_chain(joint)) {
    double *turn = joint->kind == DLS_KIND_FREE ? q + 3 : q;
    const double size = dls_q_norm(dls_q_load(turn));
    if (!(fabs(size - 1) < 1e-6)) dls_raise(L, "joint", "'q' must hold a unit quaternion");
    dls_q_store(turn, dls_q_unit(dls_q_load(turn)));
  }
  const dls_undo undo = dls_undo_of_joint(ref->box->world, ref->index);
  memcpy(state_of(ref)->q, q, (size_t)joint->nq * sizeof *q);
  follow(L, &undo);
  return 0;
}

static int get_qd(lua_State *L) {
  const dls_joint_ref *ref = check(L);
  double motion[3];
  if (prescribed(L, ref, motion)) return push_numbers(L, 1, &motion[1]);
  double q[7], u[6];
  dls_joint_now(ref->box->world, ref->index, q, u);
  return push_numbers(L, model_of(ref)->nu, u);
}

static int set_qd(lua_State *L) {
  dls_joint_ref *ref = check_writable(L, "qd");
  const dls_undo undo = dls_undo_of_joint(ref->box->world, ref->index);
  take_numbers(L, "qd", model_of(ref)->nu, state_of(ref)->u);
  follow(L, &undo);
  return 0;
}

static int get_qdd(lua_State *L) {
  const dls_joint_ref *ref = check(L);
  double udot[6], motion[3];
  if (prescribed(L, ref, motion)) return push_numbers(L, 1, &motion[2]);
  if (!dls_joint_rates(ref->box->world, ref->index, udot))
    dls_raise(L, "joint", "'qdd' is known after world:accelerations() or a step");
  return push_numbers(L, model_of(ref)->nu, udot);
}

static int get_torque(lua_State *L) {
  const dls_joint_ref *ref = check(L);
  const dls_joint *joint = model_of(ref);
  double force;
  if (joint->n_driven > 0 && joint->n_motions == 1) {
    if (!dls_joint_drive_force(ref->box->world, ref->index, &force))
      dls_raise(L, "joint", "'torque' of a drive is known after world:accelerations() or a step");
    lua_pushnumber(L, force);
    return 1;
  }
  return push_numbers(L, joint->nu, state_of(ref)->torque);
}

static int set_torque(lua_State *L) {
  dls_joint_ref *ref = check(L);
  if (model_of(ref)->n_driven > 0 && model_of(ref)->nu == 0)
    dls_raise(L, "joint", "'torque' of a driven joint cannot be set");
  take_numbers(L, "torque", model_of(ref)->nu, state_of(ref)->torque);
  return 0;
}

static int reaction(lua_State *L) {
  const dls_joint_ref *ref = check(L);
  dls_world *w = ref->box->world;
  double force[3], moment[3];
  if (!dls_joint_reaction(w, ref->index, force, moment))
    dls_raise(L, "joint:reaction", "is known after world:accelerations() or a step");
  dls_push_vec(L, w->dim, force);
  if (w->dim == 2) lua_pushnumber(L, moment[2]);
  else dls_push_vec(L, 3, moment);
  return 2;
}

static int violation(lua_State *L) {
  const dls_joint_ref *ref = check(L);
  double apart[2];
  dls_joint_violation(ref->box->world, ref->index, apart);
  lua_pushnumber(L, apart[0]);
  lua_pushnumber(L, apart[1]);
  return 2;
}

/* --- the rest --------------------------------------------------------------------------------- */

static int get_kind(lua_State *L) {
  lua_pushstring(L, dls_joint_kind_names[model_of(check(L))->kind]);
  return 1;
}
static int get_formulation(lua_State *L) {
  lua_pushstring(L, dls_joint_formulation_names[model_of(check(L))->formulation]);
  return 1;
}
static int push_body_of(lua_State *L, int body) {
  lua_getiuservalue(L, 1, 1);
  dls_push_body(L, lua_gettop(L), body);
  return 1;
}
static int get_a(lua_State *L) { return push_body_of(L, model_of(check(L))->a); }
static int get_b(lua_State *L) { return push_body_of(L, model_of(check(L))->b); }
static int get_index(lua_State *L) {
  lua_pushinteger(L, check(L)->slot + 1);
  return 1;
}
static int get_world(lua_State *L) {
  (void)check(L);
  lua_getiuservalue(L, 1, 1);
  return 1;
}

/* What is kept of a joint; a table that holds nothing of one that a host in C made. */
static void push_kept(lua_State *L, const dls_joint_ref *ref) {
  lua_getiuservalue(L, 1, 1);
  dls_make_kept_of(L, lua_gettop(L), "joints", ref->slot + 1, ref->generation);
}
static int get_name(lua_State *L) {
  push_kept(L, check(L));
  lua_getfield(L, -1, "name");
  return 1;
}
static int get_data(lua_State *L) {
  push_kept(L, check(L));
  lua_getfield(L, -1, "data");
  return 1;
}
static int set_data(lua_State *L) {
  push_kept(L, check(L));
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, "data");
  return 0;
}
static int to_string(lua_State *L) {
  const dls_joint_ref *ref = dls_class_test(L, 1, &dls_joint_class);
  if (!ref->box->handle.open || dls_joint_place(ref) < 0) {
    lua_pushliteral(L, "delassus.Joint (removed)");
    return 1;
  }
  const dls_joint *joint = model_of(check(L));
  const dls_body *bodies = ref->box->world->bodies;
  get_kind(L);
  lua_pushfstring(L, "delassus.Joint (%s, #%d to #%d, %d degrees of freedom)", lua_tostring(L, -1),
                  bodies[joint->a].slot, bodies[joint->b].slot, joint->nu);
  return 1;
}

static const dls_method methods[] = {
    {"reaction", reaction,
     "() -> force, moment on b at the anchor fixed in b, world axes, N and N m"},
    {"violation", violation, "() -> how far it has come apart: anchors, m; frames, rad"},
    {NULL, NULL, NULL}};
static const dls_property properties[] = {
    {"q", get_q, set_q,
     "coordinates, rad or m; spherical: quaternion; driven: what its motion says"},
    {"qd", get_qd, set_qd, "velocities, rad/s or m/s"},
    {"qdd", get_qdd, NULL,
     "accelerations: of world:accelerations(), or the change of qd over the last step by dt"},
    {"torque", get_torque, set_torque, "applied torque or force, conjugate to the velocity"},
    {"motor", dls_joint_motor_lua, dls_joint_set_motor_lua,
     "{ speed = } or { position = }, or nil"},
    {"limits", dls_joint_limits_lua, NULL, "as they were given, or nil"},
    {"stiffness", dls_joint_stiffness_lua, NULL, "of its spring, N m/rad or N/m"},
    {"damping", dls_joint_damping_lua, NULL, "N m s/rad or N s/m"},
    {"friction", dls_joint_friction_lua, NULL, "constant torque or force, N m or N"},
    {"rows", dls_joint_rows_lua, NULL, "rows of now: G, Gdot, Ji, Jj, lambda"},
    {"kind", get_kind, NULL, "its kind"},
    {"formulation", get_formulation, NULL, "reduced, penalty or rigid"},
    {"a", get_a, NULL, "body"},
    {"b", get_b, NULL, "body"},
    {"index", get_index, NULL, "number in the world"},
    {"world", get_world, NULL, "the world it is in"},
    {"name", get_name, NULL, "its name, or nil"},
    {"data", get_data, set_data, "anything of yours"},
    {NULL, NULL, NULL, NULL}};
static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_joint_class = {
    "delassus.Joint", "joint", methods, properties, meta, NULL, NULL};
