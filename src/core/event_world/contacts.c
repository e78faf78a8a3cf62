/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/contacts.h"

#include "core/joints/penalties.h"
#include "core/joints/trees.h"
#include "core/model/material.h"

typedef struct list {
  dls_smooth_contact *out; /* room */
  int room, n; /* of out; listed, which may be more */
  dls_event_refusal *refusal; /* why a pair cannot be followed */
  int *a, *b; /* bodies of that pair */
} list;

static dls_status refuse(const list *l, dls_event_refusal why, int a, int b) {
  *l->refusal = why, *l->a = a, *l->b = b;
  return DLS_ARG;
}

static void add(list *l, const dls_smooth_contact *contact) {
  if (l->n < l->room) {
    l->out[l->n] = *contact;
    if (dls_restitution_damps(&contact->material)) l->out[l->n].material.damping = 0;
  }
  l->n++;
}

/* Whether two bodies have shapes that may touch. */
static bool may_touch(const dls_world *w, int a, int b) {
  const dls_body *x = &w->bodies[a], *y = &w->bodies[b];
  if (!x->alive || !y->alive || x->shape == NULL || y->shape == NULL || x->sensor || y->sensor)
    return false;
  if (x->type != DLS_DYNAMIC && y->type != DLS_DYNAMIC) return false;
  if ((x->collides & y->group) == 0 || (y->collides & x->group) == 0) return false;
  return !dls_are_joined(w, a, b);
}

static dls_status check_material(const list *l, const dls_material *m, bool special, int a, int b) {
  if (m->rolling > 0 || m->spinning > 0) return refuse(l, DLS_EVENTS_ROLLING, a, b);
  if (m->stiffness < DLS_INF && special) return refuse(l, DLS_EVENTS_COMPLIANT, a, b);
  return DLS_OK;
}

/* zeta of a compliant contact whose restitution stands for its damper. */
static double ratio_of(const dls_material *m) {
  return m->stiffness < DLS_INF && dls_restitution_damps(m) ? dls_damping_ratio(m->restitution) : 0;
}

static dls_status add_shapes(const dls_world *w, list *l, int a, int b) {
  const dls_shape *x = w->bodies[a].shape, *y = w->bodies[b].shape;
  if (!dls_shapes_are_smooth(w->dim, x, y)) return refuse(l, DLS_EVENTS_SHAPES, a, b);
  dls_smooth_contact contact = {
      .a = a, .b = b, .user = -1, .joint = -1, .material = dls_world_material(w, a, b)};
  const double girth_x = dls_shape_girth(x), girth_y = dls_shape_girth(y);
  contact.size = x->bounded && y->bounded ? dls_min(girth_x, girth_y)
                 : x->bounded             ? girth_x
                                          : girth_y;
  bool axes = false;
  for (int k = 0; !axes && dls_smooth_pair_of(w->dim, x, y, k, &contact.pair); k++)
    axes = contact.pair.crosses || contact.pair.ends;
  const dls_status status = check_material(l, &contact.material, axes, a, b);
  if (status != DLS_OK) return status;
  contact.ratio = ratio_of(&contact.material);
  for (int k = 0; dls_smooth_pair_of(w->dim, x, y, k, &contact.pair); k++) {
    contact.on = contact.pair.swapped ? b : a, contact.off = contact.pair.swapped ? a : b;
    contact.key = (uint64_t)k + 1;
    add(l, &contact);
  }
  return DLS_OK;
}

/* A point against a plane, a rope: the plane's or the rope's end is the surface. */
static dls_status add_user_contact(const dls_world *w, list *l, int index) {
  const dls_user_contact *user = &w->user_contacts[index];
  dls_smooth_contact contact = {.a = user->a, .b = user->b, .on = user->a, .off = user->b,
                                .user = index, .joint = -1, .material = user->material, .size = 1,
                                .ratio = ratio_of(&user->material)};
  const dls_status status = check_material(l, &user->material, false, user->a, user->b);
  if (status != DLS_OK) return status;
  const dls_vec3 on_a = dls_v3_add(dls_v3_load(user->point_a), dls_v3_load(w->bodies[user->a].com));
  contact.pair.centre = dls_v3_add(dls_v3_load(user->point_b), dls_v3_load(w->bodies[user->b].com));
  contact.by_function = user->kind == DLS_USER_GAP;
  if (user->kind == DLS_USER_POINT) {
    const dls_vec3 n = dls_v3_load(user->normal);
    contact.pair.surface =
        (dls_surface){.kind = DLS_SURFACE_HALF, .n = n, .offset = dls_v3_dot(n, on_a)};
  } else if (user->kind == DLS_USER_ROPE) {
    contact.pair.surface =
        (dls_surface){.kind = DLS_SURFACE_HOLLOW, .radius = user->length, .centre = on_a};
  }
  add(l, &contact);
  return DLS_OK;
}

static void add_friction(list *l, const dls_joint *j, int index, int k, bool drives) {
  const dls_smooth_contact contact = {.a = j->a, .b = j->b, .on = -1, .off = -1, .user = -1,
                                      .joint = index, .limit = k, .rubs = !drives, .drives = drives,
                                      .material = {.stiffness = DLS_INF}};
  add(l, &contact);
}

static void add_limit(list *l, const dls_joint *j, int index, int k, bool upper, double bound) {
  const dls_smooth_contact contact = {.a = j->a, .b = j->b, .on = -1, .off = -1, .user = -1,
                                      .joint = index, .limit = k, .upper = upper,
                                      .material = {.stiffness = DLS_INF}};
  if (fabs(bound) < DLS_INF) add(l, &contact);
}

static void add_joint(const dls_world *w, list *l, int index) {
  const dls_joint *j = &w->joints[index];
  const bool drives = j->motor.kind == DLS_MOTOR_SPEED && j->motor.most > 0,
             holds = dls_motor_holds(&j->motor);
  for (int k = 0; k < j->nu && j->friction > 0; k++) add_friction(l, j, index, k, false);
  if (drives && !holds) add_friction(l, j, index, 0, true);
  if (j->formulation == DLS_PENALTY) return; /* its limits are forces */
  /* of a driven joint the coordinate is given */
  for (int k = 0; k < j->n_limits && k < j->nu; k++) {
    add_limit(l, j, index, k, false, j->lo[k]);
    add_limit(l, j, index, k, true, j->hi[k]);
  }
  if (j->kind != DLS_KIND_SPHERICAL) return;
  add_limit(l, j, index, 0, false, j->cone);
  add_limit(l, j, index, 1, false, j->twist[0]), add_limit(l, j, index, 1, true, j->twist[1]);
}

dls_status dls_smooth_contacts(const dls_world *w, dls_smooth_contact *out, int room, int *n,
                               dls_event_refusal *refusal, int *a, int *b) {
  list l = {.out = out, .room = room, .refusal = refusal, .a = a, .b = b};
  dls_status status = DLS_OK;
  for (int i = 0; i < w->n_user_contacts && status == DLS_OK; i++)
    if (w->user_contacts[i].alive) status = add_user_contact(w, &l, i);
  for (int i = 0; i < w->n_bodies; i++)
    for (int j = i + 1; j < w->n_bodies && status == DLS_OK; j++)
      if (may_touch(w, i, j)) status = add_shapes(w, &l, i, j);
  for (int i = 0; i < w->n_joints && status == DLS_OK; i++)
    if (w->joints[i].alive) add_joint(w, &l, i);
  *n = l.n;
  return status;
}
