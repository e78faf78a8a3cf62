/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/world.h"

#include "core/scheme/trees.h"

#include "core/base/dim.h"

/* Skin of the neighbour lists, as a share of half the thickness of the thinnest dynamic body. Wide
** enough to last for some steps (a list costs as much to make as to read twenty times), narrow
** beside the smallest body, for every pair in it is looked at. */
static const double SKIN = 1;

/* About half of what the shape measures across its thinnest side. */
static double thinness(const dls_shape *shape) {
  const double r = shape->radius;
  switch (shape->kind) {
    case DLS_SHAPE_CYLINDER: return dls_min(r, shape->half.x);
    case DLS_SHAPE_CONE: return dls_min(0.5 * (r + shape->radius2), shape->half.x);
    case DLS_SHAPE_BOX: {
      const double least = dls_min(shape->half.x, shape->half.y);
      return shape->dims & DLS_SPATIAL ? dls_min(least, shape->half.z) : least;
    }
    case DLS_SHAPE_DISK: case DLS_SHAPE_SPHERE: case DLS_SHAPE_CAPSULE: return r;
    default: return 0.4 * shape->reach;
  }
}

dls_world_def dls_world_def_default(void) {
  return (dls_world_def){.dim = 3, .dt = 1e-3, .max_iterations = 1000, .seed = 1};
}

/* Makes room for one more element in an array of the world's. */
static dls_status room_for(dls_world *w, void **array, int n, int *room, size_t size) {
  if (n < *room) return DLS_OK;
  int more = *room < 8 ? 8 : *room * 2;
  dls_status status = dls_grow(&w->alloc, array, (size_t)*room, (size_t)more, size);
  if (status == DLS_OK) *room = more;
  return status;
}

static dls_status room_for_body(dls_world *w) {
  int have = w->body_room;
  if (w->n_bodies < have) return DLS_OK;
  size_t old = (size_t)have, more = have < 8 ? 16 : 2 * (size_t)have;
  size_t nq = (size_t)DLS_NQ(w->dim), nu = (size_t)DLS_NU(w->dim);
  dls_body *bodies = dls_new(&w->alloc, more, sizeof(dls_body));
  double *q = dls_new(&w->alloc, more * nq, sizeof(double));
  double *q_before = dls_new(&w->alloc, more * nq, sizeof(double));
  double *u = dls_new(&w->alloc, more * nu, sizeof(double));
  double *load = dls_new(&w->alloc, more * nu, sizeof(double));
  if (!bodies || !q || !q_before || !u || !load) {
    dls_free(&w->alloc, bodies, more, sizeof(dls_body));
    dls_free(&w->alloc, q, more * nq, sizeof(double));
    dls_free(&w->alloc, q_before, more * nq, sizeof(double));
    dls_free(&w->alloc, u, more * nu, sizeof(double));
    dls_free(&w->alloc, load, more * nu, sizeof(double));
    return DLS_NOMEM;
  }
#define MOVE(name, width)                                                      \
  if (w->name) memcpy(name, w->name, old * (width) * sizeof *name);            \
  dls_free(&w->alloc, w->name, old * (width), sizeof *name);                   \
  w->name = name;
  MOVE(bodies, 1)
  MOVE(q, nq)
  MOVE(q_before, nq)
  MOVE(u, nu)
  MOVE(load, nu)
#undef MOVE
  w->body_room = (int)more;
  return DLS_OK;
}

