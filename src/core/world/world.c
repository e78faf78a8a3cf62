/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/world.h"

#include "core/event_world/event_world.h"
#include "core/joints/trees.h"
#include "core/model/material.h"
#include "core/world/state.h"

#include "core/base/dim.h"

dls_world_def dls_world_def_default(void) {
  return (dls_world_def){.dim = 3, .dt = 1e-3, .max_iterations = DLS_SWEEPS_DEFAULT, .seed = 1,
                         .friction_corners = 2};
}

/* Makes room for one more element in an array of the world's. */
static dls_status room_for(dls_world *w, void **array, int n, int *room, size_t size) {
  if (n < *room) return DLS_OK;
  int more = *room < 8 ? 8 : *room * 2;
  dls_status status = dls_grow(&w->alloc, array, (size_t)*room, (size_t)more, size);
  if (status == DLS_OK) *room = more;
  return status;
}

dls_status dls_world_create(dls_world **out, const dls_alloc *alloc, const dls_world_def *def) {
  dls_world *w = dls_new(alloc, 1, sizeof *w);
  if (!w) return DLS_NOMEM;
  w->alloc = *alloc;
  w->dim = def->dim;
  w->dt = def->dt;
  w->theta = def->theta;
  w->semi_implicit = def->semi_implicit;
  w->impact = def->impact;
  w->solve = (dls_solve_opts){.method = def->solver, .tolerance = def->tolerance,
                              .max_iterations = def->max_iterations};
  w->factor = def->factor;
  w->event_driven = def->event_driven;
  w->log = def->log || def->event_driven;
  w->strict = def->strict;
  w->friction_corners = def->friction_corners;
  dls_world_set_seed(w, def->seed);
  w->gravity[def->dim - 1] = -9.81;
  if (def->has_gravity) memcpy(w->gravity, def->gravity, sizeof w->gravity);
  if (def->dim == 2) w->gravity[2] = 0;
  w->fault = -1;
  w->touch_room = 64;
  dls_material plain = dls_material_default();
  int index;
  dls_body_def ground = dls_body_def_default(def->dim);
  ground.type = DLS_STATIC;
  dls_status status = dls_broad_create(&w->broad, alloc, def->dim, DLS_FIRST_SKIN);
  if (status == DLS_OK) status = dls_world_material_add(w, &plain, &index);
  if (status == DLS_OK) status = dls_world_body_add(w, &ground, &index);
  if (status != DLS_OK) {
    dls_world_destroy(w);
    return status;
  }
  *out = w;
  return DLS_OK;
}

void dls_world_set_seed(dls_world *w, int64_t seed) {
  w->seed = seed;
  w->random = dls_random_seed((uint64_t)seed);
}

void dls_world_set_factor(dls_world *w, int method) {
  w->factor = method;
  if (w->trees) w->trees->method = method;
}

void dls_world_set_dt(dls_world *w, double dt) {
  w->time_origin = w->time;
  w->steps_origin = w->steps;
  w->dt = dt;
}

double dls_world_last_span(const dls_world *w) {
  return w->event_driven && w->event_state.span > 0 ? w->event_state.span : w->dt;
}

