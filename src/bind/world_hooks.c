/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world.h"

/* Lua functions that a step calls. Each runs protected; what it raises stops the step, which is
** undone, and is raised again by the method that stepped (bind/call.h). */

/* The world's userdata in the call that steps. */
static lua_State *begin(dls_world_box *box) {
  luaL_checkstack(box->call->L, 12, "callback");
  return box->call->L;
}

/* Raises inside a protected call: a callback's answer is not what it should be. */
static int bad_answer(lua_State *L, const char *who, const char *what) {
  return dls_raise(L, who, "must return %s", what);
}

static bool number_at(lua_State *L, int idx, double *x) {
  if (lua_type(L, idx) != LUA_TNUMBER) return false;
  *x = lua_tonumber(L, idx);
  return dls_is_finite(*x);
}

/* --- fields -------------------------------------------------------------------------------- */

/* Protected: stack: world, body index, force and torque (light). */
static int call_fields(lua_State *L) {
  static const dls_at at_f = {"world:field", "force", 0, 0}, at_t = {"world:field", "torque", 0, 0};
  dls_world_box *box = lua_touserdata(L, 1);
  const int dim = box->world->dim;
  int body = (int)lua_tointeger(L, 2);
  double *force = lua_touserdata(L, 3), *torque = lua_touserdata(L, 4);
  dls_push_kept(L, 1, "fields"); /* 5 */
  for (lua_Integer i = 1; lua_rawgeti(L, 5, i) != LUA_TNIL; i++) {
    if (lua_isboolean(L, 6)) {
      lua_settop(L, 5);
      continue;
    }
    dls_push_body(L, 1, body);
    lua_pushnumber(L, box->world->time);
    lua_call(L, 2, 2); /* 6 force, 7 torque */
    double x[3] = {0}, y[3] = {0};
    if (!lua_isnil(L, 6)) dls_read_numbers(L, 6, &at_f, dim, x);
    if (!lua_isnil(L, 7)) {
      if (dim == 2) y[0] = dls_check_number(L, 7, &at_t);
      else dls_read_numbers(L, 7, &at_t, 3, y);
    }
    for (int k = 0; k < 3; k++) {
      force[k] += x[k];
      torque[k] += y[k];
    }
    lua_settop(L, 5);
  }
  return 0;
}

static dls_status field(void *ud, int body, double t, double *force, double *torque) {
  dls_world_box *box = ud;
  lua_State *L = begin(box);
  (void)t;
  lua_pushcfunction(L, call_fields);
  lua_pushvalue(L, box->self);
  lua_pushinteger(L, body);
  lua_pushlightuserdata(L, force);
  lua_pushlightuserdata(L, torque);
  return dls_call_protected(box->call, 4, 0);
}

/* --- prescribed motion ------------------------------------------------------------------------ */

static const char who[] = "motion";
static const dls_at places[6] = {{who, "position", 0, 0}, {who, "rotation", 0, 0},
                                 {who, "velocity", 0, 0}, {who, "angular_velocity", 0, 0},
                                 {who, "acceleration", 0, 0}, {who, "angular_acceleration", 0, 0}};

/* The answers at first and first + 1, where told: position (3) and rotation (4). */
static void read_place(lua_State *L, int first, int dim, double *position, double *rotation) {
  if (!lua_isnil(L, first)) dls_read_numbers(L, first, &places[0], dim, position);
  if (lua_isnil(L, first + 1)) return;
  if (dim == 2) rotation[0] = dls_check_number(L, first + 1, &places[1]);
  else dls_read_rotation3(L, first + 1, &places[1], NULL, rotation);
}