dls_status dls_world_create(dls_world **out, const dls_alloc *alloc, const dls_world_def *def) {
  dls_world *w = dls_new(alloc, 1, sizeof *w);
  if (!w) return DLS_NOMEM;
  w->alloc = *alloc;
  w->dim = def->dim;
  w->dt = def->dt;
  w->theta = def->theta;
  w->impact = def->impact;
  w->solve = (dls_solve_opts){.method = def->solver, .tolerance = def->tolerance,
                              .max_iterations = def->max_iterations};
  w->factor = def->factor;
  w->log = def->log;
  w->strict = def->strict;
  w->random = dls_random_seed((uint64_t)def->seed);
  w->gravity[def->dim - 1] = -9.81;
  if (def->has_gravity) memcpy(w->gravity, def->gravity, sizeof w->gravity);
  if (def->dim == 2) w->gravity[2] = 0;
  w->fault = -1;
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
  FREE(load, (size_t)w->body_room * nu)
  FREE(materials, w->material_room)
  FREE(pairings, w->pairing_room)
  FREE(springs, w->spring_room)
  FREE(ties, w->tie_room)
  FREE(contacts, w->contact_room)
  FREE(contacts_next, w->contact_room)
  FREE(step_events, DLS_STEP_EVENTS * (size_t)w->contact_room)
  FREE(events, w->event_room)
  for (int i = 0; i < w->n_joints; i++)
    dls_free(&alloc, w->joints[i].motions, (size_t)w->joints[i].n_motions, sizeof(dls_motion));
  FREE(joints, w->joint_room)
  FREE(joint_state, w->joint_room)
  FREE(joint_own, 6 * (size_t)w->joint_room)
  FREE(gears, (size_t)w->gear_room)
  FREE(joint_drive, 3 * DLS_MAX_MOTIONS * (size_t)w->joint_room)
#undef FREE
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

/* --- bodies ---------------------------------------------------------------------------------- */

dls_body_def dls_body_def_default(int dim) {
  dls_body_def def = {.type = DLS_DYNAMIC, .mass = -1, .group = 1, .collides = ~(uint32_t)0};
  if (dim == 3) def.rotation[0] = 1;
  return def;
}

/* Mass, centre and inertia (row-major 3 x 3; plane: [0]) of a definition. */
static dls_body_fault weigh(const dls_world *w, const dls_body_def *def, double *mass,
                            double com[3], double inertia[9]) {
  bool planar = w->dim == 2;
  memset(inertia, 0, 9 * sizeof(double));
  memcpy(com, def->com, 3 * sizeof(double));
  *mass = dls_max(def->mass, 0);
  dls_mass body = {0};
  if (def->shape) {
    if (!(def->shape->dims & (planar ? DLS_PLANAR : DLS_SPATIAL))) return DLS_BODY_WRONG_DIM;
    if (def->type == DLS_DYNAMIC && !def->shape->solid) return DLS_BODY_NOT_SOLID;
    dls_shape_mass(def->shape, planar, def->density > 0 ? def->density : 1000, &body);
    if (!def->has_com) dls_v3_store(com, body.centre);
    double scale = def->mass >= 0 && body.mass > 0 ? def->mass / body.mass : 1;
    if (def->mass < 0) *mass = body.mass;
    for (int i = 0; i < 9; i++) inertia[i] = scale * body.inertia.m[i];
    if (planar) {
      inertia[0] = inertia[8];
      memset(inertia + 1, 0, 8 * sizeof(double));
    }
  }
  if (def->has_inertia) {
    const double *I = def->inertia;
    if (planar) inertia[0] = I[0];
    else {
      dls_mat3 full = {{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}};
      memcpy(inertia, full.m, sizeof full.m);
    }
  }
  if (def->type == DLS_DYNAMIC && !(*mass > 0) && !def->massless) return DLS_BODY_NO_MASS;
  return DLS_BODY_GOOD;
}

/* The inverse; of an inertia that is zero (a point), zero: nothing turns it. */
static dls_body_fault invert(int dim, const double inertia[9], double inverse[9]) {
  memset(inverse, 0, 9 * sizeof(double));
  bool zero = true;
  for (int i = 0; i < 9; i++) zero = zero && inertia[i] == 0;
  if (zero) return DLS_BODY_GOOD;
  if (dim == 2) {
    if (!(inertia[0] > 0)) return DLS_BODY_BAD_INERTIA;
    inverse[0] = 1 / inertia[0];
    return DLS_BODY_GOOD;
  }
  dls_mat3 J = dls_m3_load(inertia), out;
  double minor = inertia[0] * inertia[4] - inertia[1] * inertia[1];
  if (!(inertia[0] > 0) || !(minor > 0) || !(dls_m3_det(&J) > 0)) return DLS_BODY_BAD_INERTIA;
  if (!dls_m3_inverse(&J, &out)) return DLS_BODY_BAD_INERTIA;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inverse[3 * i + j] = 0.5 * (out.m[3 * i + j] + out.m[3 * j + i]);
  if (inertia[0] == inertia[4] && inertia[4] == inertia[8] && inertia[1] == 0 &&
      inertia[2] == 0 && inertia[5] == 0)
    for (int i = 0; i < 3; i++) inverse[4 * i] = 1 / inertia[0];
  /* No body has one moment larger than the sum of the others: trace - 2 J must not be negative. */
  dls_mat3 rest = dls_m3_diag(0, 0, 0);
  double trace = inertia[0] + inertia[4] + inertia[8];
  for (int i = 0; i < 9; i++) rest.m[i] = (i % 4 == 0 ? trace * (1 + 1e-9) : 0) - 2 * inertia[i];
  double rest_minor = rest.m[0] * rest.m[4] - rest.m[1] * rest.m[1];
  if (rest.m[0] < 0 || rest_minor < 0 || dls_m3_det(&rest) < 0) return DLS_BODY_BAD_INERTIA;
  return DLS_BODY_GOOD;
}

dls_body_fault dls_body_check(const dls_world *w, const dls_body_def *def) {
  double mass, com[3], inertia[9], inverse[9];
  dls_body_fault fault = weigh(w, def, &mass, com, inertia);
  if (fault != DLS_BODY_GOOD || def->type != DLS_DYNAMIC) return fault;
  fault = invert(w->dim, inertia, inverse);
  /* What overflows is as bad as what is not positive. */
  bool finite_inverse = dls_is_finite(mass) && (mass == 0 || dls_is_finite(1 / mass));
  for (int i = 0; i < 9; i++)
    finite_inverse = finite_inverse && dls_is_finite(inertia[i]) && dls_is_finite(inverse[i]);
  return fault == DLS_BODY_GOOD && !finite_inverse ? DLS_BODY_BAD_INERTIA : fault;
}

static int free_slot(const dls_world *w) {
  for (int i = 1; i < w->n_bodies && w->n_dead > 0; i++)
    if (!w->bodies[i].alive) return i;
  return -1;
}

dls_status dls_world_body_add(dls_world *w, const dls_body_def *def, int *index) {
  dls_body body = {.alive = true, .type = def->type, .material = def->material,
                   .group = def->group, .collides = def->collides, .sensor = def->sensor,
                   .moved = def->moved, .shape = def->shape};
  dls_body_fault fault = weigh(w, def, &body.mass, body.com, body.inertia);
  if (fault == DLS_BODY_GOOD && def->type == DLS_DYNAMIC)
    fault = invert(w->dim, body.inertia, body.inverse);
  if (fault != DLS_BODY_GOOD) return DLS_ARG;
  int i = free_slot(w);
  if (i < 0) {
    dls_status status = room_for_body(w);
    if (status != DLS_OK) return status;
    i = w->n_bodies++;
  } else {
    w->n_dead--;
  }
  double turning = w->dim == 2 ? body.inertia[0]
                               : (body.inertia[0] + body.inertia[4] + body.inertia[8]) / 3;
  body.gyration = body.mass > 0 && turning > 0 ? sqrt(turning / body.mass) : 1;
  body.generation = w->bodies[i].generation + 1;
  if (def->massless && def->type == DLS_DYNAMIC) w->n_massless++;
  body.serial = w->next_serial++;
  if (body.shape) dls_shape_hold(body.shape);
  w->bodies[i] = body;
  int nu = DLS_NU(w->dim), d = w->dim;
  memset(w->load + (size_t)i * (size_t)nu, 0, (size_t)nu * sizeof(double));
  double *u = w->u + (size_t)i * (size_t)nu;
  memcpy(u, def->velocity, (size_t)d * sizeof(double));
  memcpy(u + d, def->angular, (size_t)(nu - d) * sizeof(double));
  dls_body_place(w, i, def->position, def->rotation);
  size_t nq = (size_t)DLS_NQ(d);
  memcpy(w->q_before + (size_t)i * nq, w->q + (size_t)i * nq, nq * sizeof(double));
  if (body.shape) {
    double skin = SKIN * thinness(body.shape);
    if (body.type == DLS_DYNAMIC && (!w->skinned || skin < w->broad.skin)) {
      w->broad.skin = skin;
      w->skinned = true;
    }
    dls_broad_reset(&w->broad);
  }
  if (w->trees) w->trees->stale = true;
  *index = i;
  return DLS_OK;
}

/* Contacts, springs and ties of the body go with it. */
void dls_world_body_remove(dls_world *w, int index) {
  dls_body *body = &w->bodies[index];
  if (!body->alive) return;
  dls_shape_drop(body->shape);
  body->shape = NULL;
  body->alive = false;
  w->n_dead++;
  int kept = 0;
  for (int i = 0; i < w->n_contacts; i++)
    if (w->contacts[i].a != index && w->contacts[i].b != index)
      w->contacts[kept++] = w->contacts[i];
  w->n_contacts = kept;
  for (int i = 0; i < w->n_springs; i++)
    if (w->springs[i].a == index || w->springs[i].b == index) w->springs[i].alive = false;
  for (int i = 0; i < w->n_ties; i++)
    if (w->ties[i].a == index || w->ties[i].b == index) w->ties[i].alive = false;
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].a == index || w->joints[i].b == index) dls_world_joint_remove(w, i);
  if (w->trees) w->trees->stale = true;
  /* A pair's laws go with it: its slot is used again. */
  kept = 0;
  for (int i = 0; i < w->n_pairings; i++) {
    const dls_pairing *p = &w->pairings[i];
    if (!p->of_bodies || (p->a != index && p->b != index)) w->pairings[kept++] = *p;
  }
  w->n_pairings = kept;
  dls_broad_reset(&w->broad);
}
