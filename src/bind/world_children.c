/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

/* The bodies and contacts of a world as Lua values: one userdata each, the same each time. */

int dls_push_end(lua_State *L, const char *name, int place) {
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_rawgeti(L, 2, place);
  }
  return lua_gettop(L);
}

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
  ref->user = -1;
  lua_pushvalue(L, idx);
  lua_setiuservalue(L, -2, 1);
  lua_getiuservalue(L, idx, 1);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, key);
  lua_pop(L, 1);
  return ref;
}

/* Names the bodies at these places, as a contact's. */
static void name_bodies(dls_child_ref *ref, const dls_world *w, int a, int b) {
  const bool there_a = a >= 0 && a < w->n_bodies && w->bodies[a].alive;
  const bool there_b = b >= 0 && b < w->n_bodies && w->bodies[b].alive;
  ref->a = there_a ? w->bodies[a].slot : -1, ref->of_a = there_a ? w->bodies[a].generation : 0;
  ref->b = there_b ? w->bodies[b].slot : -1, ref->of_b = there_b ? w->bodies[b].generation : 0;
}

void dls_push_body(lua_State *L, int idx, int body) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  if (body < 0 || body >= w->n_bodies || !w->bodies[body].alive) {
    lua_pushnil(L);
    return;
  }
  const int slot = w->bodies[body].slot;
  const uint32_t generation = w->bodies[body].generation;
  if (push_child(L, idx, slot)) {
    const dls_child_ref *ref = lua_touserdata(L, -1);
    if (ref->generation == generation) return;
    lua_pop(L, 1);
  }
  dls_child_ref *ref = new_child(L, idx, slot, &dls_body_class);
  ref->slot = slot;
  ref->generation = generation;
  ref->index = body;
}

/* Bodies have keys from 0 up; contacts of the step below, hand-made ones further down. */
static lua_Integer user_contact_key(int slot) { return -((lua_Integer)1 << 40) - slot; }

dls_child_ref *dls_push_new_user_contact(lua_State *L, int idx, int slot, int a, int b) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  dls_child_ref *ref = new_child(L, idx, user_contact_key(slot), &dls_contact_class);
  ref->user = slot;
  name_bodies(ref, w, a, b);
  return ref;
}

void dls_push_user_contact(lua_State *L, int idx, int user, int a, int b) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  const int slot = w->user_contacts[user].slot;
  const uint32_t generation = w->user_contacts[user].generation;
  if (push_child(L, idx, user_contact_key(slot))) {
    const dls_child_ref *ref = lua_touserdata(L, -1);
    if (ref->generation == generation) return;
    lua_pop(L, 1);
  }
  dls_push_new_user_contact(L, idx, slot, a, b)->generation = generation;
}

int dls_user_contact_place(const dls_child_ref *ref) {
  return dls_slots_place(&ref->box->world->user_contact_slots, ref->user, ref->generation);
}

dls_user_contact *dls_user_contact_of(const dls_child_ref *ref) {
  const int place = dls_user_contact_place(ref);
  return place >= 0 ? &ref->box->world->user_contacts[place] : NULL;
}

void dls_push_contact(lua_State *L, int idx, int k) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  const dls_contact *c = &dls_world_contacts(w)[k];
  if (c->user >= 0) {
    dls_push_user_contact(L, idx, c->user, c->a, c->b);
    return;
  }
  lua_Integer key = -1 - (lua_Integer)k;
  if (push_child(L, idx, key)) {
    const dls_child_ref *ref = lua_touserdata(L, -1);
    if (ref->steps == w->steps && ref->key == c->key && ref->a == w->bodies[c->a].slot && ref->b == w->bodies[c->b].slot)
      return;
    lua_pop(L, 1);
  }
  dls_child_ref *ref = new_child(L, idx, key, &dls_contact_class);
  ref->index = k;
  ref->steps = w->steps;
  ref->key = c->key;
  ref->user = c->user;
  name_bodies(ref, w, c->a, c->b);
}

/* What it was stays behind the reference. */
void dls_push_kept_contact(lua_State *L, int idx, const dls_event *event) {
  dls_child_ref *ref =
      dls_class_new(L, &dls_contact_class, sizeof *ref + sizeof(dls_contact), 1);
  dls_contact *c = (dls_contact *)(ref + 1);
  ref->box = lua_touserdata(L, idx);
  ref->user = -1;
  ref->kept = true;
  ref->key = c->key = event->key;
  c->a = event->a;
  c->b = event->b;
  name_bodies(ref, ref->box->world, event->a, event->b);
  if (ref->of_a != event->of_a) ref->a = -1; /* another one stands there, after world:restore */
  if (ref->of_b != event->of_b) ref->b = -1;
  c->user = -1;
  c->state = event->state;
  c->age = event->age;
  c->gap = event->gap;
  c->p_n = event->impulse;
  c->before = event->speed;
  memcpy(c->point, event->point, sizeof c->point);
  memcpy(c->normal, event->normal, sizeof c->normal);
  memcpy(c->impulse, event->push, sizeof c->impulse);
  lua_pushvalue(L, idx);
  lua_setiuservalue(L, -2, 1);
}
