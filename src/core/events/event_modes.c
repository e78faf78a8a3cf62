/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

#define ZERO 1e-9          /* of the largest force: none                                                          */
#define DEPENDENT 1e-9     /* of G_tt: a row that the other equations already determine                            */
#define REPEATS 100        /* impacts at one instant before the rest is resolved at once with e = 0                */
#define ROUND 1e-12        /* of the largest impulse: none                                                         */
#define SHORT 1e-3         /* of dt: flights between impacts that may be summed up                                 */
#define RELIEVED (1 - 1e-9) /* of its bound: friction that is off it                                              */
#define KEPT 4             /* of the speed of the last impact: what a contact that chatters is kept against        */
#define PATIENCE 10        /* events without progress in time after which none is relieved                         */
#define BURST 20           /* impacts of a contact in a row after such flights: then its restitution ends          */

dls_status dls_event_tell(dls_event_scheme *e, const dls_event_entry *event) {
  e->stats.events++;
  if (!e->logs) return DLS_OK;
  if (e->n_log == e->n_log_room) {
    const int room = e->n_log_room > 0 ? 2 * e->n_log_room : 64;
    void *block = e->log;
    const dls_status status = dls_grow(&e->alloc, &block, (size_t)e->n_log_room, (size_t)room, sizeof *e->log);
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

/* The set of closed contacts as a problem; G, rows from evaluate. */
static dls_contact_problem problem_of_set(const dls_event_scheme *e) {
  const dls_event_scratch *w = e->scratch;
  return (dls_contact_problem){.n = w->n_listed, .n_rows = w->n_rows, .row = w->first, .n_tangents = w->n_tangents,
                               .G = w->G, .c = w->c, .mu = w->mu, .corners = e->opts.corners};
}

/* --- impacts ---------------------------------------------------------------------------------- */

/* Restitution of the set in this impact: none where `none`, for contacts whose flights have become a geometric series
** (w->limit is when their impacts end), and for those that chatter. */
static void choose_restitution(dls_event_scheme *e, bool none) {
  dls_event_scratch *w = e->scratch;
  const double brief = SHORT * e->opts.dt, noise = dls_event_noise(e);
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k];
    dls_event_contact *contact = &e->contacts[i];
    w->limit[k] = DLS_INF;
    w->e_N[k] = none ? 0 : e->system->e_N[i];
    w->e_T[k] = none ? 0 : e->system->e_T[i];
    if (none || !(e->system->v[e->system->row[i]] < -noise)) continue;
    const double flight = e->t - contact->last_impact, before = contact->flight;
    const bool series = flight > 0 && flight < brief && flight < before && before < DLS_INF;
    const bool burst = contact->n_brief > BURST && e->t - contact->struck < brief;
    contact->last_impact = e->t;
    contact->flight = flight > 0 && flight < DLS_INF ? flight : DLS_INF;
    if ((!series && !burst) || !(w->e_N[k] > 0)) continue;
    const double ratio = series ? flight / before : 0;
    w->limit[k] = e->t + flight * ratio / (1 - ratio) * (series ? 1 : 0);
    w->e_N[k] = w->e_T[k] = 0;
    contact->flight = DLS_INF;
  }
}

/* Who had a part in the impact: counts those that follow each other shortly. */
static void count_impacts(dls_event_scheme *e, const double *before, double largest) {
  const dls_event_scratch *w = e->scratch;
  double approach = 0;
  for (int k = 0; k < w->n_listed; k++) approach = dls_max(approach, -before[w->first[k]]);
  for (int k = 0; k < w->n_listed; k++) {
    dls_event_contact *contact = &e->contacts[w->listed[k]];
    const double since = e->t - contact->struck;
    if (!(w->x[w->first[k]] > ROUND * largest)) continue;
    if (since > 0) contact->n_brief = since < SHORT * e->opts.dt ? contact->n_brief + 1 : 0;
    contact->struck = e->t, contact->approach = approach;
  }
}

