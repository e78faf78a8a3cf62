/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/motion.h"

/* Lua functions that a step calls. Each runs protected; what it raises stops the step, which is
** undone, and is raised again by the method that stepped (bind/call.h). */

/* The world's userdata in the call that steps. */
static lua_State *begin(dls_world_box *box) {
  luaL_checkstack(box->call->L, 12, "callback");
  return box->call->L;
}

dls_status dls_call_locked(dls_world_box *box, int n_args, int n_results, const char *function,
                           const char *option) {
  dls_world *w = box->world;
  const bool locked = w->stepping;
  w->stepping = true;
  const dls_status status = dls_call_named(box->call, n_args, n_results, function, option);
  w->stepping = locked;
  return status;
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
  return dls_call_locked(box, 4, 0, "world:field", "its function");
}

/* --- prescribed motion ------------------------------------------------------------------------ */

/* Protected: world, body index, t, place of the answer, whether accelerations are wanted. */
static int call_motion(lua_State *L) {
  dls_world_box *box = lua_touserdata(L, 1);
  const int body = (int)lua_tointeger(L, 2);
  dls_motion_told *told = lua_touserdata(L, 4);
  dls_body_pose(box->world, body, told->position, told->rotation);
  dls_push_kept(L, 1, "bodies");
  lua_rawgeti(L, -1, box->world->bodies[body].slot);
  lua_getfield(L, -1, "motion");
  dls_motion_ask(L, lua_gettop(L), box->world, lua_tonumber(L, 3), lua_toboolean(L, 5), told);
  dls_motion_to_centre(box->world->dim, box->world->bodies[body].com, told);
  return 0;
}

static dls_status motion(void *ud, int body, double t, double *centre, double *rotation,
                         double *velocity, double *angular, double *acceleration) {
  dls_world_box *box = ud;
  lua_State *L = begin(box);
  dls_motion_told told = {0};
  lua_pushcfunction(L, call_motion);
  lua_pushvalue(L, box->self);
  lua_pushinteger(L, body);
  lua_pushnumber(L, t);
  lua_pushlightuserdata(L, &told);
  lua_pushboolean(L, acceleration != NULL);
  dls_status status = dls_call_locked(box, 5, 0, "world:body", "'motion'");
  if (status != DLS_OK) return status;
  memcpy(centre, told.position, sizeof told.position);
  memcpy(rotation, told.rotation, sizeof told.rotation);
  memcpy(velocity, told.velocity, sizeof told.velocity);
  memcpy(angular, told.angular, sizeof told.angular);
  if (!acceleration) return DLS_OK;
  memcpy(acceleration, told.acceleration, sizeof told.acceleration);
  if (box->world->dim == 2) { /* turns about +z */
    acceleration[5] = acceleration[3];
    acceleration[3] = 0;
  }
  return DLS_OK;
}

void dls_hook_motion(dls_world_box *box) {
  box->world->hooks.motion = motion;
}

/* --- friction laws ---------------------------------------------------------------------------- */

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
  dls_status status = dls_call_locked(box, 3, 1, "material", "'friction'");
  if (status != DLS_OK) return status;
  *mu = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return DLS_OK;
}

void dls_hook_friction(dls_world_box *box) {
  box->world->hooks.friction = friction;
}

/* --- events ----------------------------------------------------------------------------------- */

static const char *const kinds[] = {
#define NAME(code, text) text,
    DLS_EVENT_LIST(NAME)
#undef NAME
    NULL};

static void push_event_body(lua_State *L, int idx, int body, uint32_t generation) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  const bool same = body >= 0 && body < w->n_bodies && w->bodies[body].generation == generation;
  dls_push_body(L, idx, same ? body : -1);
}

/* The contact of an event: itself while its step is the last one, or made by hand; else what was
** kept. */
static void push_event_contact(lua_State *L, int idx, const dls_event *event) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  const int k = event->contact;
  const dls_contact *contacts = dls_world_contacts(w);
  const bool there = k >= 0 && event->t == w->time && k < w->n_contacts &&
                     contacts[k].key == event->key && contacts[k].a == event->a &&
                     contacts[k].b == event->b;
  const bool by_user = event->user >= 0 && event->user < w->n_user_contacts;
  const dls_user_contact *user = by_user ? &w->user_contacts[event->user] : NULL;
  if (user && user->alive && user->generation == event->of_user)
    dls_push_user_contact(L, idx, event->user, event->a, event->b);
  else if (there && contacts[k].listed)
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
  return dls_call_locked(box, 2, 0, "world:on", kinds[e->kind]);
}

/* --- registering ------------------------------------------------------------------------------ */

