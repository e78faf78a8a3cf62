/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/press.h"

#include "core/event_world/function_gap.h"
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

static double force_of(const dls_smooth_contact *contact, double gap, double rate) {
  return -contact->material.stiffness * gap - contact->material.damping * rate;
}

/* Of a contact of shapes or a point. */
static dls_press touching(const dls_event_world *x, const dls_smooth_contact *contact, const dls_smooth_touch *at) {
  const double rate = dls_v3_dot(at->n, dls_event_world_slip(x, contact, at));
  const double carried = dls_v3_dot(at->n, dls_touch_carried(x, contact, at));
  return (dls_press){.force = force_of(contact, at->gap.gap, rate), .rate = rate, .carried = carried};
}

dls_status dls_press_look(dls_event_world *x, int i, dls_press *out) {
  const dls_smooth_contact *contact = &x->contacts[i];
  if (!contact->by_function) {
    const dls_smooth_touch at = dls_event_world_touch(x, contact);
    *out = touching(x, contact, &at);
    return DLS_OK;
  }
  dls_function_sight at;
  const dls_status status = dls_function_see(x, i, &at);
  if (status == DLS_OK)
    *out = (dls_press){.force = force_of(contact, at.gap, at.rate), .rate = at.rate, .carried = at.carried};
  return status;
}

bool dls_press_is_as_before(const dls_event_world *x) {
  for (int i = 0; i < x->n; i++)
    if (x->bears[i] != dls_press_bears(x, i)) return false;
  return true;
}

dls_status dls_press_add(dls_event_world *x, bool *any) {
  dls_status status = DLS_OK;
  *any = false;
  for (int i = 0; i < x->n && status == DLS_OK; i++) {
    const dls_smooth_contact *contact = &x->contacts[i];
    x->bears[i] = dls_press_bears(x, i);
    if (!x->bears[i]) continue;
    *any = true;
    if (contact->by_function) {
      dls_function_sight at;
      status = dls_function_see(x, i, &at);
      if (status == DLS_OK) dls_function_push(x, contact, &at, force_of(contact, at.gap, at.rate));
      continue;
    }
    const dls_smooth_touch at = dls_event_world_touch(x, contact);
    dls_touch_push(x, contact, &at, dls_v3_scale(touching(x, contact, &at).force, at.n));
  }
  if (*any) x->world->trees->state->loaded = true;
  return status;
}
