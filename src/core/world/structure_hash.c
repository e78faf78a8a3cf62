/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/world.h"

#include "core/base/hash.h"
#include "core/world/state.h"

/* The hash of the model: what a world was built of, by which snapshots know their own. */

static void hash_material(dls_hash *h, const dls_material *m) {
  const double values[] = {m->friction, m->kinetic, m->decay, m->restitution, m->stiffness,
                           m->damping, m->rolling, m->spinning, m->tangential_restitution};
  dls_hash_doubles(h, values, sizeof values / sizeof *values);
  dls_hash_int(h, m->law > 0); /* which function nobody can tell */
  if (!m->mixed) return;
  const double second[] = {m->friction2, m->kinetic2, m->decay2};
  dls_hash_doubles(h, second, 3);
  dls_hash_int(h, m->law2 > 0);
}

static void hash_shape(dls_hash *h, const dls_shape *s) {
  dls_hash_int(h, s ? (int)s->kind : -1);
  if (!s) return;
  const double values[] = {s->radius, s->radius2, s->half.x, s->half.y, s->half.z, s->normal.x,
                           s->normal.y, s->normal.z, s->offset, s->lifters.height,
                           s->lifters.width};
  dls_hash_doubles(h, values, sizeof values / sizeof *values);
  dls_hash_int(h, s->lifters.count);
  dls_hash_int(h, s->ends);
  dls_hash_int(h, s->n_points);
  dls_hash_bytes(h, s->points, (size_t)s->n_points * sizeof *s->points);
  if (s->kind == DLS_SHAPE_MESH) /* of others the points tell the faces */
    dls_hash_bytes(h, s->face_points, (size_t)s->n_face_points * sizeof *s->face_points);
  for (int i = 0; i < s->n_children; i++) { /* compounds hold no compounds: one level */
    const dls_child *child = &s->children[i];
    dls_hash_int(h, (int)child->shape->kind);
    dls_hash_double(h, child->shape->radius);
    dls_hash_double(h, child->shape->radius2);
    dls_hash_double(h, child->shape->half.x);
    if (child->shape->kind == DLS_SHAPE_ELLIPSOID) {
      dls_hash_double(h, child->shape->half.y);
      dls_hash_double(h, child->shape->half.z);
    }
    dls_hash_bytes(h, child->shape->points,
                   (size_t)child->shape->n_points * sizeof *child->shape->points);
    dls_hash_bytes(h, &child->pose2, sizeof child->pose2);
    dls_hash_bytes(h, &child->pose3, sizeof child->pose3);
  }
}

/* Materials in use have ranks in the order in which bodies, then pairs, name them first; the
** default has 0. */
static void rank_materials(const dls_world *w) {
  int n = 0;
  for (int i = 0; i < w->n_materials; i++) w->materials[i].rank = -1;
  w->materials[0].rank = n++;
  for (int i = 0; i < w->n_bodies; i++) {
    int *rank = &w->materials[w->bodies[i].material].rank;
    if (w->bodies[i].alive && *rank < 0) *rank = n++;
  }
  for (int i = 0; i < 2 * w->n_pairings; i++) {
    const dls_pairing *pairing = &w->pairings[i / 2];
    if (pairing->of_bodies) continue;
    int *rank = &w->materials[i % 2 ? pairing->b : pairing->a].rank;
    if (*rank < 0) *rank = n++;
  }
}

/* Those that have the next rank. */
static void hash_next_material(dls_hash *h, const dls_material *m, int *next) {
  if (m->rank != *next) return;
  hash_material(h, m);
  (*next)++;
}

static void hash_materials(dls_hash *h, const dls_world *w) {
  int next = 0;
  hash_next_material(h, &w->materials[0], &next);
  for (int i = 0; i < w->n_bodies; i++)
    if (w->bodies[i].alive) hash_next_material(h, &w->materials[w->bodies[i].material], &next);
  for (int i = 0; i < w->n_pairings; i++) {
    const dls_pairing *pairing = &w->pairings[i];
    if (pairing->of_bodies) continue;
    hash_next_material(h, &w->materials[pairing->a], &next);
    hash_next_material(h, &w->materials[pairing->b], &next);
  }
}

static void hash_body(dls_hash *h, const dls_world *w, const dls_body *body) {
  if (!body->alive) return;
  dls_hash_int(h, body->alive);
  dls_hash_int(h, body->type);
  dls_hash_double(h, body->mass);
  dls_hash_doubles(h, body->inertia, 9);
  dls_hash_doubles(h, body->com, 3);
  hash_shape(h, body->shape);
  dls_hash_int(h, w->materials[body->material].rank);
  dls_hash_int(h, body->group);
  dls_hash_int(h, body->collides);
  dls_hash_int(h, body->sensor);
  dls_hash_int(h, body->moved);
}