/* Velocities that the function at idx does not tell: from its places a hundredth of a step before
** and after t. out holds position (3), rotation (4), velocity (3), angular velocity (3). */
static void differentiate(lua_State *L, int idx, const dls_world *w, double t, bool linear,
                          bool angular, double *out) {
  const double d = 0.01 * w->dt;
  const int top = lua_gettop(L);
  double x[2][3], q[2][4];
  for (int k = 0; k < 2; k++) {
    memcpy(x[k], out, sizeof x[k]);
    memcpy(q[k], out + 3, sizeof q[k]);
    lua_pushvalue(L, idx);
    lua_pushnumber(L, k == 0 ? t - d : t + d);
    lua_call(L, 1, 2);
    read_place(L, top + 1, w->dim, x[k], q[k]);
    lua_settop(L, top);
  }
  for (int i = 0; i < w->dim && linear; i++) out[7 + i] = (x[1][i] - x[0][i]) / (2 * d);
  if (!angular) return;
  if (w->dim == 2) {
    out[10] = (q[1][0] - q[0][0]) / (2 * d);
    return;
  }
  dls_quat turn = dls_q_mul(dls_q_load(q[1]), dls_q_conj(dls_q_load(q[0])));
  double scale = (turn.w < 0 ? -1 : 1) / d; /* half the angle, over half the time */
  out[10] = scale * turn.x;
  out[11] = scale * turn.y;
  out[12] = scale * turn.z;
}

/* Protected: world, body index, t, place of 19 numbers: position, rotation, velocity, angular, both
** accelerations. */
static int call_motion(lua_State *L) {
  dls_world_box *box = lua_touserdata(L, 1);
  const int dim = box->world->dim, body = (int)lua_tointeger(L, 2);
  double *out = lua_touserdata(L, 4);
  double rotation[4], position[3];
  dls_push_kept(L, 1, "bodies");
  lua_rawgeti(L, -1, body);
  lua_getfield(L, -1, "motion");
  const int fn = lua_gettop(L), first = fn + 1;
  lua_pushvalue(L, fn);
  lua_pushvalue(L, 3);
  lua_call(L, 1, 6);
  dls_body_pose(box->world, body, position, rotation);
  read_place(L, first, dim, position, rotation);
  memcpy(out, position, (size_t)dim * sizeof(double));
  memcpy(out + 3, rotation, (dim == 2 ? 1 : 4) * sizeof(double));
  if (!lua_isnil(L, first + 2)) dls_read_numbers(L, first + 2, &places[2], dim, out + 7);
  if (!lua_isnil(L, first + 3)) {
    if (dim == 2) out[10] = dls_check_number(L, first + 3, &places[3]);
    else dls_read_numbers(L, first + 3, &places[3], 3, out + 10);
  }
  bool linear = lua_isnil(L, first + 2) && !lua_isnil(L, first);
  bool angular = lua_isnil(L, first + 3) && !lua_isnil(L, first + 1);
  if (linear || angular)
    differentiate(L, fn, box->world, lua_tonumber(L, 3), linear, angular, out);
  if (!lua_isnil(L, first + 4)) dls_read_numbers(L, first + 4, &places[4], dim, out + 13);
  if (!lua_isnil(L, first + 5)) {
    if (dim == 2) out[18] = dls_check_number(L, first + 5, &places[5]);
    else dls_read_numbers(L, first + 5, &places[5], 3, out + 16);
  }
  return 0;
}

static dls_status motion(void *ud, int body, double t, double *position, double *rotation,
                         double *velocity, double *angular, double *acceleration) {
  dls_world_box *box = ud;
  lua_State *L = begin(box);
  double out[19] = {0};
  lua_pushcfunction(L, call_motion);
  lua_pushvalue(L, box->self);
  lua_pushinteger(L, body);
  lua_pushnumber(L, t);
  lua_pushlightuserdata(L, out);
  dls_status status = dls_call_protected(box->call, 4, 0);
  if (status != DLS_OK) return status;
  memcpy(position, out, 3 * sizeof(double));
  memcpy(rotation, out + 3, 4 * sizeof(double));
  memcpy(velocity, out + 7, 3 * sizeof(double));
  memcpy(angular, out + 10, 3 * sizeof(double));
  memcpy(acceleration, out + 13, 6 * sizeof(double));
  return DLS_OK;
}

void dls_hook_motion(dls_world_box *box) {
  box->world->hooks.motion = motion;
}

