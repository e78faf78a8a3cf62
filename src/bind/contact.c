/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint.h"
#include "core/accelerations/user_contact.h"
#include "core/model/material.h"

/* Contacts: records of the last step. One found by shapes can be read until its world moves on; one
** stated by hand is a thing of its own, and shows its last step's record, or, where it did not act
** then, where it is now; that of an event whose contact is gone shows what the event kept. */

static dls_child_ref *check(lua_State *L) {
  dls_child_ref *ref = dls_class_check(L, 1, &dls_contact_class);
  if (!ref->box->handle.open) dls_raise(L, "contact", "attempt to use a contact of a closed world");
  return ref;
}

static dls_user_contact *user_contact_of(lua_State *L, const dls_child_ref *ref) {
  dls_user_contact *user = dls_user_contact_of(ref);
  if (!user) dls_raise(L, "contact", "attempt to use a removed contact");
  return user;
}

/* Where a contact that was found stands among those of its world, -1: it has moved on, or a body of
** the contact is gone. */
static int place_of(const dls_child_ref *ref) {
  const dls_world *w = ref->box->world;
  const dls_contact_name name = {
      .key = ref->key, .a = ref->a, .b = ref->b, .of_a = ref->of_a, .of_b = ref->of_b, .user = -1};
  return ref->steps == w->steps ? dls_contact_place(w, &name, ref->index) : -1;
}

/* The record, or NULL for a hand-made contact that did not act in the last step. */
static const dls_contact *record(lua_State *L, const dls_child_ref *ref) {
  const dls_world *w = ref->box->world;
  if (ref->kept) return (const dls_contact *)(ref + 1);
  const dls_contact *contacts = dls_world_contacts(w);
  if (ref->user >= 0) {
    const int user = (int)(user_contact_of(L, ref) - w->user_contacts);
    for (int i = 0; i < w->n_contacts && contacts[i].user >= 0; i++)
      if (contacts[i].user == user && contacts[i].listed) return &contacts[i];
    return NULL;
  }
  const int k = place_of(ref);
  if (k < 0) dls_raise(L, "contact", "its world has moved on since it was found");
  return &contacts[k];
}

static const dls_contact zero = {.user = -1, .gap = 0, .state = DLS_APART};

static const dls_contact *read(lua_State *L, const dls_child_ref *ref) {
  const dls_contact *c = record(L, ref);
  return c ? c : &zero;
}

/* The same where point, normal, gap and velocity are asked for: those of now, in *room. The contact
** is at 1. */
static const dls_contact *read_place(lua_State *L, const dls_child_ref *ref, dls_contact *room) {
  const dls_contact *c = record(L, ref);
  if (c) return c;
  const int top = lua_gettop(L);
  dls_scope scope;
  lua_getiuservalue(L, 1, 1);
  dls_scope_begin(L, &scope, ref->box, top + 1);
  dls_scope_end(&scope, dls_world_user_contact(ref->box->world, dls_user_contact_place(ref), room),
                "contact");
  lua_settop(L, top);
  return room;
}

static int push_vec(lua_State *L, const dls_child_ref *ref, const double *x, double scale) {
  double y[3] = {scale * x[0], scale * x[1], scale * x[2]};
  dls_push_vec(L, ref->box->world->dim, y);
  return 1;
}

static int get_side(lua_State *L, bool b) {
  const dls_child_ref *ref = check(L);
  const dls_slots *slots = &ref->box->world->body_slots;
  if (!ref->kept) (void)record(L, ref);
  lua_getiuservalue(L, 1, 1);
  dls_push_body(L, lua_gettop(L),
                dls_slots_place(slots, b ? ref->b : ref->a, b ? ref->of_b : ref->of_a));
  return 1;
}
static int get_a(lua_State *L) { return get_side(L, false); }
static int get_b(lua_State *L) { return get_side(L, true); }