static double kinetic_change(const dls_event_scratch *w, const double *before, const double *after) {
  double sum = 0;
  for (int r = 0; r < w->n_rows; r++) sum += 0.5 * w->x[r] * (before[r] + after[r]);
  return sum;
}

/* Friction of the set in an impact: that of rest. */
static dls_status rest_friction(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  dls_status status = DLS_OK;
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
    w->mu[k] = 0;
    if (w->n_tangents[k] > 0)
      status = e->system->def.friction(e->system->def.ctx, w->listed[k], -1, &w->mu[k]);
  }
  return status;
}

/* One impact of the set: u, log, statistics. nudge: approach added to contacts at rest normally, m/s. */
static dls_status strike(dls_event_scheme *e, bool none, double nudge, double *impulses, bool *moved) {
  dls_event_scratch *w = e->scratch;
  dls_system *s = e->system;
  const double noise = dls_event_noise(e);
  dls_status status = rest_friction(e);
  if (status != DLS_OK) return status;
  choose_restitution(e, none);
  double *before = w->b;
  for (int r = 0; r < w->n_rows; r++) before[r] = s->v[w->rows[r]];
  for (int k = 0; k < w->n_listed; k++)
    if (fabs(before[w->first[k]]) <= noise && !s->given[w->rows[w->first[k]]]) before[w->first[k]] -= nudge;
  const dls_impact_problem p = {.contacts = problem_of_set(e), .before = before, .e_N = w->e_N, .e_T = w->e_T,
                                .law = none ? DLS_IMPACT_NEWTON : e->opts.impact};
  dls_impact_report report;
  status = dls_impact_solve(&p, &e->tmp, w->x, w->a, &report);
  if (status != DLS_OK) return status;
  e->stats.problems += report.n_solved;
  e->stats.residual = dls_max(e->stats.residual, report.residual);
  if (report.outcome != DLS_SOLVED) return DLS_SINGULAR;
  const double change = kinetic_change(w, before, w->a);
  double largest = 0;
  for (int r = 0; r < w->n_rows; r++) largest = dls_max(largest, fabs(w->x[r]));
  count_impacts(e, before, largest);
  e->stats.impacts++;
  e->stats.dissipated -= change;
  e->stats.gained = dls_max(e->stats.gained, change);
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
    const int r = w->first[k], d = w->n_tangents[k];
    dls_event_entry event = {.t = e->t, .kind = DLS_EVENT_IMPACT, .contact = w->listed[k], .velocity = before[r]};
    for (int j = 0; j <= d; j++) {
      event.impulse[j] = w->x[r + j];
      e->impulse[w->rows[r + j]] += w->x[r + j];
      if (impulses != NULL) impulses[w->rows[r + j]] += w->x[r + j];
    }
    *moved = *moved || w->x[r] > 0;
    if (w->x[r] > ROUND * largest || before[r] < -noise) status = dls_event_tell(e, &event);
    for (int j = 0; j <= d; j++)
      for (int l = 0; l < s->n; l++)
        e->u[l] += w->x[r + j] * dls_system_response(s, w->rows[r + j])[l];
    if (w->limit[k] < DLS_INF && status == DLS_OK) {
      const dls_event_entry limit = {.t = w->limit[k], .kind = DLS_EVENT_ACCUMULATION, .contact = w->listed[k]};
      status = dls_event_tell(e, &limit);
    }
    if (report.collapsed && k == 0 && status == DLS_OK) {
      event.kind = DLS_EVENT_COLLAPSED;
      status = dls_event_tell(e, &event);
    }
  }
  return status;
}

dls_status dls_event_strike(dls_event_scheme *e, bool none, double nudge, double *impulses, bool *moved) {
  const dls_event_scratch *w = e->scratch;
  if (impulses != NULL) memset(impulses, 0, (size_t)e->system->n_rows * sizeof *impulses);
  const dls_status status = dls_event_evaluate(e, e->t, e->q, e->u, false);
  if (status != DLS_OK || w->n_listed == 0) return status;
  double speed = 0;
  for (int r = 0; r < w->n_rows; r++) speed = dls_max(speed, fabs(e->system->v[w->rows[r]]));
  return strike(e, none, nudge * speed, impulses, moved);
}

