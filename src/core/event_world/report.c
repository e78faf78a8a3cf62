/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/report.h"

#include "core/event_world/press.h"
#include "core/joints/penalties.h"
#include "core/model/material.h"
#include "core/model/records.h"

/* Whether a gap is a contact of the step: closed at its end, or struck within it. */
static bool is_listed(const dls_event_world *x, int i) {
  const dls_event_scheme *e = &x->scheme;
  if (x->contacts[i].joint >= 0) return false;
  return e->contacts[i].mode != DLS_MODE_OPEN || e->impulse[x->system.row[i]] > 0;
}

/* Whether all there is of it is the compression of its node. */
static bool is_memory(const dls_event_world *x, int i) {
  static const double RELAXED = 1e-12; /* of the smaller body */
  const dls_smooth_contact *contact = &x->contacts[i];
  if (!dls_smooth_complies(contact) || is_listed(x, i) || !(x->scheme.contacts[i].held > 0))
    return false;
  return dls_event_world_compression(x, i) > RELAXED * contact->size;
}

int dls_event_world_count(const dls_event_world *x) {
  int n = 0;
  for (int i = 0; i < x->n; i++) n += is_listed(x, i) || is_memory(x, i);
  return n;
}

/* An impulse, or a force, of a contact on b. */
static dls_vec3 on_b(const dls_smooth_contact *contact, const dls_smooth_touch *at, int m,
                     const double *p) {
  dls_vec3 sum = dls_v3_scale(p[0], at->n);
  if (m > 1) sum = dls_v3_axpy(sum, p[1], at->t1);
  if (m > 2) sum = dls_v3_axpy(sum, p[2], at->t2);
  return contact->off == contact->b ? sum : dls_v3_neg(sum);
}

static dls_status list_one(dls_event_world *x, int i, dls_contact *c) {
  dls_world *w = x->world;
  const dls_event_scheme *e = &x->scheme;
  const dls_smooth_contact *contact = &x->contacts[i];
  const int r = x->system.row[i], m = 1 + x->system.n_tangents[i], mode = e->contacts[i].mode;
  double gap;
  dls_status status = dls_system_gap(&x->system, i, e->t, e->q, &gap);
  if (status == DLS_OK) status = dls_event_world_move(x, e->t, e->q, e->u);
  if (status != DLS_OK) return status;
  const dls_smooth_touch at = dls_event_world_touch(x, contact);
  const bool forth = contact->off == contact->b;
  dls_vec3 v = dls_event_world_slip(x, contact, &at);
  memset(c, 0, sizeof *c); /* what lies between the fields is hashed too */
  c->key = contact->user >= 0 ? 0 : contact->key, c->a = contact->a, c->b = contact->b,
  c->user = contact->user;
  const bool complies = dls_smooth_complies(contact);
  c->listed = is_listed(x, i), c->held = mode != DLS_MODE_OPEN && !complies;
  const double v_n = dls_v3_dot(v, at.n);
  c->slip = dls_v3_norm(dls_v3_axpy(v, -v_n, at.n));
  const bool rests =
      mode == DLS_MODE_STICK || mode == DLS_MODE_SATURATED || !(c->slip > dls_event_noise(e));
  c->state = mode == DLS_MODE_OPEN ? DLS_APART : rests ? DLS_STICK : DLS_SLIP;
  dls_v3_store(c->point, at.C);
  dls_v3_store(c->normal, forth ? at.n : dls_v3_neg(at.n));
  dls_v3_store(c->velocity, forth ? v : dls_v3_neg(v));
  c->gap = at.gap.gap;
  c->p_n = e->impulse[r];
  dls_v3_store(c->impulse, on_b(contact, &at, m, e->impulse + r));
  for (int k = 0; k < e->n_log; k++)
    if (e->log[k].contact == i && e->log[k].kind == DLS_EVENT_IMPACT)
      c->before = dls_min(c->before, e->log[k].velocity);
  c->size = contact->size;
  if (complies) c->x = dls_event_world_compression(x, i), c->damping = dls_press_dashpot(x, i);
  w->stats.unknowns += c->listed ? m : 0;
  if (!complies) w->worst.penetration = dls_max(w->worst.penetration, -c->gap / c->size);
  if (!complies) w->stats.penetration = dls_max(w->stats.penetration, -c->gap / c->size);
  return dls_friction_at(w, &contact->material, rests ? 0 : c->slip, &c->mu);
}

