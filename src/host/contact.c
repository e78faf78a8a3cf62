/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/model/records.h"

/* Contacts: those of the last step, and those stated by hand. */

static delassus_contact told(const dls_world *w, const dls_contact *c) {
  delassus_contact out = {.a = dls_host_id(w, c->a), .b = dls_host_id(w, c->b), .key = c->key,
                          .state = (delassus_contact_state)c->state, .age = c->age, .gap = c->gap,
                          .normal_force = c->p_n / w->dt, .friction = c->mu};
  if (c->tie >= 0) out.by_hand = (delassus_contact_id){c->tie, w->ties[c->tie].generation};
  memcpy(out.point, c->point, sizeof out.point);
  memcpy(out.normal, c->normal, sizeof out.normal);
  memcpy(out.impulse, c->impulse, sizeof out.impulse);
  memcpy(out.velocity, c->velocity, sizeof out.velocity);
  return out;
}

const delassus_contact *delassus_world_contacts(delassus_world *world, int *n) {
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

static dls_tie *tie_of(const delassus_world *host, delassus_contact_id contact) {
  const dls_world *w = host->world;
  if (contact.index < 0 || contact.index >= w->n_ties) return NULL;
  dls_tie *tie = &w->ties[contact.index];
  return tie->alive && tie->generation == contact.generation ? tie : NULL;
}

bool delassus_contact_alive(const delassus_world *world, delassus_contact_id contact) {
  return world && tie_of(world, contact) != NULL;
}

static delassus_status check(delassus_world *host, const char *function,
                             const delassus_contact_def *def, dls_tie *tie) {
  delassus_status status = dls_host_unlocked(host, function);
  if (status == DELASSUS_OK) status = dls_host_body_of(host, function, "a", def->a);
  if (status == DELASSUS_OK) status = dls_host_body_of(host, function, "b", def->b);
  if (status == DELASSUS_OK) status = dls_host_vector(host, function, "point_a", def->point_a);
  if (status == DELASSUS_OK) status = dls_host_vector(host, function, "point_b", def->point_b);
  if (status == DELASSUS_OK) status = dls_host_vector(host, function, "normal", def->normal);
  if (status == DELASSUS_OK)
    status = dls_host_material(host, function, &def->material, &tie->material);
  if (status != DELASSUS_OK) return status;
  const bool flat = def->normal[0] != 0 || def->normal[1] != 0 || def->normal[2] != 0;
  const char *what = NULL;
  if (def->a.index == def->b.index) what = "'a' and 'b' must be two bodies";
  else if (!(def->rope >= 0) || !dls_is_finite(def->rope)) what = "'rope' must be finite and >= 0";
  else if (flat == (def->rope > 0)) what = "needs one of 'normal' and 'rope'";
  else if (!flat && def->material.friction > 0) what = "'material.friction' goes with 'normal'";
  if (what) return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function, "%s", what);
  tie->kind = flat ? DLS_TIE_POINT : DLS_TIE_ROPE;
  return DELASSUS_OK;
}

delassus_status delassus_contact_create(delassus_world *world, const delassus_contact_def *def,
                                        delassus_contact_id *contact) {
  static const char function[] = "delassus_contact_create";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!def || !contact)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "'%s' must not be NULL",
                         def ? "contact" : "def");
  dls_world *w = world->world;
  dls_tie tie = {.alive = true, .active = true, .a = def->a.index, .b = def->b.index,
                 .length = def->rope};
  const delassus_status status = check(world, function, def, &tie);
  if (status != DELASSUS_OK) return status;
  double most = 0, length = 0;
  for (int i = 0; i < 3; i++) most = dls_max(most, fabs(def->normal[i]));
  for (int i = 0; i < 3; i++) {
    tie.normal[i] = most > 0 ? def->normal[i] / most : 0;
    length += tie.normal[i] * tie.normal[i];
    tie.point_a[i] = def->point_a[i] - w->bodies[tie.a].com[i];
    tie.point_b[i] = def->point_b[i] - w->bodies[tie.b].com[i];
  }
  for (int i = 0; i < 3 && most > 0; i++) tie.normal[i] /= sqrt(length);
  int index;
  const dls_status made = dls_world_tie_add(w, &tie, &index);
  if (made != DLS_OK) return dls_host_report(world, made, function);
  *contact = (delassus_contact_id){index, w->ties[index].generation};
  return DELASSUS_OK;
}

/* The contact, between steps; NULL and the status otherwise. */
static dls_tie *changeable(delassus_world *host, const char *function, delassus_contact_id contact,
                           delassus_status *status) {
  *status = dls_host_unlocked(host, function);
  if (*status != DELASSUS_OK) return NULL;
  dls_tie *tie = tie_of(host, contact);
  if (!tie)
    *status = dls_host_fail(host, DELASSUS_STALE_ID, function,
                            "'contact' is no contact made by hand in this world (%d, %u)",
                            (int)contact.index, (unsigned)contact.generation);
  return tie;
}

delassus_status delassus_contact_destroy(delassus_world *world, delassus_contact_id contact) {
  delassus_status status;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (changeable(world, "delassus_contact_destroy", contact, &status))
    dls_world_tie_remove(world->world, contact.index);
  return status;
}

delassus_status delassus_contact_set_active(delassus_world *world, delassus_contact_id contact,
                                            bool active) {
  delassus_status status;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  dls_tie *tie = changeable(world, "delassus_contact_set_active", contact, &status);
  if (tie) tie->active = active;
  return status;
}
