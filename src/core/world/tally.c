/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/tally.h"

#include "core/math/quat.h"
#include "core/model/material.h"
#include "core/model/records.h"

static int slot_of(const dls_world *world, int body) { return world->bodies[body].slot; }

/* Whether a body was there when the tally was made. */
static bool knows(const dls_tally *tally, const dls_world *world, int body) {
  const int slot = slot_of(world, body);
  return slot < tally->n_bodies && tally->bodies[slot].known &&
         tally->bodies[slot].generation == world->bodies[body].generation;
}

/* Velocities of now, from which the next step is counted. */
static void keep_velocities(dls_tally *tally, const dls_world *world) {
  const size_t n_u = (size_t)tally->n_u;
  for (int i = 0; i < world->n_bodies; i++) {
    if (!world->bodies[i].alive || !knows(tally, world, i)) continue;
    memcpy(tally->u + n_u * (size_t)slot_of(world, i), world->u + n_u * (size_t)i,
           n_u * sizeof *tally->u);
  }
}

dls_status dls_tally_create(dls_tally **out, const dls_alloc *alloc, const dls_world *world) {
  dls_tally *tally = (dls_tally *)dls_new(alloc, 1, sizeof *tally);
  if (tally == NULL) return DLS_NOMEM;
  tally->alloc = *alloc;
  tally->n_bodies = world->body_slots.n;
  tally->n_u = world->dim == 2 ? 3 : 6;
  const size_t n = (size_t)tally->n_bodies, n_u = (size_t)tally->n_u;
  tally->bodies = (dls_tally_body *)dls_new(alloc, n, sizeof *tally->bodies);
  tally->u = (double *)dls_new(alloc, n * n_u, sizeof *tally->u);
  if (tally->bodies == NULL || tally->u == NULL) {
    dls_tally_destroy(tally);
    return DLS_NOMEM;
  }
  for (int i = 0; i < tally->n_bodies; i++) tally->bodies[i].stiffness = DLS_INF;
  for (int i = 0; i < world->n_bodies; i++) {
    if (!world->bodies[i].alive) continue;
    dls_tally_body *of = &tally->bodies[slot_of(world, i)];
    of->known = true, of->generation = world->bodies[i].generation;
  }
  keep_velocities(tally, world);
  double square = 0;
  for (int i = 0; i < world->dim; i++) square += world->gravity[i] * world->gravity[i];
  tally->least = world->dt * sqrt(square);
  *out = tally;
  return DLS_OK;
}

void dls_tally_destroy(dls_tally *tally) {
  if (tally == NULL) return;
  const dls_alloc alloc = tally->alloc;
  dls_free(&alloc, tally->bodies, (size_t)tally->n_bodies, sizeof *tally->bodies);
  dls_free(&alloc, tally->touched, tally->room_touched, sizeof *tally->touched);
  dls_free(&alloc, tally->u, (size_t)tally->n_bodies * (size_t)tally->n_u, sizeof *tally->u);
  dls_free(&alloc, tally, 1, sizeof *tally);
}

/* n' W n of one body: 1/m + (r x n)' J^-1 (r x n). */
static double give(const dls_world *world, int i, const double point[3], const double n[3]) {
  const dls_body *body = &world->bodies[i];
  if (body->type != DLS_DYNAMIC) return 0;
  if (world->dim == 2) {
    const double *q = world->q + 3 * i;
    const double arm = (point[0] - q[0]) * n[1] - (point[1] - q[1]) * n[0];
    return 1 / body->mass + arm * arm * body->inverse[0];
  }
  const double *q = world->q + 7 * i;
  const dls_vec3 r = dls_v3(point[0] - q[0], point[1] - q[1], point[2] - q[2]);
  const dls_quat turn = {q[3], q[4], q[5], q[6]};
  const dls_vec3 c = dls_q_rotate_back(turn, dls_v3_cross(r, dls_v3(n[0], n[1], n[2])));
  const double *J = body->inverse;
  const dls_vec3 Jc = dls_v3(J[0] * c.x + J[1] * c.y + J[2] * c.z,
                             J[3] * c.x + J[4] * c.y + J[5] * c.z,
                             J[6] * c.x + J[7] * c.y + J[8] * c.z);
  return 1 / body->mass + dls_v3_dot(c, Jc);
}

double dls_contact_mass(const dls_world *world, const dls_contact *contact) {
  const double w = give(world, contact->a, contact->point, contact->normal) +
                   give(world, contact->b, contact->point, contact->normal);
  return w > 0 ? 1 / w : 0;
}

