/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/material.h"

#include "core/math/elementary.h"
#include "core/model/contact_law.h"

dls_material dls_material_default(void) {
  return (dls_material){.friction = 0.5, .kinetic = 0.5, .stiffness = DLS_INF};
}

/* 1/(1/a + 1/b), the same to the bit in either order; infinity adds nothing. */
static double in_series(double a, double b) {
  const double less = dls_min(a, b), more = dls_max(a, b);
  return less > 0 && more < DLS_INF ? less / (1 + less / more) : less;
}

double dls_friction_mean(double a, double b) { return a == b ? a : sqrt(a * b); }

static bool varies(const dls_material *m) { return m->law > 0 || m->kinetic != m->friction; }

/* Friction that varies with the slip speed is averaged at each speed; equal laws are one. */
static void combine_friction(const dls_material *a, const dls_material *b, dls_material *m) {
  if (!varies(a) && !varies(b)) {
    m->friction = m->kinetic = dls_friction_mean(a->friction, b->friction);
    return;
  }
  if (a->law == b->law && a->friction == b->friction && a->kinetic == b->kinetic &&
      a->decay == b->decay)
    return;
  /* the first one varies */
  const dls_material *first = varies(a) ? a : b, *second = varies(a) ? b : a;
  m->friction = first->friction, m->kinetic = first->kinetic, m->decay = first->decay,
  m->law = first->law;
  m->friction2 = second->friction, m->kinetic2 = second->kinetic, m->decay2 = second->decay,
  m->law2 = second->law;
  m->mixed = true;
}

/* Springs in series, equal or not: k = ka kb / (ka + kb). Dampers stand beside them: a rigid side
** adds nothing, so that its damping does not count; two soft sides have c = ca cb / (ca + cb). */
dls_material dls_material_combine(const dls_material *a, const dls_material *b) {
  dls_material m = *a;
  combine_friction(a, b, &m);
  m.restitution = dls_min(a->restitution, b->restitution);
  m.rolling = dls_max(a->rolling, b->rolling);
  m.spinning = dls_max(a->spinning, b->spinning);
  m.tangential_restitution = dls_min(a->tangential_restitution, b->tangential_restitution);
  m.stiffness = in_series(a->stiffness, b->stiffness);
  if (!(a->stiffness < DLS_INF) && b->stiffness < DLS_INF) m.damping = b->damping;
  else if (!(b->stiffness < DLS_INF) && a->stiffness < DLS_INF) m.damping = a->damping;
  else m.damping = in_series(a->damping, b->damping);
  return m;
}

/* Where the pairing of two stands in the table, or the free place where it would. */
static int *find_pairing(const dls_world *w, bool of_bodies, int a, int b) {
  const uint32_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a),
                 last = (uint32_t)w->pair_room - 1;
  const uint64_t word = ((uint64_t)high << 32 | low) * 2 + of_bodies;
  for (uint32_t i = (uint32_t)(word * UINT64_C(0x9E3779B97F4A7C15) >> 32) & last;;
       i = (i + 1) & last) {
    const int k = w->pair_table[i];
    if (k == 0) return &w->pair_table[i];
    const dls_pairing *p = &w->pairings[k - 1];
    if (p->of_bodies == of_bodies && ((p->a == a && p->b == b) || (p->a == b && p->b == a)))
      return &w->pair_table[i];
  }
}

int dls_pairing_find(const dls_world *w, bool of_bodies, int a, int b) {
  return w->n_pairings > 0 ? *find_pairing(w, of_bodies, a, b) - 1 : -1;
}

static void list_pairing(dls_world *w, int i) {
  const dls_pairing *p = &w->pairings[i];
  *find_pairing(w, p->of_bodies, p->a, p->b) = i + 1;
  w->n_soft_pairings += p->material.stiffness < DLS_INF;
}

void dls_pairing_add(dls_world *w) { list_pairing(w, w->n_pairings - 1); }

void dls_pairings_list(dls_world *w) {
  w->n_soft_pairings = 0;
  if (w->pair_room > 0) memset(w->pair_table, 0, (size_t)w->pair_room * sizeof *w->pair_table);
  for (int i = 0; i < w->n_pairings; i++) list_pairing(w, i);
}