/* --- friction laws ------------------------------------------------------------------------------ */

static int call_friction(lua_State *L) {
  double mu;
  dls_push_kept(L, 1, "laws");
  lua_rawgeti(L, -1, lua_tointeger(L, 2));
  lua_pushvalue(L, 3);
  lua_call(L, 1, 1);
  if (!number_at(L, -1, &mu) || mu < 0) return bad_answer(L, "friction", "a number >= 0");
  return 1;
}

static dls_status friction(void *ud, int law, double speed, double *mu) {
  dls_world_box *box = ud;
  lua_State *L = begin(box);
  lua_pushcfunction(L, call_friction);
  lua_pushvalue(L, box->self);
  lua_pushinteger(L, law);
  lua_pushnumber(L, speed);
  dls_status status = dls_call_protected(box->call, 3, 1);
  if (status != DLS_OK) return status;
  *mu = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return DLS_OK;
}

void dls_hook_friction(dls_world_box *box) {
  box->world->hooks.friction = friction;
}

/* --- events -------------------------------------------------------------------------------------- */

static const char *const kinds[] = {
#define NAME(code, text) text,
    DLS_EVENT_LIST(NAME)
#undef NAME
    NULL};

static void push_event_body(lua_State *L, int idx, int body, uint32_t generation) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  const bool same = body < w->n_bodies && w->bodies[body].generation == generation;
  dls_push_body(L, idx, same ? body : -1);
}

/* The contact of an event: itself while its step is the last one, or made by hand; else what was kept. */
static void push_event_contact(lua_State *L, int idx, const dls_event *event) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  const int k = event->contact;
  const bool there = k >= 0 && event->t == w->time && k < w->n_contacts &&
                     w->contacts[k].key == event->key && w->contacts[k].a == event->a &&
                     w->contacts[k].b == event->b;
  if (event->tie >= 0 && event->tie < w->n_ties && w->ties[event->tie].alive)
    dls_push_tie(L, idx, event->tie, event->a, event->b);
  else if (there && w->contacts[k].listed)
    dls_push_contact(L, idx, k);
  else
    dls_push_kept_contact(L, idx, event);
}

void dls_push_event(lua_State *L, int idx, const dls_event *event) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  lua_createtable(L, 0, 9);
  lua_pushnumber(L, event->t);
  lua_setfield(L, -2, "t");
  lua_pushstring(L, kinds[event->kind]);
  lua_setfield(L, -2, "kind");
  if (event->a < 0) return;
  push_event_body(L, idx, event->a, event->of_a);
  lua_setfield(L, -2, "a");
  push_event_body(L, idx, event->b, event->of_b);
  lua_setfield(L, -2, "b");
  push_event_contact(L, idx, event);
  lua_setfield(L, -2, "contact");
  lua_pushnumber(L, event->impulse);
  lua_setfield(L, -2, "impulse");
  lua_pushnumber(L, event->speed);
  lua_setfield(L, -2, "speed");
  dls_push_vec(L, w->dim, event->point);
  lua_setfield(L, -2, "point");
}

/* Protected: world, event (light). handlers[k] = { kind =, fn = }, false where switched off. */
static int call_handlers(lua_State *L) {
  const dls_event *event = lua_touserdata(L, 2);
  dls_push_kept(L, 1, "handlers"); /* 3 */
  lua_pushnil(L);                  /* 4: the event, made when first wanted */
  for (lua_Integer i = 1; lua_rawgeti(L, 3, i) != LUA_TNIL; i++) {
    if (lua_istable(L, 5)) {
      lua_getfield(L, 5, "kind");
      if (lua_tointeger(L, 6) == event->kind) {
        if (lua_isnil(L, 4)) {
          dls_push_event(L, 1, event);
          lua_replace(L, 4);
        }
        lua_getfield(L, 5, "fn");
        lua_pushvalue(L, 4);
        lua_call(L, 1, 0);
      }
    }
    lua_settop(L, 4);
  }
  return 0;
}