/* Impacts until no closed contact approaches. */
static dls_status strike_all(dls_event_scheme *e) {
  const dls_event_scratch *w = e->scratch;
  for (int repeat = 0;; repeat++) {
    dls_status status = dls_event_evaluate(e, e->t, e->q, e->u, false);
    if (status != DLS_OK) return status;
    const double noise = dls_event_noise(e);
    bool approaches = false, moved = false;
    for (int k = 0; k < w->n_listed; k++)
      approaches = approaches || e->system->v[w->rows[w->first[k]]] < -noise;
    if (!approaches) return DLS_OK;
    if (repeat > REPEATS) return DLS_STATE;
    status = strike(e, repeat == REPEATS, 0, NULL, &moved);
    if (status != DLS_OK) return status;
  }
}

/* Normal velocity up to which contact i counts as at rest: one that chatters is kept where others throw it off no
** faster than four times what came. */
static double rest_of(const dls_event_scheme *e, int i) {
  const dls_event_contact *contact = &e->contacts[i];
  const bool chatters = contact->n_brief > BURST && e->t - contact->struck < SHORT * e->opts.dt;
  return dls_max(dls_event_noise(e), chatters ? KEPT * contact->approach : 0);
}

static dls_status open(dls_event_scheme *e, int i) {
  dls_system *s = e->system;
  dls_event_contact *contact = &e->contacts[i];
  double gap = 0;
  if (s->given[s->row[i]]) {
    const dls_status status = dls_system_gap(s, i, e->t, e->q, &gap);
    if (status != DLS_OK) return status;
    contact->struck = e->t;
  }
  contact->mode = DLS_MODE_OPEN, contact->held = dls_max(-gap, 0);
  for (int k = 0; k <= s->n_tangents[i]; k++) e->lambda[s->row[i] + k] = 0;
  return DLS_OK;
}

/* Given normal forces that would pull end: whether one does. Those of contacts that close now are 0 at least. */
static dls_status release(dls_event_scheme *e, const unsigned char *hint, bool *any) {
  const dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  double largest = 0;
  for (int r = 0; r < s->n_rows; r++) largest = dls_max(largest, fabs(e->lambda[r]));
  dls_status status = DLS_OK;
  *any = false;
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
    const int i = w->listed[k], r = s->row[i];
    if (!s->given[r] || hint[i] == DLS_HINT_CLOSE || !(s->wbar[r] > ZERO * largest)) continue;
    status = open(e, i), *any = true;
  }
  return status;
}

/* --- modes ------------------------------------------------------------------------------------ */

/* Against which friction contact k of the set slides: with its velocity, or with its hint or at its bound against the
** last force. Answers whether it does. */
static bool slip_direction(const dls_event_scheme *e, const unsigned char *hint, int k, double *slip) {
  const dls_event_scratch *w = e->scratch;
  const int i = w->listed[k], d = w->n_tangents[k], r = w->rows[w->first[k]];
  const dls_event_contact *contact = &e->contacts[i];
  const double *v = e->system->v + r + 1, *force = w->now + r + 1;
  slip[0] = slip[1] = 0;
  if (d == 0) return false;
  if (hint != NULL && hint[i] == DLS_HINT_SLIP) {
    const double size = dls_disk_length(d, force);
    for (int j = 0; j < d; j++) slip[j] = size > 0 ? -force[j] / size : 0;
    return size > 0;
  }
  if (hint != NULL && hint[i] == DLS_HINT_STOP) return false;
  const double size = dls_disk_length(d, v);
  if (size > dls_event_noise(e)) {
    for (int j = 0; j < d; j++) slip[j] = v[j] / size;
    return true;
  }
  if (contact->mode != DLS_MODE_SATURATED) return false;
  for (int j = 0; j < d; j++) slip[j] = contact->slip[j];
  return true;
}