static int get_point(lua_State *L) {
  const dls_child_ref *ref = check(L);
  dls_contact room;
  return push_vec(L, ref, read_place(L, ref, &room)->point, 1);
}
static int get_normal(lua_State *L) {
  const dls_child_ref *ref = check(L);
  dls_contact room;
  return push_vec(L, ref, read_place(L, ref, &room)->normal, 1);
}
static int get_gap(lua_State *L) {
  const dls_child_ref *ref = check(L);
  dls_contact room;
  lua_pushnumber(L, read_place(L, ref, &room)->gap);
  return 1;
}
static int get_normal_force(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_pushnumber(L, read(L, ref)->p_n / dls_world_last_span(ref->box->world));
  return 1;
}
static int get_force(lua_State *L) {
  const dls_child_ref *ref = check(L);
  return push_vec(L, ref, read(L, ref)->impulse, 1 / dls_world_last_span(ref->box->world));
}
static int get_impulse(lua_State *L) {
  const dls_child_ref *ref = check(L);
  return push_vec(L, ref, read(L, ref)->impulse, 1);
}
static int get_velocity(lua_State *L) {
  const dls_child_ref *ref = check(L);
  if (ref->kept) dls_raise(L, "contact", "its world has moved on: 'velocity' is not kept");
  dls_contact room;
  return push_vec(L, ref, read_place(L, ref, &room)->velocity, 1);
}
static int get_state(lua_State *L) {
  static const char *const states[] = {"apart", "stick", "slip"};
  const dls_child_ref *ref = check(L);
  lua_pushstring(L, states[read(L, ref)->state]);
  return 1;
}
static int get_age(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_pushinteger(L, read(L, ref)->age);
  return 1;
}
static int get_friction(lua_State *L) {
  const dls_child_ref *ref = check(L);
  if (ref->kept) dls_raise(L, "contact", "its world has moved on: 'friction' is not kept");
  const dls_contact *c = record(L, ref);
  const dls_material *own = ref->user >= 0 ? &user_contact_of(L, ref)->material : NULL;
  const bool varies = own && (own->law > 0 || own->kinetic != own->friction);
  lua_pushnumber(L, c && (!own || varies) ? c->mu : own->friction);
  return 1;
}