static void hash_place(dls_hash *h, const dls_place *T) {
  dls_hash_doubles(h, T->R.m, 9);
  dls_hash_double(h, T->p.x);
  dls_hash_double(h, T->p.y);
  dls_hash_double(h, T->p.z);
}

static void hash_joint(dls_hash *h, const dls_joint *j) {
  const int words[] = {j->kind,   j->formulation, j->a,        j->b,
                       j->turned, j->n_motions,   j->n_limits, j->motor.kind};
  if (!j->alive) return;
  dls_hash_int(h, j->alive);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) dls_hash_int(h, words[i]);
  hash_place(h, &j->on_a);
  hash_place(h, &j->on_b);
  for (int i = 0; i < j->n_motions; i++) {
    const dls_motion *m = &j->motions[i];
    dls_hash_int(h, (int)m->kind);
    dls_hash_int(h, m->drive);
    dls_hash_doubles(h, m->axis, 3);
    dls_hash_doubles(h, m->linear, 3);
    dls_hash_double(h, m->rotor);
  }
  const double values[] = {j->stiffness, j->damping, j->friction, j->lo[0], j->lo[1], j->hi[0],
                           j->hi[1], j->cone, j->twist[0], j->twist[1]};
  dls_hash_doubles(h, values, sizeof values / sizeof *values);
  if (j->formulation != DLS_PENALTY) return;
  const dls_gain_def *g = &j->gains;
  const double gains[] = {g->alpha, g->beta, g->alpha_rotation, g->beta_rotation, g->limit_alpha,
                          g->limit_beta};
  dls_hash_int(h, g->gains);
  dls_hash_int(h, j->penalty.published);
  dls_hash_doubles(h, gains, sizeof gains / sizeof *gains);
}

uint64_t dls_world_structure(const dls_world *w) {
  dls_hash h = dls_hash_start();
  rank_materials(w);
  dls_hash_int(&h, w->dim);
  if (w->event_driven) dls_hash_int(&h, 1);
  dls_hash_int(&h, w->n_bodies - w->body_slots.n_gaps);
  for (int i = 0; i < w->n_bodies; i++) hash_body(&h, w, &w->bodies[i]);
  hash_materials(&h, w);
  for (int i = 0; i < w->n_pairings; i++) {
    const dls_pairing *pairing = &w->pairings[i];
    dls_hash_int(&h, pairing->of_bodies);
    dls_hash_int(&h, pairing->of_bodies ? pairing->a : w->materials[pairing->a].rank);
    dls_hash_int(&h, pairing->of_bodies ? pairing->b : w->materials[pairing->b].rank);
    hash_material(&h, &pairing->material);
  }
  for (int i = 0; i < w->n_springs; i++) {
    const dls_spring *s = &w->springs[i];
    if (!s->alive) continue;
    dls_hash_int(&h, s->alive);
    dls_hash_int(&h, s->a);
    dls_hash_int(&h, s->b);
    dls_hash_doubles(&h, s->anchor_a, 3);
    dls_hash_doubles(&h, s->anchor_b, 3);
    const double values[] = {s->stiffness, s->damping, s->length};
    dls_hash_doubles(&h, values, 3);
  }
  for (int i = 0; i < w->n_user_contacts; i++) {
    const dls_user_contact *t = &w->user_contacts[i];
    if (!t->alive) continue;
    dls_hash_int(&h, t->alive);
    dls_hash_int(&h, t->kind);
    dls_hash_int(&h, t->a);
    dls_hash_int(&h, t->b);
    dls_hash_doubles(&h, t->point_a, 3);
    dls_hash_doubles(&h, t->point_b, 3);
    dls_hash_doubles(&h, t->normal, 3);
    dls_hash_double(&h, t->length);
    hash_material(&h, &t->material);
  }
  for (int i = 0; i < w->n_joints; i++) hash_joint(&h, &w->joints[i]);
  for (int i = 0; i < w->n_gears; i++) {
    const dls_gear *g = &w->gears[i];
    if (!g->alive) continue;
    dls_hash_int(&h, g->alive);
    dls_hash_int(&h, g->joint[0]);
    dls_hash_int(&h, g->joint[1]);
    dls_hash_double(&h, g->ratio);
    dls_hash_double(&h, g->rest);
  }
  return dls_hash_digest(&h);
}