/* Where the contact was, at the time of the event. */
dls_status dls_event_world_note(void *ctx, int i, double t, const double *q) {
  dls_event_world *x = ctx;
  dls_world *w = x->world;
  if (x->n_told == x->told_room) {
    const int room = x->told_room > 0 ? 2 * x->told_room : 16;
    void *block = x->told;
    const dls_status status =
        dls_grow(&x->alloc, &block, (size_t)x->told_room, (size_t)room, sizeof *x->told);
    if (status != DLS_OK) return status;
    x->told = block, x->told_room = room;
  }
  const dls_smooth_contact *contact = &x->contacts[i];
  dls_event *event = &x->told[x->n_told++];
  memset(event, 0, sizeof *event);
  event->a = contact->a, event->b = contact->b, event->user = contact->user;
  event->of_a = w->bodies[event->a].generation, event->of_b = w->bodies[event->b].generation;
  event->of_user = event->user >= 0 ? w->user_contacts[event->user].generation : 0;
  event->key = contact->user >= 0 ? 0 : contact->key;
  if (contact->joint >= 0) return DLS_OK;
  double gap;
  dls_status status = dls_event_world_place(x, t, q);
  if (status == DLS_OK) status = dls_system_gap(&x->system, i, t, q, &gap);
  if (status != DLS_OK) return status;
  const dls_smooth_touch at = dls_event_world_touch(x, contact);
  const int m = 1 + x->system.n_tangents[i];
  const bool forth = contact->off == contact->b;
  dls_v3_store(event->point, at.C);
  dls_v3_store(event->normal, forth ? at.n : dls_v3_neg(at.n));
  dls_v3_store(event->push, on_b(contact, &at, m, x->scheme.log[x->scheme.n_log - 1].impulse));
  event->gap = at.gap.gap;
  return DLS_OK;
}

static void finish_events(dls_event_world *x) {
  const dls_event_scheme *e = &x->scheme;
  for (int k = 0; k < x->n_told; k++) {
    const dls_event_entry *entry = &e->log[k];
    dls_event *event = &x->told[k];
    const bool rests = entry->mode == DLS_MODE_STICK || entry->mode == DLS_MODE_SATURATED;
    event->t = entry->t, event->kind = entry->kind;
    event->state = entry->mode == DLS_MODE_OPEN ? DLS_APART : rests ? DLS_STICK : DLS_SLIP;
    event->impulse = entry->impulse[0], event->speed = entry->velocity;
    event->contact = x->place[entry->contact];
    if (entry->kind == DLS_EVENT_IMPACT && entry->velocity < 0) x->world->impacts++;
  }
  /* by time: limits of impacts lie behind what comes before them */
  for (int k = 1; k < x->n_told; k++) {
    const dls_event event = x->told[k];
    int at = k;
    for (; at > 0 && x->told[at - 1].t > event.t; at--) x->told[at] = x->told[at - 1];
    x->told[at] = event;
  }
}

dls_status dls_event_world_list(dls_event_world *x) {
  dls_world *w = x->world;
  const dls_event_scheme *e = &x->scheme;
  const bool reacts = w->trees->n_reduced > 0 || x->holds.room > 0 || dls_penalties_used(w);
  dls_status status = reacts ? dls_event_world_react(x, e->lambda) : DLS_OK;
  int n = 0, listed = 0;
  w->stats = (dls_stats){.residual = e->stats.residual, .iterations = (int)e->stats.steps,
                         .pivots = (int)e->stats.problems, .curbed = e->stats.curbed};
  for (int i = 0; i < x->n && status == DLS_OK; i++) {
    x->place[i] = -1;
    if (!is_listed(x, i) && !is_memory(x, i)) continue;
    status = list_one(x, i, &w->contacts_next[n]);
    listed += w->contacts_next[n].listed;
    x->place[i] = n++;
  }
  if (status != DLS_OK) return status;
  w->stats.contacts = listed;
  w->worst.residual = dls_max(w->worst.residual, w->stats.residual);
  finish_events(x);
  dls_contact *before = w->contacts;
  w->contacts = w->contacts_next, w->contacts_next = before;
  const dls_warm_columns warm = w->warm;
  w->warm = w->warm_next, w->warm_next = warm;
  for (int k = 0; k < n; k++) { /* how old: of the same contact before */
    dls_contact *c = &w->contacts[k];
    for (int j = 0; j < w->n_contacts; j++)
      if (dls_contacts_order(&before[j], c) == 0)
        c->age = before[j].age < DLS_OLDEST ? before[j].age + 1 : DLS_OLDEST;
  }
  w->n_contacts = n;
  dls_records_changed(w);
  return DLS_OK;
}