dls_status dls_event_pose(dls_event_scheme *e, const unsigned char *hint, dls_contact_problem *p) {
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k];
    const double *v = s->v + w->rows[w->first[k]] + 1;
    w->slides[k] = slip_direction(e, hint, k, w->slip + 2 * k);
    w->mu[k] = 0;
    if (w->n_tangents[k] == 0) continue;
    double speed = -1;
    if (w->slides[k]) {
      speed = 0;
      for (int j = 0; j < w->n_tangents[k]; j++) speed += v[j] * w->slip[2 * k + j];
      speed = speed > dls_event_noise(e) ? speed : 0;
    }
    const dls_status status = s->def.friction(s->def.ctx, i, speed, &w->mu[k]);
    if (status != DLS_OK) return status;
  }
  for (int a = 0; a < w->n_rows; a++) {
    const int r = w->rows[a];
    w->c[a] = s->wbar[r];
    for (int j = 0; j < s->n; j++) w->c[a] += dls_system_row(s, r)[j] * s->smooth[j];
  }
  *p = problem_of_set(e);
  p->slides = w->slides, p->slip = w->slip;
  return DLS_OK;
}

static dls_status solve(dls_event_scheme *e, const dls_contact_problem *p, bool *solved) {
  dls_event_scratch *w = e->scratch;
  dls_contact_report report;
  const dls_status status = dls_contact_solve(p, &e->tmp, w->x, w->a, &report);
  if (status != DLS_OK) return status;
  e->stats.problems++;
  *solved = report.outcome == DLS_SOLVED;
  if (*solved) e->stats.residual = dls_max(e->stats.residual, report.residual);
  return DLS_OK;
}

/* Solves; contacts that begin to slip do so with mu(0+), those that were to slip and would turn back adhere. */
static dls_status solve_modes(dls_event_scheme *e, const unsigned char *hint, dls_contact_problem *p, bool *solved) {
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  dls_status status = dls_event_pose(e, hint, p);
  if (status == DLS_OK) status = solve(e, p, solved);
  for (int round = 0; round < 2 && status == DLS_OK && *solved; round++) {
    const double none = dls_event_none(w), noise = dls_event_noise(e);
    bool changed = false;
    for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
      const int i = w->listed[k], d = w->n_tangents[k], r = w->first[k];
      const double *a = w->a + r + 1, *v = s->v + w->rows[r] + 1;
      double along = 0, moving = 0, mu = w->mu[k];
      if (d == 0 || !(w->x[r] > 0)) continue;
      for (int j = 0; j < d; j++) along += a[j] * w->slip[2 * k + j], moving += v[j] * w->slip[2 * k + j];
      if (w->slides[k] && !(fabs(moving) > noise) && along < -none) { /* to slip, but turns back */
        w->slides[k] = 0, changed = true;
        status = s->def.friction(s->def.ctx, i, -1, &w->mu[k]);
      } else if (!w->slides[k] && round == 0 && dls_disk_length(d, a) > none) {
        status = s->def.friction(s->def.ctx, i, 0, &mu);
        if (status != DLS_OK || mu == w->mu[k]) continue;
        const double size = dls_disk_length(d, a);
        for (int j = 0; j < d; j++) w->slip[2 * k + j] = a[j] / size;
        w->slides[k] = 1, w->mu[k] = mu, changed = true;
      }
    }
    if (!changed || status != DLS_OK) break;
    status = solve(e, p, solved);
  }
  return status;
}

