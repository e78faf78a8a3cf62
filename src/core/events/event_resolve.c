/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* of its bound: friction that is off it */
#define RELIEVED (1 - 1e-11)
/* of the largest force: one that does not come to 0 */
#define BEARS 1e-6
/* of the speed of the last impact: what a contact that chatters is kept against */
#define KEPT 4

dls_status dls_event_tell(dls_event_scheme *e, const dls_event_entry *event) {
  e->stats.events++;
  if (!e->logs) return DLS_OK;
  if (e->n_log == e->n_log_room) {
    const int room = e->n_log_room > 0 ? 2 * e->n_log_room : 64;
    void *block = e->log;
    const dls_status status =
        dls_grow(&e->alloc, &block, (size_t)e->n_log_room, (size_t)room, sizeof *e->log);
    if (status != DLS_OK) return status;
    e->log = (dls_event_entry *)block;
    e->n_log_room = room;
  }
  e->log[e->n_log++] = *event;
  const dls_system_def *def = &e->system->def;
  return def->tell != NULL ? def->tell(def->ctx, event->contact, e->t, e->q) : DLS_OK;
}

static dls_status tell_mode(dls_event_scheme *e, double t, dls_event_kind kind, int i) {
  const dls_event_contact *contact = &e->contacts[i];
  const dls_event_entry event = {.t = t, .kind = (int)kind, .contact = i, .mode = contact->mode,
                           .slip = {contact->slip[0], contact->slip[1]}};
  return dls_event_tell(e, &event);
}

dls_status dls_event_tell_limits(dls_event_scheme *e) {
  dls_status status = DLS_OK;
  for (int i = 0; i < e->system->n_contacts && status == DLS_OK; i++) {
    dls_event_contact *contact = &e->contacts[i];
    if (!(contact->limit <= e->t)) continue;
    status = tell_mode(e, contact->limit, DLS_EVENT_ACCUMULATION, i);
    contact->limit = DLS_INF;
  }
  return status;
}

/* Normal velocity up to which contact i counts as at rest: one that chatters is kept where others
** throw it off no faster than four times what came. */
static double rest_of(const dls_event_scheme *e, int i) {
  const dls_event_contact *contact = &e->contacts[i];
  const bool chatters =
      contact->n_brief > DLS_EVENT_BURST && e->t - contact->struck < DLS_EVENT_SHORT * e->opts.dt;
  return dls_max(dls_event_noise(e), chatters ? KEPT * contact->approach : 0);
}

/* Given normal forces that would pull end: whether one does. Those of contacts that close now are 0
** at least. */
static dls_status release(dls_event_scheme *e, const unsigned char *hint, bool *any) {
  const dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  dls_status status = DLS_OK;
  dls_event_group(e);
  dls_event_largest(e, e->lambda, false);
  *any = false;
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
    const int i = w->listed[k], r = s->row[i];
    if (!s->given[r] || hint[i] == DLS_HINT_CLOSE || !(s->wbar[r] > DLS_EVENT_ZERO * w->most[k]))
      continue;
    status = dls_event_open(e, i), *any = true;
  }
  return status;
}

/* What changed between the modes before and now. */
static dls_status tell_changes(dls_event_scheme *e, const unsigned char *hint, int first_log) {
  const dls_system *s = e->system;
  const unsigned char *before = e->scratch->before;
  dls_status status = DLS_OK;
  for (int k = first_log; k < e->n_log; k++) {
    dls_event_entry *event = &e->log[k];
    const dls_event_contact *contact = &e->contacts[event->contact];
    event->mode = contact->mode, event->slip[0] = contact->slip[0],
    event->slip[1] = contact->slip[1];
  }
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
    const int was = before[i], is = e->contacts[i].mode;
    const bool rested = was == DLS_MODE_STICK || was == DLS_MODE_SATURATED;
    const bool rests = is == DLS_MODE_STICK || is == DLS_MODE_SATURATED;
    if (was != is || (is == DLS_MODE_SLIP && !rested)) /* watched anew */
      e->scratch->armed[2 * i] = e->scratch->armed[2 * i + 1] = was == is;
    if (hint[i] == DLS_HINT_STOP) e->scratch->armed[2 * i + 1] = 0;
    const bool struck =
        hint[i] == DLS_HINT_CLOSE || (was == DLS_MODE_OPEN && e->contacts[i].struck == e->t);
    if (struck && is == DLS_MODE_OPEN) e->scratch->armed[2 * i] = 0; /* it was thrown back */
    if (is == DLS_MODE_OPEN) e->contacts[i].limit = DLS_INF;
    if (hint[i] == DLS_HINT_FOUND) continue;
    if (was == DLS_MODE_OPEN && is != DLS_MODE_OPEN)
      status = tell_mode(e, e->t, DLS_EVENT_CONTACT, i);
    else if (was != DLS_MODE_OPEN && is == DLS_MODE_OPEN)
      status = tell_mode(e, e->t, DLS_EVENT_SEPARATION, i);
    else if (is == DLS_MODE_SLIP && (rested || hint[i] == DLS_HINT_STOP)) /* from rest, or back */
      status = tell_mode(e, e->t, DLS_EVENT_SLIP, i);
    else if (rests && was == DLS_MODE_SLIP) status = tell_mode(e, e->t, DLS_EVENT_STICK, i);
  }
  return status;
}