/* One of bodies goes before one of their materials. */
static const dls_pairing *pairing_of(const dls_world *world, int a, int b) {
  int found = dls_pairing_find(world, true, a, b);
  if (found < 0)
    found = dls_pairing_find(world, false, world->bodies[a].material, world->bodies[b].material);
  return found >= 0 ? &world->pairings[found] : NULL;
}

dls_material dls_world_material(const dls_world *world, int a, int b) {
  const dls_material *m_a = &world->materials[world->bodies[a].material];
  const dls_material *m_b = &world->materials[world->bodies[b].material];
  const dls_pairing *paired = pairing_of(world, a, b);
  if (paired) return paired->material;
  return dls_material_combine(m_a, m_b);
}

dls_status dls_friction_at(dls_world *w, const dls_material *m, double speed, double *mu) {
  dls_status status = DLS_OK;
  *mu = dls_law_friction(m->friction, m->kinetic, m->decay, speed);
  if (m->law > 0 && w->hooks.friction) status = w->hooks.friction(w->hooks.ud, m->law, speed, mu);
  if (status != DLS_OK || !m->mixed) return status;
  double other = dls_law_friction(m->friction2, m->kinetic2, m->decay2, speed);
  if (m->law2 > 0 && w->hooks.friction)
    status = w->hooks.friction(w->hooks.ud, m->law2, speed, &other);
  *mu = dls_friction_mean(*mu, other);
  return status;
}

bool dls_world_is_compliant(const dls_world *world) {
  for (int i = 0; i < world->n_materials; i++)
    if (world->materials[i].stiffness < DLS_INF) return true;
  if (world->n_soft_pairings > 0) return true;
  for (int i = 0; i < world->n_user_contacts; i++)
    if (world->user_contacts[i].material.stiffness < DLS_INF) return true;
  return false;
}

double dls_world_theta(const dls_world *world) {
  if (world->semi_implicit) return 1;
  if (world->theta > 0) return world->theta;
  if (!dls_world_is_compliant(world)) return 0.5;
  for (int i = 0; i < world->n_bodies; i++) {
    const dls_body *body = &world->bodies[i];
    if (body->alive && body->shape && world->materials[body->material].stiffness < DLS_INF)
      return 1;
  }
  if (world->n_soft_pairings > 0) return 1;
  for (int i = 0; i < world->n_user_contacts; i++)
    if (world->user_contacts[i].alive && world->user_contacts[i].material.stiffness < DLS_INF)
      return 1;
  return 0.5;
}

static double restitution_of(double zeta) {
  if (zeta < 1) {
    double a = dls_asin(zeta);
    return dls_exp(-(DLS_PI - 2 * a) * dls_tan(a));
  }
  if (zeta == 1) return dls_exp(-2);
  double r = sqrt(zeta * zeta - 1);
  return dls_exp(-(zeta / r) * 2 * dls_log(zeta + r));
}

double dls_damping_ratio(double e) {
  if (!(e < 1)) return 0;
  double lo = 0, hi = 1;
  while (hi < 1e6 && restitution_of(hi) > e) hi *= 2;
  for (int i = 0; i < 80; i++) {
    double middle = 0.5 * (lo + hi);
    if (middle == lo || middle == hi) break;
    if (restitution_of(middle) > e) lo = middle;
    else hi = middle;
  }
  return 0.5 * (lo + hi);
}

static double known_ratio(dls_damping_ratios *known, double e) {
  uint64_t bits;
  memcpy(&bits, &e, sizeof bits);
  const size_t place = (size_t)(bits * 0x9e3779b97f4a7c15u >> 32) % DLS_RATIOS;
  if (known->e[place] != e) known->zeta[place] = dls_damping_ratio(e), known->e[place] = e;
  return known->zeta[place];
}

double dls_restitution_dashpot(dls_world *world, const dls_material *m, double w) {
  return w > 0 ? 2 * known_ratio(&world->ratios, m->restitution) * sqrt(m->stiffness / w) : 0;
}