/* The laws of the contact: its own, or what the two bodies' make together. */
static dls_material laws_of(lua_State *L, const char *what) {
  const dls_child_ref *ref = check(L);
  if (ref->kept) dls_raise(L, "contact", "its world has moved on: '%s' is not kept", what);
  if (ref->user >= 0) return user_contact_of(L, ref)->material;
  const dls_contact *c = record(L, ref);
  return dls_world_material(ref->box->world, c->a, c->b);
}
#define GET_LAW(name)                                       \
  static int get_##name(lua_State *L) {                     \
    lua_pushnumber(L, laws_of(L, #name).name);              \
    return 1;                                               \
  }
GET_LAW(restitution)
GET_LAW(stiffness)
GET_LAW(damping)

/* The laws of a contact stated by hand, to be changed between steps. */
static dls_material *own_laws(lua_State *L, const char *what) {
  const dls_child_ref *ref = check(L);
  if (ref->user < 0)
    dls_raise(L, "contact", "'%s' of a contact found by shapes is that of its materials", what);
  if (ref->box->world->stepping)
    dls_raise(L, "contact", "'%s' cannot be changed while its world steps", what);
  dls_refuse_finalizers(L, "contact");
  return &user_contact_of(L, ref)->material;
}
static int set_friction(lua_State *L) {
  static const dls_at at = {"contact", "friction", 0, 0};
  dls_material *own = own_laws(L, "friction");
  double mu;
  dls_read_nonnegative(L, 2, &at, NULL, &mu);
  if (mu > 0 && user_contact_of(L, check(L))->kind == DLS_USER_ROPE)
    dls_raise(L, "contact", "'friction' does not go with 'rope'");
  own->friction = own->kinetic = mu;
  own->decay = 0;
  own->law = 0;
  return 0;
}
static int set_stiffness(lua_State *L) {
  static const dls_at at = {"contact", "stiffness", 0, 0};
  dls_material *own = own_laws(L, "stiffness");
  dls_read_stiffness(L, 2, &at, NULL, &own->stiffness);
  return 0;
}
static int set_restitution(lua_State *L) {
  static const dls_at at = {"contact", "restitution", 0, 0};
  dls_read_fraction(L, 2, &at, NULL, &own_laws(L, "restitution")->restitution);
  return 0;
}
static int set_damping(lua_State *L) {
  static const dls_at at = {"contact", "damping", 0, 0};
  dls_read_nonnegative(L, 2, &at, NULL, &own_laws(L, "damping")->damping);
  return 0;
}
static int get_found(lua_State *L) {
  lua_pushboolean(L, check(L)->user < 0);
  return 1;
}

/* The same string while the same features of the same bodies meet. */
static int get_key(lua_State *L) {
  const dls_child_ref *ref = check(L);
  char text[17];
  if (ref->user >= 0) {
    lua_pushfstring(L, "hand:%d", ref->user + 1);
    return 1;
  }
  const dls_contact *c = record(L, ref);
  dls_hash_text(c->key, text);
  lua_pushfstring(L, "%d:%d:%s", ref->a, ref->b, text);
  return 1;
}

static int get_active(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_pushboolean(L, ref->user < 0 || user_contact_of(L, ref)->active);
  return 1;
}
static int set_active(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const dls_at at = {"contact", "active", 0, 0};
  bool active = false;
  dls_read_boolean(L, 2, &at, NULL, &active);
  if (ref->user < 0) dls_raise(L, "contact", "only a contact stated by hand can be switched");
  if (ref->box->world->stepping)
    dls_raise(L, "contact", "'active' cannot be changed while its world steps");
  dls_refuse_finalizers(L, "contact");
  user_contact_of(L, ref)->active = active;
  return 0;
}

static int to_string(lua_State *L) {
  dls_child_ref *ref = luaL_checkudata(L, 1, dls_contact_class.name);
  if (!ref->box->handle.open) {
    lua_pushliteral(L, "delassus.Contact (closed)");
  } else if (ref->user < 0 && !ref->kept && place_of(ref) < 0) {
    lua_pushliteral(L, "delassus.Contact (past)");
  } else if (ref->user >= 0 && !dls_user_contact_of(ref)) {
    lua_pushliteral(L, "delassus.Contact (removed)");
  } else {
    lua_settop(L, 1);
    get_state(L);
    dls_contact room;
    const dls_contact *c = read_place(L, ref, &room);
    lua_pushfstring(L, "delassus.Contact (bodies %d and %d, %s, gap %f m, %f N)", ref->a, ref->b,
                    lua_tostring(L, 2), c->gap, c->p_n / dls_world_last_span(ref->box->world));
  }
  return 1;
}

static const dls_property properties[] = {
    {"a", get_a, NULL, "first body"},
    {"b", get_b, NULL, "second body"},
    {"point", get_point, NULL, "where the impulse acted, m"},
    {"normal", get_normal, NULL, "unit, from a to b"},
    {"gap", get_gap, NULL, "m; below 0: penetration"},
    {"normal_force", get_normal_force, NULL, "normal impulse over the last step's length, N"},
    {"force", get_force, NULL, "on b, N"},
    {"impulse", get_impulse, NULL, "on b over the step, friction and impact included, N s"},
    {"velocity", get_velocity, NULL, "of b relative to a, after the step, m/s"},
    {"state", get_state, NULL, "stick, slip or apart"},
    {"key", get_key, NULL, "the same while the same features meet"},
    {"age", get_age, NULL, "steps since it was made"},
    {"friction", get_friction, set_friction, "coefficient used"},
    {"restitution", get_restitution, set_restitution,
     "of the two materials; its own where it is stated by hand"},
    {"stiffness", get_stiffness, set_stiffness, "the same, N/m"},
    {"damping", get_damping, set_damping, "the same, N s/m"},
    {"found", get_found, NULL, "by shapes; false: stated by hand"},
    {"active", get_active, set_active, "false switches a contact stated by hand off"},
    {NULL, NULL, NULL, NULL}};
static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_contact_class = {"delassus.Contact", "contact", NULL, properties, meta, NULL,
                                     NULL};