/* A handle to a handler or field: off() ends it. Entry k of a list has its serial number at -k. */
typedef struct hook_ref {
  dls_world_box *box; /* whose; user value 1 keeps it */
  const char *list;   /* "handlers" or "fields"; NULL: ended */
  lua_Integer serial; /* of the entry                        */
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

/* Takes the ended entries out of the list at idx. Leaves *n entries; answers the largest serial
** number it had. */
static lua_Integer compact(lua_State *L, int idx, lua_Integer *n) {
  const int top = lua_gettop(L);
  lua_Integer serial = 0, i = 1;
  *n = 0;
  for (; lua_rawgeti(L, idx, i) != LUA_TNIL; i++) {
    (void)lua_rawgeti(L, idx, -i);
    serial = lua_tointeger(L, -1); /* they rise along the list */
    if (!lua_isboolean(L, top + 1)) {
      ++*n;
      lua_rawseti(L, idx, -*n);
      lua_rawseti(L, idx, *n);
    }
    lua_settop(L, top);
  }
  lua_settop(L, top);
  for (lua_Integer k = *n + 1; k < i; k++) {
    lua_pushnil(L);
    lua_rawseti(L, idx, k);
    lua_pushnil(L);
    lua_rawseti(L, idx, -k);
  }
  return serial;
}

/* Appends the value on top of the stack to the list at idx; -> its serial number. */
static lua_Integer append(lua_State *L, int idx) {
  lua_Integer n, serial = compact(L, idx, &n) + 1;
  lua_pushinteger(L, serial);
  lua_rawseti(L, idx, -(n + 1));
  lua_rawseti(L, idx, n + 1);
  return serial;
}

/* The place of an entry in its list at idx; 0: none. */
static lua_Integer place_of(lua_State *L, int idx, lua_Integer serial) {
  lua_Integer k = 1, found = 0;
  for (; found == 0 && lua_rawgeti(L, idx, -k) != LUA_TNIL; k++) {
    if (lua_tointeger(L, -1) == serial) found = k;
    lua_pop(L, 1);
  }
  if (found == 0) lua_pop(L, 1);
  return found;
}

static void push_handle(lua_State *L, dls_world_box *box, const char *list, lua_Integer serial) {
  hook_ref *ref = dls_class_new(L, &dls_handle_class, sizeof *ref, 1);
  ref->box = box;
  ref->list = list;
  ref->serial = serial;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
}

int dls_world_field_lua(lua_State *L) {
  dls_world_box *box = dls_check_unlocked(L, 1, "world:field");
  static const dls_at at = {"world:field", NULL, 0, 0};
  if (!lua_isfunction(L, 2)) dls_bad(L, &at, "needs a function", 2);
  dls_refuse_lent(L, box, "world:field", "a field");
  lua_settop(L, 2);
  dls_push_kept(L, 1, "fields");
  lua_pushvalue(L, 2);
  const lua_Integer serial = append(L, 3);
  box->world->hooks.field = field;
  push_handle(L, box, "fields", serial);
  return 1;
}

int dls_world_on_lua(lua_State *L) {
  static const dls_at at_kind = {"world:on", "kind", 0, 0}, at_fn = {"world:on", "fn", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world:on");
  int kind = 0;
  lua_settop(L, 3);
  dls_read_choice(L, 2, &at_kind, kinds, &kind);
  if (!lua_isfunction(L, 3)) dls_bad(L, &at_fn, "must be a function", 3);
  dls_refuse_lent(L, box, "world:on", "a function of events");
  dls_push_kept(L, 1, "handlers");
  lua_createtable(L, 0, 2);
  lua_pushinteger(L, kind);
  lua_setfield(L, -2, "kind");
  lua_pushvalue(L, 3);
  lua_setfield(L, -2, "fn");
  const lua_Integer serial = append(L, 4);
  wanted_events(L, box, 1);
  push_handle(L, box, "handlers", serial);
  return 1;
}

/* Ends the entry of a handle in its list at idx; in a step others keep their places, for a call may
** be going through them. */
static void take_out(lua_State *L, int idx, const hook_ref *ref) {
  const lua_Integer place = place_of(L, idx, ref->serial);
  lua_Integer n;
  lua_pushboolean(L, 0);
  lua_rawseti(L, idx, place);
  if (!ref->box->world->stepping) (void)compact(L, idx, &n);
}

static int off(lua_State *L) {
  hook_ref *ref = dls_class_check(L, 1, &dls_handle_class);
  const char *list = ref->list;
  if (!ref->box->handle.open || list == NULL) return 0;
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  dls_push_kept(L, 2, list);
  take_out(L, 3, ref);
  ref->list = NULL; /* its place may become another's */
  if (strcmp(list, "handlers") == 0) {
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

static int handle_string(lua_State *L) {
  const hook_ref *ref = dls_class_check(L, 1, &dls_handle_class);
  const bool on = ref->box->handle.open && ref->list != NULL;
  if (on && strcmp(ref->list, "handlers") == 0) {
    lua_getiuservalue(L, 1, 1);
    dls_push_kept(L, 2, ref->list);
    lua_rawgeti(L, 3, place_of(L, 3, ref->serial));
    lua_getfield(L, 4, "kind");
    lua_pushfstring(L, "delassus.Callback (on '%s')", kinds[lua_tointeger(L, 5)]);
  } else {
    lua_pushstring(L, on ? "delassus.Callback (field)" : "delassus.Callback (ended)");
  }
  return 1;
}

static const dls_method methods[] = {{"off", off, "() ends it"}, {NULL, NULL, NULL}};
static const luaL_Reg handle_meta[] = {{"__tostring", handle_string}, {NULL, NULL}};
const dls_class dls_handle_class = {"delassus.Callback", "callback", methods, NULL,
                                    handle_meta,         NULL,       NULL};