/* Contacts that may bear from now on: those that close, and those that wait at rest. */
static dls_status close_waiting(dls_event_scheme *e, const unsigned char *hint) {
  dls_system *s = e->system;
  for (int i = 0; i < s->n_contacts; i++) {
    dls_event_contact *contact = &e->contacts[i];
    const bool waits = contact->mode == DLS_MODE_OPEN && contact->held < 0;
    e->scratch->before[i] = (unsigned char)contact->mode;
    if (hint[i] != DLS_HINT_CLOSE && !waits) continue;
    double gap;
    dls_status status = dls_system_gap(s, i, e->t, e->q, &gap);
    if (status == DLS_OK) status = dls_system_rows(s, i, e->t, e->q, e->u, false);
    if (status != DLS_OK) return status;
    if (!(gap < DLS_INF)) continue; /* another contact is in its place from here on */
    if (hint[i] != DLS_HINT_CLOSE &&
        (gap > DLS_EVENT_CLOSED || fabs(s->v[s->row[i]]) > dls_event_noise(e)))
      continue;
    contact->mode = DLS_MODE_SLIP, contact->held = s->given[s->row[i]] ? 0 : gap;
    e->scratch->before[i] = DLS_MODE_OPEN;
  }
  return DLS_OK;
}

/* A contact at rest that has come to its bound stays where redundant ones can take its load:
** *done. */
static dls_status relieve(dls_event_scheme *e, const unsigned char *hint, dls_contact_problem *p,
                          bool *done) {
  dls_event_scratch *w = e->scratch;
  bool any = false, solved = false;
  for (int k = 0; k < w->n_listed; k++) any = any || hint[w->listed[k]] == DLS_HINT_SLIP;
  *done = false;
  if (!any || w->n_listed < 2 || w->idle > DLS_EVENT_PATIENCE) return DLS_OK;
  for (int i = 0; i < e->system->n_contacts; i++)
    w->milder[i] = hint[i] == DLS_HINT_SLIP ? (unsigned char)DLS_HINT_STOP : hint[i];
  /* contacts in mode slip without a velocity, since others of their body stick, may stick, too */
  for (int k = 0; k < w->n_listed; k++) {
    const double *v = e->system->v + w->rows[w->first[k]] + 1;
    const bool stands = dls_disk_length(w->n_tangents[k], v) <= dls_event_noise(e);
    if (w->n_tangents[k] > 0 && w->slides[k] && stands) w->milder[w->listed[k]] = DLS_HINT_STOP;
  }
  const dls_status status = dls_event_solve_modes(e, w->milder, p, &solved);
  if (status != DLS_OK || !solved || !dls_event_share(e, p)) return status;
  *done = true;
  for (int k = 0; k < w->n_listed; k++) {
    const double *force = w->x + w->first[k];
    if (hint[w->listed[k]] != DLS_HINT_SLIP) continue;
    *done = *done && dls_disk_length(w->n_tangents[k], force + 1) < RELIEVED * w->mu[k] * force[0];
  }
  return DLS_OK;
}

/* Whether a slip in space begins with a velocity that is not quite 0. */
static bool begins_in_space(const dls_event_scheme *e) {
  const dls_system *s = e->system;
  for (int i = 0; i < s->n_contacts; i++) {
    const double *v = s->v + s->row[i] + 1;
    if (e->contacts[i].mode != DLS_MODE_SLIP || s->n_tangents[i] != 2) continue;
    if (dls_disk_length(2, v) <= 2 * dls_event_noise(e) && (v[0] != 0 || v[1] != 0)) return true;
  }
  return false;
}