void dls_world_destroy(dls_world *w) {
  if (!w) return;
  dls_alloc alloc = w->alloc;
  size_t nq = (size_t)DLS_NQ(w->dim), nu = (size_t)DLS_NU(w->dim);
  dls_event_world_destroy(w);
  for (int i = 0; i < w->n_bodies; i++) dls_shape_drop(w->bodies[i].shape);
#define FREE(name, n) dls_free(&alloc, w->name, (size_t)(n), sizeof *w->name);
  FREE(bodies, w->body_room)
  FREE(q, (size_t)w->body_room * nq)
  FREE(q_before, (size_t)w->body_room * nq)
  FREE(u, (size_t)w->body_room * nu)
  FREE(q_next, (size_t)w->body_room * nq)
  FREE(u_next, (size_t)w->body_room * nu)
  FREE(load, (size_t)w->body_room * nu)
  FREE(materials, w->material_room)
  FREE(pairings, w->pairing_room)
  FREE(pair_table, w->pair_room)
  FREE(springs, w->spring_room)
  FREE(user_contacts, w->user_contact_room)
  FREE(contacts, w->contact_room)
  FREE(contacts_next, w->contact_room)
  dls_warm_columns_free(&w->warm, &alloc, w->dim == 2 ? w->contact_room : 0);
  dls_warm_columns_free(&w->warm_next, &alloc, w->dim == 2 ? w->contact_room : 0);
  FREE(event_marks, DLS_STEP_EVENTS * (size_t)w->contact_room)
  FREE(events, w->event_room)
  for (int i = 0; i < w->n_joints; i++)
    dls_free(&alloc, w->joints[i].motions, (size_t)w->joints[i].n_motions, sizeof(dls_motion));
  FREE(joints, w->joint_room)
  FREE(joint_state, w->joint_room)
  FREE(joint_own, 6 * (size_t)w->joint_room)
  FREE(joint_qdd, 6 * (size_t)w->joint_room)
  FREE(gears, (size_t)w->gear_room)
  FREE(joint_drive, 3 * DLS_MAX_MOTIONS * (size_t)w->joint_room)
#undef FREE
  dls_slots *const slots[] = {&w->body_slots, &w->joint_slots, &w->spring_slots,
                              &w->user_contact_slots, &w->gear_slots};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) dls_slots_destroy(slots[i], &alloc);
  dls_free(&alloc, w->columns.block, DLS_COLUMNS * (size_t)w->body_room, sizeof(double));
  dls_trees_destroy(w);
  dls_free(&alloc, w->undo, w->undo_room, 1);
  dls_free(&alloc, w->parted, w->parted_room, 1);
  dls_broad_destroy(&w->broad, &alloc);
  dls_arena_destroy(&w->arena, &alloc);
  dls_free(&alloc, w, 1, sizeof *w);
}

dls_status dls_world_material_add(dls_world *w, const dls_material *material, int *index) {
  for (int i = 0; i < w->n_materials; i++)
    if (material->id != 0 && w->materials[i].id == material->id) {
      *index = i;
      return DLS_OK;
    }
  int slot = w->n_materials;
  for (int i = w->n_materials - 1; i > 0 && w->n_free_materials > 0; i--)
    if (w->materials[i].id == DLS_NO_MATERIAL) slot = i;
  dls_status status =
      room_for(w, (void **)&w->materials, slot, &w->material_room, sizeof *w->materials);
  if (status != DLS_OK) return status;
  if (slot < w->n_materials) w->n_free_materials--;
  else w->n_materials++;
  w->materials[slot] = *material;
  *index = slot;
  return DLS_OK;
}

int dls_world_material_find(const dls_world *w, const dls_material *m) {
  for (int i = 0; i < w->n_materials; i++) {
    const dls_material *k = &w->materials[i];
    if (k->id == 0 && k->law == m->law && k->friction == m->friction && k->kinetic == m->kinetic &&
        k->decay == m->decay && k->restitution == m->restitution && k->stiffness == m->stiffness &&
        k->damping == m->damping && k->rolling == m->rolling && k->spinning == m->spinning &&
        k->tangential_restitution == m->tangential_restitution)
      return i;
  }
  return -1;
}

bool dls_world_tidy_materials(dls_world *w) {
  enum { FEW = 64 }; /* so many may lie idle: a look costs as much as there are bodies */
  if (w->n_materials - w->n_free_materials < (w->material_limit > FEW ? w->material_limit : FEW))
    return false;
  bool *used = dls_new(&w->alloc, (size_t)w->n_materials, sizeof *used);
  if (!used) return false;
  used[0] = true;
  for (int i = 0; i < w->n_bodies; i++)
    if (w->bodies[i].alive) used[w->bodies[i].material] = true;
  for (int i = 0; i < w->n_pairings; i++)
    if (!w->pairings[i].of_bodies) used[w->pairings[i].a] = used[w->pairings[i].b] = true;
  const size_t looked_at = (size_t)w->n_materials;
  for (int i = 1; i < w->n_materials; i++)
    if (!used[i] && w->materials[i].id != DLS_NO_MATERIAL) {
      w->materials[i] = dls_material_default();
      w->materials[i].id = DLS_NO_MATERIAL;
      w->n_free_materials++;
    }
  while (w->materials[w->n_materials - 1].id == DLS_NO_MATERIAL)
    w->n_materials--, w->n_free_materials--;
  w->material_limit = 2 * (w->n_materials - w->n_free_materials);
  dls_free(&w->alloc, used, looked_at, sizeof *used);
  return true;
}

