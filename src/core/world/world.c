/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/world.h"

#include "core/scheme/trees.h"

#include "core/base/dim.h"

dls_world_def dls_world_def_default(void) {
  return (dls_world_def){.dim = 3, .dt = 1e-3, .max_iterations = 1000, .seed = 1,
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
  w->log = def->log;
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
  dls_status status = dls_broad_create(&w->broad, alloc, def->dim, 1);
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

void dls_world_destroy(dls_world *w) {
  if (!w) return;
  dls_alloc alloc = w->alloc;
  size_t nq = (size_t)DLS_NQ(w->dim), nu = (size_t)DLS_NU(w->dim);
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
  FREE(springs, w->spring_room)
  FREE(ties, w->tie_room)
  FREE(contacts, w->contact_room)
  FREE(contacts_next, w->contact_room)
  dls_brief_free(&w->brief, &alloc, w->dim == 2 ? w->contact_room : 0);
  dls_brief_free(&w->brief_next, &alloc, w->dim == 2 ? w->contact_room : 0);
  FREE(notices, DLS_STEP_EVENTS * (size_t)w->contact_room)
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
  dls_free(&alloc, w->columns.block, DLS_COLUMNS * (size_t)w->body_room, sizeof(double));
  dls_trees_destroy(w);
  dls_free(&alloc, w->undo, w->undo_room, 1);
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
  dls_status status = room_for(w, (void **)&w->materials, w->n_materials, &w->material_room,
                               sizeof *w->materials);
  if (status != DLS_OK) return status;
  *index = w->n_materials;
  w->materials[w->n_materials++] = *material;
  return DLS_OK;
}

dls_status dls_world_pair(dls_world *w, const dls_pairing *pairing) {
  dls_status status = room_for(w, (void **)&w->pairings, w->n_pairings, &w->pairing_room,
                               sizeof *w->pairings);
  if (status == DLS_OK) w->pairings[w->n_pairings++] = *pairing;
  return status;
}

dls_status dls_world_spring_add(dls_world *w, const dls_spring *spring, int *index) {
  dls_status status =
      room_for(w, (void **)&w->springs, w->n_springs, &w->spring_room, sizeof *w->springs);
  if (status != DLS_OK) return status;
  *index = w->n_springs;
  w->springs[w->n_springs++] = *spring;
  return DLS_OK;
}

dls_status dls_world_tie_add(dls_world *w, const dls_tie *tie, int *index) {
  dls_status status =
      room_for(w, (void **)&w->ties, w->n_ties, &w->tie_room, sizeof *w->ties);
  if (status != DLS_OK) return status;
  *index = w->n_ties;
  w->ties[w->n_ties++] = *tie;
  return DLS_OK;
}
