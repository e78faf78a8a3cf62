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

dls_contact_name dls_contact_named(const dls_world *w, int k) {
  const dls_contact *c = &dls_world_contacts(w)[k];
  const dls_body *a = &w->bodies[c->a], *b = &w->bodies[c->b];
  return (dls_contact_name){.key = c->key, .a = a->slot, .b = b->slot, .of_a = a->generation,
                            .of_b = b->generation,
                            .user = c->user < 0 ? -1 : w->user_contacts[c->user].slot, .index = k};
}

static bool is_named(const dls_world *w, const dls_contact *c, const dls_contact_name *name) {
  const int user = c->user < 0 ? -1 : w->user_contacts[c->user].slot;
  const dls_body *a = &w->bodies[c->a], *b = &w->bodies[c->b];
  return c->listed && c->key == name->key && user == name->user && a->slot == name->a &&
         a->generation == name->of_a && b->slot == name->b && b->generation == name->of_b;
}

int dls_contact_place(const dls_world *w, const dls_contact_name *name, int guess) {
  const dls_contact *all = dls_world_contacts(w);
  if (guess > w->n_contacts - 1) guess = w->n_contacts - 1;
  for (int k = guess; k >= 0; k--)
    if (is_named(w, &all[k], name)) return k;
  for (int k = guess + 1; k < w->n_contacts; k++)
    if (is_named(w, &all[k], name)) return k;
  return -1;
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
    if (ref->steps == w->steps && ref->key == c->key && ref->a == w->bodies[c->a].slot &&
        ref->b == w->bodies[c->b].slot)
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

/* --- a loop over contacts --------------------------------------------------------------------- */

/* The contacts that there were when a loop began: those that are still there are visited, whatever
** is taken out meanwhile. */
typedef struct visit {
  int next, n, gone; /* of[next] is the next of n; so many of those before it are gone */
  dls_contact_name of[]; /* of those that are not gone */
} visit;

static int next_contact(lua_State *L) {
  const dls_world_box *box = lua_touserdata(L, lua_upvalueindex(1));
  visit *v = lua_touserdata(L, lua_upvalueindex(2));
  while (box->handle.open && v->next < v->n) {
    const dls_contact_name *name = &v->of[v->next++];
    const int k = dls_contact_place(box->world, name, name->index - v->gone);
    if (k >= 0) {
      lua_pushvalue(L, lua_upvalueindex(1));
      dls_push_contact(L, lua_gettop(L), k);
      return 1;
    }
    v->gone++;
  }
  return 0;
}

void dls_push_visit(lua_State *L, int idx, int body) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  const dls_contact *all = dls_world_contacts(w);
  size_t n = 0;
  for (int k = 0; k < w->n_contacts; k++)
    n += all[k].listed && (body < 0 || all[k].a == body || all[k].b == body);
  lua_pushvalue(L, idx);
  visit *v = lua_newuserdatauv(L, sizeof *v + n * sizeof *v->of, 0);
  *v = (visit){0};
  for (int k = 0; k < w->n_contacts; k++)
    if (all[k].listed && (body < 0 || all[k].a == body || all[k].b == body))
      v->of[v->n++] = dls_contact_named(w, k);
  lua_pushcclosure(L, next_contact, 2);
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