/* Room for one pairing more, and a table less than half full with it. */
static dls_status room_for_pairing(dls_world *w) {
  const int room = w->pair_room < 16 ? 16 : 2 * w->pair_room;
  dls_status status =
      room_for(w, (void **)&w->pairings, w->n_pairings, &w->pairing_room, sizeof *w->pairings);
  if (status != DLS_OK || 2 * (w->n_pairings + 1) < w->pair_room) return status;
  status = dls_grow(&w->alloc, (void **)&w->pair_table, (size_t)w->pair_room, (size_t)room,
                    sizeof *w->pair_table);
  if (status != DLS_OK) return status;
  w->pair_room = room;
  dls_pairings_list(w);
  return DLS_OK;
}

dls_status dls_world_pair(dls_world *w, const dls_pairing *pairing) {
  w->columns.known = false;
  const int found = dls_pairing_find(w, pairing->of_bodies, pairing->a, pairing->b);
  if (found >= 0) {
    w->n_soft_pairings -= w->pairings[found].material.stiffness < DLS_INF;
    w->n_soft_pairings += pairing->material.stiffness < DLS_INF;
    w->pairings[found] = *pairing;
    return DLS_OK;
  }
  const dls_status status = room_for_pairing(w);
  if (status != DLS_OK) return status;
  w->pairings[w->n_pairings++] = *pairing;
  if (pairing->of_bodies) w->bodies[pairing->a].bonds++, w->bodies[pairing->b].bonds++;
  dls_pairing_add(w);
  return DLS_OK;
}

dls_status dls_world_spring_add(dls_world *w, const dls_spring *spring, int *index) {
  if (w->n_springs == w->spring_room && dls_slots_are_sparse(&w->spring_slots, w->n_springs))
    dls_springs_move_up(w);
  dls_status status =
      room_for(w, (void **)&w->springs, w->n_springs, &w->spring_room, sizeof *w->springs);
  if (status == DLS_OK) status = dls_slots_reserve(&w->spring_slots, &w->alloc);
  if (status != DLS_OK) return status;
  const dls_placed begin = dls_slots_begin(&w->spring_slots);
  dls_spring *made = &w->springs[w->n_springs];
  *made = *spring;
  made->slot = begin.slot, made->generation = begin.generation;
  w->bodies[made->a].bonds++, w->bodies[made->b].bonds++;
  *index = w->n_springs;
  dls_slots_take(&w->spring_slots, w->n_springs++);
  return DLS_OK;
}

void dls_world_spring_remove(dls_world *w, int index) {
  if (index >= w->n_springs || !w->springs[index].alive) return;
  dls_spring *spring = &w->springs[index];
  spring->alive = false;
  w->bodies[spring->a].bonds--, w->bodies[spring->b].bonds--;
  dls_slots_give(&w->spring_slots, spring->slot);
}

int dls_world_user_contact_slot(const dls_world *w) {
  return dls_slots_next(&w->user_contact_slots);
}

dls_status dls_world_user_contact_add(dls_world *w, const dls_user_contact *user, int *index) {
  dls_slots *slots = &w->user_contact_slots;
  if (w->n_user_contacts == w->user_contact_room && dls_slots_are_sparse(slots, w->n_user_contacts))
    dls_user_contacts_move_up(w);
  dls_status status = room_for(w, (void **)&w->user_contacts, w->n_user_contacts,
                               &w->user_contact_room, sizeof *w->user_contacts);
  if (status == DLS_OK) status = dls_slots_reserve(slots, &w->alloc);
  if (status != DLS_OK) return status;
  const dls_placed begin = dls_slots_begin(slots);
  dls_user_contact *made = &w->user_contacts[w->n_user_contacts];
  *made = *user;
  made->slot = begin.slot, made->generation = begin.generation;
  w->bodies[made->a].bonds++, w->bodies[made->b].bonds++;
  *index = w->n_user_contacts;
  dls_slots_take(slots, w->n_user_contacts++);
  return DLS_OK;
}
