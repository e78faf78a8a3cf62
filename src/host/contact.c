/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/model/records.h"

/* Contacts: those of the last step, and those stated by hand. */

static delassus_contact told(const dls_world *w, const dls_contact *c) {
  delassus_contact out = {.a = dls_host_id(w, c->a), .b = dls_host_id(w, c->b), .key = c->key,
                          .state = (delassus_contact_state)c->state, .age = c->age, .gap = c->gap,
                          .normal_force = c->p_n / dls_world_last_span(w), .friction = c->mu};
  const dls_user_contact *user = c->user >= 0 ? &w->user_contacts[c->user] : NULL;
  if (user) out.by_hand = (delassus_contact_id){user->slot, user->generation};
  memcpy(out.point, c->point, sizeof out.point);
  memcpy(out.normal, c->normal, sizeof out.normal);
  memcpy(out.impulse, c->impulse, sizeof out.impulse);
  memcpy(out.velocity, c->velocity, sizeof out.velocity);
  return out;
}

const delassus_contact *delassus_world_contacts(delassus_world *world, int *n) {
  if (n) *n = 0;
  if (!world) return NULL;
  const dls_world *w = world->world;
  const dls_contact *list = dls_world_contacts(w);
  int count = 0;
  if (w->n_contacts > world->contact_room) {
    const int room = w->n_contacts + w->n_contacts / 2;
    if (dls_grow(&world->alloc, (void **)&world->contacts, (size_t)world->contact_room,
                 (size_t)room, sizeof *world->contacts) != DLS_OK) {
      (void)dls_host_report(world, DLS_NOMEM, "delassus_world_contacts");
      if (n) *n = -1;
      return NULL;
    }
    world->contact_room = room;
  }
  for (int i = 0; i < w->n_contacts; i++)
    if (list[i].listed) world->contacts[count++] = told(w, &list[i]);
  if (n) *n = count;
  return count > 0 ? world->contacts : NULL;
}

/* --- stated by hand ------------------------------------------------------------------------- */

delassus_contact_def delassus_contact_def_default(void) {
  delassus_contact_def def = {.material = delassus_material_def_default()};
  def.material.friction = 0;
  return def;
}

static dls_user_contact *user_contact_of(const delassus_world *host, delassus_contact_id contact) {
  const dls_world *w = host->world;
  const int place = dls_slots_place(&w->user_contact_slots, contact.index, contact.generation);
  return place >= 0 ? &w->user_contacts[place] : NULL;
}

bool delassus_contact_alive(const delassus_world *world, delassus_contact_id contact) {
  return world && user_contact_of(world, contact) != NULL;
}

static delassus_status check(delassus_world *host, const char *function,
                             const delassus_contact_def *def, dls_user_contact *user) {
  delassus_status status = dls_host_unlocked(host, function);
  if (status == DELASSUS_OK) status = dls_host_body_of(host, function, "a", def->a, &user->a);
  if (status == DELASSUS_OK) status = dls_host_body_of(host, function, "b", def->b, &user->b);
  if (status == DELASSUS_OK) status = dls_host_vector(host, function, "point_a", def->point_a);
  if (status == DELASSUS_OK) status = dls_host_vector(host, function, "point_b", def->point_b);
  if (status == DELASSUS_OK) status = dls_host_vector(host, function, "normal", def->normal);
  if (status == DELASSUS_OK)
    status = dls_host_material(host, function, "material", &def->material, &user->material);
  if (status != DELASSUS_OK) return status;
  const bool flat = def->normal[0] != 0 || def->normal[1] != 0 || def->normal[2] != 0;
  const char *what = NULL;
  if (user->a == user->b) what = "'a' and 'b' must be two bodies";
  else if (!(def->rope >= 0) || !dls_is_finite(def->rope)) what = "'rope' must be finite and >= 0";
  else if ((int)flat + (int)(def->rope > 0) + (int)(def->gap != NULL) != 1)
    what = "needs one of 'normal', 'rope' and 'gap'";
  else if (def->rope > 0 && def->material.friction > 0)
    what = "'material.friction' does not go with 'rope'";
  if (what) return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function, "%s", what);
  user->kind = flat ? DLS_USER_POINT : def->gap ? DLS_USER_GAP : DLS_USER_ROPE;
  return def->gap ? dls_host_own(host, function) : DELASSUS_OK;
}

delassus_status delassus_contact_create(delassus_world *world, const delassus_contact_def *def,
                                        delassus_contact_id *contact) {
  static const char function[] = "delassus_contact_create";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!def || !contact)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "'%s' must not be NULL",
                         def ? "contact" : "def");
  dls_world *w = world->world;
  dls_user_contact user = {.alive = true, .active = true, .length = def->rope};
  const delassus_status status = check(world, function, def, &user);
  if (status != DELASSUS_OK) return status;
  double most = 0, length = 0;
  for (int i = 0; i < 3; i++) most = dls_max(most, fabs(def->normal[i]));
  for (int i = 0; i < 3; i++) {
    user.normal[i] = most > 0 ? def->normal[i] / most : 0;
    length += user.normal[i] * user.normal[i];
    user.point_a[i] = def->point_a[i] - w->bodies[user.a].com[i];
    user.point_b[i] = def->point_b[i] - w->bodies[user.b].com[i];
  }
  for (int i = 0; i < 3 && most > 0; i++) user.normal[i] /= sqrt(length);
  const int slot = dls_world_user_contact_slot(w);
  int index = 0;
  dls_status made = DLS_OK;
  if (def->gap) {
    made =
        dls_host_reserve(world, (void **)&world->gaps, &world->gap_room, slot, sizeof *world->gaps);
    if (made != DLS_OK) return dls_host_report(world, made, function);
    world->gaps[slot] = (dls_host_gap){def->gap, def->gap_user};
    dls_host_hook_gap(world);
  }
  made = dls_world_user_contact_add(w, &user, &index);
  if (made != DLS_OK) return dls_host_report(world, made, function);
  *contact = (delassus_contact_id){slot, w->user_contacts[index].generation};
  return DELASSUS_OK;
}

/* The contact, between steps; NULL and the status otherwise. */
static dls_user_contact *changeable(delassus_world *host, const char *function,
                                    delassus_contact_id contact, delassus_status *status) {
  *status = dls_host_unlocked(host, function);
  if (*status != DELASSUS_OK) return NULL;
  dls_user_contact *user = user_contact_of(host, contact);
  if (!user)
    *status = dls_host_fail(host, DELASSUS_STALE_ID, function,
                            "'contact' is no contact made by hand in this world (%d, %u)",
                            (int)contact.index, (unsigned)contact.generation);
  return user;
}

delassus_status delassus_contact_destroy(delassus_world *world, delassus_contact_id contact) {
  delassus_status status;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  const dls_user_contact *user = changeable(world, "delassus_contact_destroy", contact, &status);
  if (user) dls_world_user_contact_remove(world->world, (int)(user - world->world->user_contacts));
  return status;
}

delassus_status delassus_contact_set_active(delassus_world *world, delassus_contact_id contact,
                                            bool active) {
  delassus_status status;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  dls_user_contact *user = changeable(world, "delassus_contact_set_active", contact, &status);
  if (user) user->active = active;
  return status;
}
