/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/tally.h"

#include "core/math/quat.h"

dls_status dls_tally_create(dls_tally **out, const dls_alloc *alloc, const dls_world *world) {
  dls_tally *tally = (dls_tally *)dls_new(alloc, 1, sizeof *tally);
  if (tally == NULL) return DLS_NOMEM;
  tally->alloc = *alloc;
  tally->n_bodies = world->n_bodies;
  tally->bodies = (dls_tally_body *)dls_new(alloc, (size_t)world->n_bodies, sizeof *tally->bodies);
  if (tally->bodies == NULL) {
    dls_tally_destroy(tally);
    return DLS_NOMEM;
  }
  for (int i = 0; i < tally->n_bodies; i++) tally->bodies[i].stiffness = DLS_INF;
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
  dls_tally_body *a = &tally->bodies[c->a], *b = &tally->bodies[c->b];
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

/* What the contact dissipated in the step: normal part with both velocities, tangential with the
** velocity after, against which friction acts. */
static double dissipated(const dls_contact *c, int dim) {
  double normal_after = 0, total_after = 0;
  for (int i = 0; i < dim; i++) {
    normal_after += c->normal[i] * c->velocity[i];
    total_after += c->impulse[i] * c->velocity[i];
  }
  return c->p_n * normal_after - total_after - c->p_n * (c->before + normal_after) / 2;
}

static void note_work(dls_tally *tally, const dls_world *world, const dls_contact *c) {
  const bool a_moves = world->bodies[c->a].type == DLS_DYNAMIC;
  const bool b_moves = world->bodies[c->b].type == DLS_DYNAMIC;
  const double work = dissipated(c, world->dim), share = a_moves && b_moves ? work / 2 : work;
  tally->work += work;
  if (a_moves) tally->bodies[c->a].work += share;
  if (b_moves) tally->bodies[c->b].work += share;
}

void dls_tally_add(dls_tally *tally, const dls_world *world) {
  for (int k = 0; k < world->n_contacts; k++) {
    const dls_contact *c = &world->contacts[k];
    if (!c->listed || c->a >= tally->n_bodies || c->b >= tally->n_bodies) continue;
    if (c->age == 0 && -c->before > tally->least) note_collision(tally, world, c);
    if (c->p_n != 0) note_work(tally, world, c);
  }
  tally->steps++;
  tally->penetration = dls_max(tally->penetration, world->stats.penetration);
  tally->residual = dls_max(tally->residual, world->stats.residual);
}