/* Where slips leave no accelerations (Painleve): those that an impact without collision would end
** anyway, slower than its nudge, stop; the problem without them. */
static dls_status stop_slow_slips(dls_event_scheme *e, const unsigned char *hint,
                                  dls_contact_problem *p, bool *solved) {
  dls_event_scratch *w = e->scratch;
  bool any = false;
  memcpy(w->milder, hint, (size_t)e->system->n_contacts);
  for (int k = 0; k < w->n_listed; k++) {
    const double *v = e->system->v + w->rows[w->first[k]] + 1;
    if (!w->slides[k] || dls_disk_length(w->n_tangents[k], v) > DLS_EVENT_NUDGE * e->speed)
      continue;
    w->milder[w->listed[k]] = DLS_HINT_STOP, any = true;
  }
  return any ? dls_event_solve_modes(e, w->milder, p, solved) : DLS_OK;
}

/* Those whose force has come to 0 at the instant at which others' modes change: whether they bear
** with these (w->bears). */
static dls_status weigh_detaching(dls_event_scheme *e, const unsigned char *hint) {
  dls_event_scratch *w = e->scratch;
  bool detaches = false, others = false, solved = false;
  memset(w->bears, 0, (size_t)e->system->n_contacts);
  for (int i = 0; i < e->system->n_contacts; i++) {
    detaches = detaches || hint[i] == DLS_HINT_DETACH;
    others =
        others || hint[i] == DLS_HINT_CLOSE || hint[i] == DLS_HINT_STOP || hint[i] == DLS_HINT_SLIP;
  }
  if (!detaches || !others) return DLS_OK;
  dls_contact_problem p;
  dls_status status = dls_event_evaluate(e, e->t, e->q, e->u, true);
  if (status == DLS_OK && w->n_listed > 0) status = dls_event_solve_modes(e, hint, &p, &solved);
  if (solved) dls_event_largest(e, w->x, true);
  for (int k = 0; k < w->n_listed && solved; k++)
    w->bears[w->listed[k]] =
        hint[w->listed[k]] == DLS_HINT_DETACH && w->x[w->first[k]] > BEARS * w->most[k];
  return status;
}

dls_status dls_event_resolve(dls_event_scheme *e, const unsigned char *hint) {
  dls_event_scratch *w = e->scratch;
  dls_system *s = e->system;
  const int first_log = e->n_log;
  bool solved = true;
  dls_status status = close_waiting(e, hint);
  if (status == DLS_OK) status = dls_event_join_resting(e, hint);
  if (status == DLS_OK) status = dls_event_strike_all(e);
  if (status == DLS_OK) status = weigh_detaching(e, hint);
  for (int tries = 0; status == DLS_OK; tries++) {
    bool kept = false, released = false;
    for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
      if (e->contacts[i].mode == DLS_MODE_OPEN) continue;
      if (s->v[s->row[i]] > rest_of(e, i) ||
          (hint[i] == DLS_HINT_DETACH && !w->bears[i] && tries == 0))
        status = dls_event_open(e, i);
      else kept = kept || s->v[s->row[i]] > dls_event_noise(e);
    }
    if (kept && status == DLS_OK) status = dls_event_project(e, false);
    if (status != DLS_OK) break;
    status = dls_event_evaluate(e, e->t, e->q, e->u, true);
    if (status == DLS_OK) status = release(e, hint, &released);
    if (status == DLS_OK && released) status = dls_event_evaluate(e, e->t, e->q, e->u, true);
    if (status != DLS_OK || w->n_listed == 0) break;
    dls_contact_problem p;
    bool relieved;
    status = relieve(e, hint, &p, &relieved);
    if (status == DLS_OK && !relieved) status = dls_event_solve_modes(e, hint, &p, &solved);
    const bool stops = status == DLS_OK && !solved;
    if (stops) status = stop_slow_slips(e, hint, &p, &solved);
    if (status != DLS_OK) break;
    if (solved) {
      if (!relieved) (void)dls_event_share(e, &p);
      status = dls_event_set_modes(e);
      if (stops && status == DLS_OK) status = dls_event_project(e, false);
      break;
    }
    /* No accelerations: an impact without collision, if that is what is wanted. */
    bool moved = false;
    if (!e->opts.impact_where_inconsistent || tries > 0) status = DLS_SINGULAR;
    if (status == DLS_OK) status = dls_event_strike(e, true, DLS_EVENT_NUDGE, NULL, &moved);
    if (status == DLS_OK && !moved) status = DLS_SINGULAR;
    if (status == DLS_OK) e->stats.inconsistent++;
    if (status == DLS_OK) status = dls_event_evaluate(e, e->t, e->q, e->u, true);
  }
  if (status == DLS_OK && begins_in_space(e)) status = dls_event_project(e, true);
  if (status != DLS_OK) return status;
  e->friction_power = dls_event_friction_power(e, e->lambda);
  status = tell_changes(e, hint, first_log);
  e->settled = status == DLS_OK;
  return status;
}