/* Whether row t of the set follows from the rows that are equations. */
static bool depends(const dls_event_scratch *w, int m, int t) {
  const size_t n = (size_t)w->n_rows;
  const double whole = w->G[(size_t)t * n + (size_t)t];
  double left = whole;
  for (int a = 0; a < m; a++) {
    w->b[a] = w->G[(size_t)w->eq[a] * n + (size_t)t];
    const double g = w->G[(size_t)w->eq[a] * n + (size_t)w->eq[a]];
    w->c[a] = g > 0 ? 1 / sqrt(g) : 1;
    for (int b = 0; b < m; b++) w->A[a * m + b] = w->G[(size_t)w->eq[a] * n + (size_t)w->eq[b]];
  }
  dls_ranked_solve(m, w->A, w->b, w->c, w->perm, w->d);
  for (int a = 0; a < m; a++) left -= w->d[a] * w->G[(size_t)w->eq[a] * n + (size_t)t];
  return left <= DEPENDENT * whole;
}

/* Modes and reference forces of the set from the solution. */
static dls_status set_modes(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  const double none = dls_event_none(w), noise = dls_event_noise(e);
  double largest = 0;
  dls_status status = DLS_OK;
  for (int r = 0; r < w->n_rows; r++) largest = dls_max(largest, fabs(w->x[r]));
  int m = 0;
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k], r = w->first[k], d = w->n_tangents[k];
    dls_event_contact *contact = &e->contacts[i];
    if (w->x[r] <= ZERO * largest && w->a[r] > none && !e->system->given[w->rows[r]]) { /* these: release */
      status = open(e, i);
      if (status != DLS_OK) return status;
      continue;
    }
    for (int j = 0; j <= d; j++) e->lambda[w->rows[r] + j] = w->x[r + j];
    double *slip = w->slip + 2 * k;
    const double *a = w->a + r + 1;
    contact->mode = DLS_MODE_SLIP;
    if (!w->slides[k] && d > 0 && w->mu[k] > 0) {
      const double size = dls_disk_length(d, a);
      if (size <= none) contact->mode = DLS_MODE_STICK;
      for (int j = 0; j < d; j++) slip[j] = size > none ? a[j] / size : 0;
    } else if (d > 0 && !w->slides[k]) { /* no friction: the velocity's direction, for the record */
      slip[0] = slip[1] = 0;
    }
    contact->slip[0] = slip[0], contact->slip[1] = slip[1];
    for (int j = 0; j <= (contact->mode == DLS_MODE_STICK && w->x[r] > ZERO * largest ? d : -1); j++) w->eq[m++] = r + j;
    if (contact->mode == DLS_MODE_SLIP && w->x[r] > ZERO * largest) w->eq[m++] = r;
  }
  for (int k = 0; k < w->n_listed; k++) { /* without force, and held by others: it waits where it is */
    const int i = w->listed[k], r = w->first[k];
    const double held = dls_min(e->contacts[i].held, 0) - DLS_EVENT_CLOSED;
    if (e->contacts[i].mode == DLS_MODE_OPEN || w->x[r] > ZERO * largest) continue;
    if (!depends(w, m, r)) w->eq[m++] = r;
    else status = open(e, i), e->contacts[i].held = held;
    if (status != DLS_OK) return status;
  }
  for (int k = 0; k < w->n_listed; k++) { /* at the bound, but held by others */
    dls_event_contact *contact = &e->contacts[w->listed[k]];
    const double *v = e->system->v + w->rows[w->first[k]] + 1;
    if (contact->mode != DLS_MODE_SLIP || w->n_tangents[k] == 0 || !(w->mu[k] > 0)) continue;
    if (dls_disk_length(w->n_tangents[k], v) > noise) continue;
    bool held = true;
    for (int j = 0; j < w->n_tangents[k]; j++) held = held && depends(w, m, w->first[k] + 1 + j);
    if (held) contact->mode = DLS_MODE_SATURATED;
  }
  return DLS_OK;
}

