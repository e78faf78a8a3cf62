/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/press.h"

#include "core/event_world/function_gap.h"
#include "core/math/elementary.h"

bool dls_press_bears(const dls_event_world *x, int i) {
  return dls_smooth_complies(&x->contacts[i]) && x->scheme.contacts[i].mode != DLS_MODE_OPEN;
}

/* c of a contact at a touch. */
static double dashpot_at(const dls_event_world *x, const dls_smooth_contact *contact,
                         const dls_smooth_touch *at) {
  if (!(contact->ratio > 0)) return contact->material.damping;
  double w = at->answer;
  if (!contact->by_function) {
    dls_spatial of[2]; /* the normal row, of the points where bodies touch */
    for (int e = 0; e < 2; e++) {
      const int body = e == 0 ? contact->a : contact->b;
      const bool off = body == contact->off;
      const dls_vec3 arm = dls_v3_sub(off ? at->C : at->C_on, dls_event_motion_of(x, body).centre);
      of[e] = (dls_spatial){dls_v3_cross(arm, at->n), at->n};
    }
    w = dls_touch_answers_alone(x, contact, of);
  }
  return w > 0 ? 2 * contact->ratio * sqrt(contact->material.stiffness / w) : 0;
}

double dls_press_dashpot(const dls_event_world *x, int i) {
  const dls_smooth_contact *contact = &x->contacts[i];
  if (!(contact->ratio > 0)) return contact->material.damping;
  const dls_smooth_touch at = dls_event_world_touch(x, contact);
  return dashpot_at(x, contact, &at);
}

double dls_press_relaxed(const dls_event_world *x, int i, double t) {
  const dls_event_contact *of = &x->scheme.contacts[i];
  if (!(of->held > 0)) return 0;
  const double damping = dls_press_dashpot(x, i);
  if (!(damping > 0)) return 0;
  const double past = dls_max(0, t - of->struck) * x->contacts[i].material.stiffness / damping;
  return past < 700 ? of->held * dls_exp(-past) : 0;
}

double dls_event_world_compression(const dls_event_world *x, int i) {
  const double overlap = dls_max(0, -dls_event_world_touch(x, &x->contacts[i]).gap.gap);
  return dls_press_bears(x, i) ? overlap : dls_max(overlap, dls_press_relaxed(x, i, x->t));
}

static double force_of(const dls_smooth_contact *contact, double dashpot, double gap, double rate) {
  return -contact->material.stiffness * gap - dashpot * rate;
}

/* Of a contact of shapes or a point. */
static dls_press touching(const dls_event_world *x, const dls_smooth_contact *contact,
                          const dls_smooth_touch *at) {
  const double rate = dls_v3_dot(at->n, dls_event_world_slip(x, contact, at));
  const double carried = dls_v3_dot(at->n, dls_touch_carried(x, contact, at));
  const double c = dashpot_at(x, contact, at);
  return (dls_press){.force = force_of(contact, c, at->gap.gap, rate),
                     .rate = rate,
                     .carried = carried,
                     .dashpot = c};
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
  if (status != DLS_OK) return status;
  const double c = dls_press_dashpot(x, i);
  *out = (dls_press){.force = force_of(contact, c, at.gap, at.rate),
                     .rate = at.rate,
                     .carried = at.carried,
                     .dashpot = c};
  return DLS_OK;
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
      if (status == DLS_OK)
        dls_function_push(x, contact, &at,
                          force_of(contact, dls_press_dashpot(x, i), at.gap, at.rate));
      continue;
    }
    const dls_smooth_touch at = dls_event_world_touch(x, contact);
    dls_touch_push(x, contact, &at, dls_v3_scale(touching(x, contact, &at).force, at.n));
  }
  if (*any) x->world->trees->state->loaded = true;
  return status;
}
