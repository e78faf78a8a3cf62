/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/disks.h"

#include "core/model/body.h"

/* Rigid, with Coulomb's friction alone. */
static inline bool is_coulomb(const dls_material *m) {
  return (m->law <= 0) & !(m->stiffness < DLS_INF) & !(m->rolling > 0) &
         (m->kinetic == m->friction) & (m->friction > 0);
}

/* What the last material answered. */
typedef struct law_seen {
  int material; /* -1: none was asked */
  bool rigid, coulomb; /* without stiffness; friction is one number */
} law_seen;

static int law_of(const dls_world *w, const dls_body *body, bool lone, law_seen *seen) {
  if (body->material != seen->material) {
    const dls_material *m = &w->materials[body->material];
    const bool known = (w->n_pairings == 0) & (w->n_joints == 0) & !(m->stiffness < DLS_INF);
    *seen =
        (law_seen){body->material, known, known && is_coulomb(m) && w->impact == DLS_IMPACT_NEWTON};
  }
  if (!(body->disk_radius > 0) || body->sensor || !seen->rigid) return DLS_DISKS_LAW_ANY;
  return lone && seen->coulomb ? body->material : DLS_DISKS_LAW_RIGID;
}

void dls_disks_know(dls_world *w) {
  dls_columns *c = &w->columns;
  if (c->known && c->pairings == w->n_pairings && c->joints == w->n_joints &&
      c->impact == w->impact)
    return;
  law_seen seen = {.material = -1};
  c->known = c->rigid = true, c->filtered = false, c->n_general = 0;
  c->narrowest = DLS_INF, c->longest = 0;
  c->pairings = w->n_pairings, c->joints = w->n_joints, c->impact = w->impact;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    const bool free = dls_moves_freely(body), shaped = body->alive && body->shape;
    const double round = shaped ? body->disk_radius : 0;
    const double m = free ? 1 / body->mass : 0, turn = free ? body->inverse[0] : 0;
    c->radius[i] = round;
    c->inverse[3 * (size_t)i] = c->inverse[3 * (size_t)i + 1] = c->inv_mass[i] = m;
    c->inverse[3 * (size_t)i + 2] = c->inv_inertia[i] = turn;
    c->mass[i] = free ? body->mass : 0, c->inertia[i] = free ? body->inertia[0] : 0;
    c->law[i] = shaped ? law_of(w, body, m > 0, &seen) : DLS_DISKS_LAW_ANY;
    c->rigid &= !(round > 0) | (c->law[i] > DLS_DISKS_LAW_ANY);
    c->idle[i] = !free;
    c->filtered |= shaped && ((body->group != 1) | (body->collides != ~(uint32_t)0));
    if (!free || !(round > 0)) c->general[c->n_general++] = i;
    if (shaped) c->narrowest = dls_min(c->narrowest, body->shape->narrowest);
    if (shaped && free) c->longest = dls_max(c->longest, dls_longest_of(body));
  }
}
