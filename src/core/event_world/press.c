/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/press.h"

#include "core/math/elementary.h"

bool dls_press_bears(const dls_event_world *x, int i) {
  return dls_smooth_complies(&x->contacts[i]) && x->scheme.contacts[i].mode != DLS_MODE_OPEN;
}

double dls_press_relaxed(const dls_event_world *x, int i, double t) {
  const dls_event_contact *of = &x->scheme.contacts[i];
  const dls_material *m = &x->contacts[i].material;
  if (!(of->held > 0) || !(m->damping > 0)) return 0;
  const double past = dls_max(0, t - of->struck) * m->stiffness / m->damping;
  return past < 700 ? of->held * dls_exp(-past) : 0;
}

double dls_event_world_compression(const dls_event_world *x, int i) {
  const double overlap = dls_max(0, -dls_event_world_touch(x, &x->contacts[i]).gap.gap);
  return dls_press_bears(x, i) ? overlap : dls_max(overlap, dls_press_relaxed(x, i, x->t));
}

double dls_press_force(const dls_event_world *x, const dls_smooth_contact *contact, const dls_smooth_touch *at) {
  const double rate = dls_v3_dot(at->n, dls_event_world_slip(x, contact, at));
  return -contact->material.stiffness * at->gap.gap - contact->material.damping * rate;
}

bool dls_press_is_as_before(const dls_event_world *x) {
  for (int i = 0; i < x->n; i++)
    if (x->bears[i] != dls_press_bears(x, i)) return false;
  return true;
}

bool dls_press_add(dls_event_world *x) {
  bool any = false;
  for (int i = 0; i < x->n; i++) {
    x->bears[i] = dls_press_bears(x, i);
    if (!x->bears[i]) continue;
    const dls_smooth_touch at = dls_event_world_touch(x, &x->contacts[i]);
    dls_touch_push(x, &x->contacts[i], &at, dls_v3_scale(dls_press_force(x, &x->contacts[i], &at), at.n));
    any = true;
  }
  if (any) x->world->trees->state->loaded = true;
  return any;
}