/* Stiffness of two springs in series; infinite where both are. */
static double series(double a, double b) {
  if (!dls_is_finite(a)) return b;
  if (!dls_is_finite(b)) return a;
  return a + b > 0 ? a * b / (a + b) : 0;
}

static void note_collision(dls_tally *tally, const dls_world *world, const dls_contact *c) {
  dls_tally_body *a = &tally->bodies[slot_of(world, c->a)],
                 *b = &tally->bodies[slot_of(world, c->b)];
  const double mass = dls_contact_mass(world, c), speed = -c->before;
  const double k = series(a->stiffness, b->stiffness);
  const double force = dls_is_finite(k) ? speed * sqrt(k * mass) : 0;
  tally->collisions++;
  a->collisions++;
  b->collisions++;
  a->peak_force = dls_max(a->peak_force, force);
  b->peak_force = dls_max(b->peak_force, force);
  dls_spread_add(&tally->energy, mass * speed * speed / 2);
  if (dls_is_finite(k)) dls_spread_add(&tally->force, force);
}

static dls_vec3 vector(const dls_world *world, const double *x) {
  return dls_v3(x[0], x[1], world->dim == 3 ? x[2] : 0);
}

/* Twice the mean velocity of a body at a point in the step, and twice its mean rate of turning. */
static dls_vec3 mean_velocity(const dls_tally *tally, const dls_world *world, int i, dls_vec3 point,
                              dls_vec3 *turning) {
  const int n_u = tally->n_u, n_q = world->dim == 2 ? 3 : 7;
  const bool moves = world->bodies[i].type == DLS_DYNAMIC;
  const double *after = world->u + n_u * i,
               *before = moves ? tally->u + n_u * slot_of(world, i) : after;
  const double *q = world->q_before + n_q * i;
  const dls_vec3 centre = dls_v3_axpy(vector(world, q), tally->lead, vector(world, before));
  const dls_vec3 w_before = n_u == 3 ? dls_v3(0, 0, before[2]) : dls_v3_load(before + 3);
  const dls_vec3 w_after = n_u == 3 ? dls_v3(0, 0, after[2]) : dls_v3_load(after + 3);
  *turning = dls_v3_add(w_before, w_after);
  return dls_v3_add(dls_v3_add(vector(world, before), vector(world, after)),
                    dls_v3_cross(*turning, dls_v3_sub(point, centre)));
}

/* What the contact dissipated in the step, at its point: halfway between two bodies that move, and
** on the one that does where the other does not. */
static double dissipated(const dls_tally *tally, const dls_world *world, const dls_contact *c) {
  const dls_vec3 n = dls_v3_load(c->normal), point = dls_v3_load(c->point);
  dls_vec3 w_a, w_b;
  const dls_vec3 v_a = mean_velocity(tally, world, c->a, point, &w_a);
  const dls_vec3 v_b = mean_velocity(tally, world, c->b, point, &w_b);
  const dls_vec3 v = dls_v3_sub(v_b, v_a), w = dls_v3_sub(w_b, w_a);
  const dls_vec3 torque = world->dim == 2 ? dls_v3(0, 0, c->torque[0]) : dls_v3_load(c->torque);
  double work = -dls_v3_dot(dls_v3_load(c->impulse), v) / 2 - dls_v3_dot(torque, w) / 2;
  if (c->x != 0 || c->x_before != 0) work += c->p_n * dls_v3_dot(n, v) / 2;
  return work;
}

static void note_work(dls_tally *tally, const dls_world *world, const dls_contact *c) {
  const bool a_moves = world->bodies[c->a].type == DLS_DYNAMIC;
  const bool b_moves = world->bodies[c->b].type == DLS_DYNAMIC;
  const double work = dissipated(tally, world, c);
  const double share = a_moves && b_moves ? work / 2 : work;
  tally->work += work;
  if (a_moves) tally->bodies[slot_of(world, c->a)].work += share;
  if (b_moves) tally->bodies[slot_of(world, c->b)].work += share;
}

/* --- who touched whom, and when --------------------------------------------------------------- */

typedef struct dls_touched touched;

static uint64_t pair_of(const dls_world *world, const dls_contact *c) {
  return 1 + (((uint64_t)(uint32_t)slot_of(world, c->a) << 32) | (uint32_t)slot_of(world, c->b));
}