static dls_status event(void *ud, const dls_event *e) {
  dls_world_box *box = ud;
  lua_State *L = begin(box);
  lua_pushcfunction(L, call_handlers);
  lua_pushvalue(L, box->self);
  lua_pushlightuserdata(L, (void *)(uintptr_t)e);
  return dls_call_protected(box->call, 2, 0);
}

/* --- registering ------------------------------------------------------------------------------------ */

/* A handle to a handler or field: off() ends it. */
typedef struct hook_ref {
  dls_world_box *box;
  const char *list; /* "handlers" or "fields" */
  lua_Integer k;    /* place in it            */
} hook_ref;

static void wanted_events(lua_State *L, dls_world_box *box, int idx_world) {
  const int top = lua_gettop(L);
  unsigned bits = 0;
  dls_push_kept(L, idx_world, "handlers");
  for (lua_Integer i = 1; lua_rawgeti(L, top + 1, i) != LUA_TNIL; i++) {
    if (lua_istable(L, -1)) {
      lua_getfield(L, -1, "kind");
      bits |= 1u << lua_tointeger(L, -1);
    }
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  box->world->hooks.events = bits;
  box->world->hooks.event = bits ? event : NULL;
}

static void push_handle(lua_State *L, dls_world_box *box, const char *list, lua_Integer k) {
  hook_ref *ref = dls_class_new(L, &dls_handle_class, sizeof *ref, 1);
  ref->box = box;
  ref->list = list;
  ref->k = k;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
}

int dls_world_field_lua(lua_State *L) {
  dls_world_box *box = dls_check_unlocked(L, 1, "world:field");
  static const dls_at at = {"world:field", NULL, 0, 0};
  if (!lua_isfunction(L, 2)) dls_bad(L, &at, "needs a function", 2);
  lua_settop(L, 2);
  dls_push_kept(L, 1, "fields");
  lua_Integer k = (lua_Integer)lua_rawlen(L, 3) + 1;
  lua_pushvalue(L, 2);
  lua_rawseti(L, 3, k);
  box->world->hooks.field = field;
  push_handle(L, box, "fields", k);
  return 1;
}

int dls_world_on_lua(lua_State *L) {
  static const dls_at at_kind = {"world:on", "kind", 0, 0}, at_fn = {"world:on", "fn", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world:on");
  int kind = 0;
  dls_read_choice(L, 2, &at_kind, kinds, &kind);
  if (!lua_isfunction(L, 3)) dls_bad(L, &at_fn, "must be a function", 3);
  lua_settop(L, 3);
  dls_push_kept(L, 1, "handlers");
  lua_Integer k = (lua_Integer)lua_rawlen(L, 4) + 1;
  lua_createtable(L, 0, 2);
  lua_pushinteger(L, kind);
  lua_setfield(L, -2, "kind");
  lua_pushvalue(L, 3);
  lua_setfield(L, -2, "fn");
  lua_rawseti(L, 4, k);
  wanted_events(L, box, 1);
  push_handle(L, box, "handlers", k);
  return 1;
}

static int off(lua_State *L) {
  hook_ref *ref = dls_class_check(L, 1, &dls_handle_class);
  if (!ref->box->handle.open) return 0;
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  dls_push_kept(L, 2, ref->list);
  lua_pushboolean(L, 0);
  lua_rawseti(L, 3, ref->k);
  if (strcmp(ref->list, "handlers") == 0) {
    wanted_events(L, ref->box, 2);
    return 0;
  }
  /* Without a field left the step needs no call for it. */
  bool any = false;
  for (lua_Integer i = 1; lua_rawgeti(L, 3, i) != LUA_TNIL; i++) {
    any = any || lua_isfunction(L, -1);
    lua_settop(L, 3);
  }
  if (!any) ref->box->world->hooks.field = NULL;
  return 0;
}

static const dls_method methods[] = {{"off", off, "() ends it"}, {NULL, NULL, NULL}};
const dls_class dls_handle_class = {"delassus.Callback", "callback", methods, NULL, NULL, NULL,
                                    NULL};