/* What changed between the modes before and now. */
static dls_status tell_changes(dls_event_scheme *e, const unsigned char *hint, int first_log) {
  const dls_system *s = e->system;
  const unsigned char *before = e->scratch->before;
  dls_status status = DLS_OK;
  for (int k = first_log; k < e->n_log; k++) {
    dls_event_entry *event = &e->log[k];
    const dls_event_contact *contact = &e->contacts[event->contact];
    event->mode = contact->mode, event->slip[0] = contact->slip[0], event->slip[1] = contact->slip[1];
  }
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
    const int was = before[i], is = e->contacts[i].mode;
    const bool rested = was == DLS_MODE_STICK || was == DLS_MODE_SATURATED;
    const bool rests = is == DLS_MODE_STICK || is == DLS_MODE_SATURATED;
    if (was != is || (is == DLS_MODE_SLIP && !rested)) /* watched anew */
      e->scratch->armed[2 * i] = e->scratch->armed[2 * i + 1] = was == is;
    if (hint[i] == DLS_HINT_STOP) e->scratch->armed[2 * i + 1] = 0;
    if (hint[i] == DLS_HINT_CLOSE && is == DLS_MODE_OPEN) e->scratch->armed[2 * i] = 0; /* it was thrown back */
    if (hint[i] == DLS_HINT_FOUND) continue;
    if (was == DLS_MODE_OPEN && is != DLS_MODE_OPEN) status = tell_mode(e, e->t, DLS_EVENT_CONTACT, i);
    else if (was != DLS_MODE_OPEN && is == DLS_MODE_OPEN) status = tell_mode(e, e->t, DLS_EVENT_SEPARATION, i);
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
    if (hint[i] != DLS_HINT_CLOSE && (gap > DLS_EVENT_CLOSED || fabs(s->v[s->row[i]]) > dls_event_noise(e))) continue;
    contact->mode = DLS_MODE_SLIP, contact->held = s->given[s->row[i]] ? 0 : gap;
    e->scratch->before[i] = DLS_MODE_OPEN;
  }
  return DLS_OK;
}

/* A contact at rest that has come to its bound stays where redundant ones can take its load: *done. */
static dls_status relieve(dls_event_scheme *e, const unsigned char *hint, dls_contact_problem *p, bool *done) {
  dls_event_scratch *w = e->scratch;
  bool any = false, solved = false;
  for (int k = 0; k < w->n_listed; k++) any = any || hint[w->listed[k]] == DLS_HINT_SLIP;
  *done = false;
  if (!any || w->n_listed < 2 || w->idle > PATIENCE) return DLS_OK;
  for (int i = 0; i < e->system->n_contacts; i++)
    w->milder[i] = hint[i] == DLS_HINT_SLIP ? (unsigned char)DLS_HINT_STOP : hint[i];
  const dls_status status = solve_modes(e, w->milder, p, &solved);
  if (status != DLS_OK || !solved || !dls_event_share(e, p)) return status;
  *done = true;
  for (int k = 0; k < w->n_listed; k++) {
    const double *force = w->x + w->first[k];
    if (hint[w->listed[k]] != DLS_HINT_SLIP) continue;
    *done = *done && w->rests[k] == 2 && dls_disk_length(w->n_tangents[k], force + 1) < RELIEVED * w->mu[k] * force[0];
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

dls_status dls_event_resolve(dls_event_scheme *e, const unsigned char *hint) {
  dls_event_scratch *w = e->scratch;
  dls_system *s = e->system;
  const int first_log = e->n_log;
  bool solved = true;
  dls_status status = close_waiting(e, hint);
  if (status == DLS_OK) status = strike_all(e);
  for (int tries = 0; status == DLS_OK; tries++) {
    bool kept = false, released = false;
    for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
      if (e->contacts[i].mode == DLS_MODE_OPEN) continue;
      if (s->v[s->row[i]] > rest_of(e, i) || (hint[i] == DLS_HINT_DETACH && tries == 0)) status = open(e, i);
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
    if (status == DLS_OK && !relieved) status = solve_modes(e, hint, &p, &solved);
    if (status != DLS_OK) break;
    if (solved) {
      if (!relieved) (void)dls_event_share(e, &p);
      status = set_modes(e);
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