/* The place of a pair, or the free one where it would stand. */
static touched *find_pair(touched *table, size_t room, uint64_t pair) {
  size_t i = (size_t)((pair * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (room - 1);
  while (table[i].pair != 0 && table[i].pair != pair) i = (i + 1) & (room - 1);
  return &table[i];
}

/* Room for n pairs more; those that touched too long ago to matter are left behind. */
static dls_status make_room(dls_tally *tally, int n, double now) {
  if (2 * (tally->n_touched + (size_t)n) <= tally->room_touched) return DLS_OK;
  size_t kept = (size_t)n, room = 64;
  for (size_t i = 0; i < tally->room_touched; i++)
    kept += tally->touched[i].pair != 0 && now - tally->touched[i].t <= tally->merge;
  while (room < 4 * kept) room *= 2;
  touched *table = dls_new(&tally->alloc, room, sizeof *table);
  if (!table) return DLS_NOMEM;
  tally->n_touched = kept - (size_t)n;
  for (size_t i = 0; i < tally->room_touched; i++) {
    const touched *old = &tally->touched[i];
    if (old->pair != 0 && now - old->t <= tally->merge) *find_pair(table, room, old->pair) = *old;
  }
  dls_free(&tally->alloc, tally->touched, tally->room_touched, sizeof *table);
  tally->touched = table;
  tally->room_touched = room;
  return DLS_OK;
}

static bool counts(const dls_tally *tally, const dls_world *world, const dls_contact *c) {
  return c->listed && knows(tally, world, c->a) && knows(tally, world, c->b);
}

/* All pairs that press in this step have touched now. */
static void note_touches(dls_tally *tally, const dls_world *world) {
  const dls_contact *contacts = dls_world_contacts(world);
  for (int k = 0; k < world->n_contacts; k++) {
    const dls_contact *c = &contacts[k];
    if (!counts(tally, world, c) || !(c->p_n > 0)) continue;
    touched *place = find_pair(tally->touched, tally->room_touched, pair_of(world, c));
    if (place->pair == 0) tally->n_touched++;
    *place = (touched){pair_of(world, c), world->time};
  }
}

static bool is_new(const dls_tally *tally, const dls_world *world, uint64_t pair) {
  const touched *place = find_pair(tally->touched, tally->room_touched, pair);
  return place->pair == 0 || world->time - place->t > tally->merge;
}

/* Onsets of the step, pair by pair: events stand in the order of contacts, those of a pair
** together. */
static void note_collisions(dls_tally *tally, const dls_world *world) {
  const dls_contact *hardest = NULL;
  double most = 0;
  dls_world_changes(world);
  for (int k = 0; k < world->n_event_marks; k++) {
    const dls_event_mark *e = &world->event_marks[k];
    if (e->kind != DLS_EVENT_IMPACT || e->contact < 0) continue;
    const dls_contact *c = &world->contacts[e->contact];
    if (!(-c->before > tally->least)) continue;
    if (!counts(tally, world, c) || !is_new(tally, world, pair_of(world, c))) continue;
    if (hardest && pair_of(world, hardest) != pair_of(world, c)) {
      note_collision(tally, world, hardest);
      hardest = NULL;
    }
    const double energy = dls_contact_mass(world, c) * c->before * c->before;
    if (!hardest || energy > most) hardest = c, most = energy;
  }
  if (hardest) note_collision(tally, world, hardest);
}

dls_status dls_tally_skip(dls_tally *tally, const dls_world *world) {
  dls_status status = make_room(tally, world->n_contacts, world->time);
  if (status != DLS_OK) return status;
  note_touches(tally, world);
  keep_velocities(tally, world);
  return DLS_OK;
}

dls_status dls_tally_add(dls_tally *tally, const dls_world *world) {
  dls_status status = make_room(tally, world->n_contacts, world->time);
  if (status != DLS_OK) return status;
  /* Contacts are found at q + (1 - theta) h u (core/scheme/time_stepping.h). */
  tally->lead = (1 - dls_world_theta(world)) * world->dt;
  const dls_contact *contacts = dls_world_contacts(world);
  for (int k = 0; k < world->n_contacts; k++) {
    const dls_contact *c = &contacts[k];
    if (counts(tally, world, c) && c->p_n != 0) note_work(tally, world, c);
  }
  note_collisions(tally, world);
  tally->steps++;
  tally->penetration = dls_max(tally->penetration, world->stats.penetration);
  tally->residual = dls_max(tally->residual, world->stats.residual);
  return dls_tally_skip(tally, world);
}
