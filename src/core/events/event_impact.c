/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* impacts at one instant before the rest is resolved at once with e = 0 */
#define REPEATS 100
/* of the largest impulse: none */
#define ROUND 1e-12
/* Of a ratio: the difference of two that count as one. By it one of 100 bars that land on two ends
** in turn has its limit 8e-7 s too soon (e = 0.87; event_world_series_spec has e from 0.2 to 0.8);
** a bound of 1e-11 s on the limit in its place passes over cranks that jam. */
#define ALIKE 1e-2
/* times as large as tangents: normals, which are to be met where rows depend on each other */
#define FIRST 10

/* Whether all that approach come from flights no further, v T at most, than a gap that is closed:
** where these end is round-off. */
static bool is_unseen(const dls_event_scheme *e) {
  const dls_event_scratch *w = e->scratch;
  const double noise = dls_event_noise(e);
  bool any = false;
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k];
    const double v = e->system->v[e->system->row[i]];
    if (!(v < -noise)) continue;
    /* 0: thrown at this very instant, at whatever speed */
    const double flight = e->t - e->contacts[i].struck;
    if (!(flight > 0 && -v * flight < DLS_EVENT_CLOSED)) return false;
    any = true;
  }
  return any;
}

/* What is left of a contact's impacts, s, if they go on as a geometric series: the last flight, the
** one before, and the approaches that ended them. A series has one ratio, of flights and of
** approaches; ends of a bar that strike in turn, told as one contact, have two. *series: it is
** one. */
static double rest_of_series(double flight, double before, double came, double comes,
                             bool *series) {
  *series = flight > 0 && flight < before && before < DLS_INF && came > 0;
  if (!*series) return 0;
  const double ratio = flight / before;
  *series = fabs(ratio - comes / came) <= ALIKE * ratio;
  return flight * ratio / (1 - ratio);
}

/* Restitution of the set in this impact: none where `none`, for contacts whose flights have
** become a geometric series, whose limit is when their impacts end, and for those that chatter.
** */
static void choose_restitution(dls_event_scheme *e, bool none) {
  dls_event_scratch *w = e->scratch;
  const double brief = DLS_EVENT_SHORT * e->opts.dt, noise = dls_event_noise(e);
  const bool unseen = is_unseen(e);
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k];
    dls_event_contact *contact = &e->contacts[i];
    w->e_N[k] = none || unseen ? 0 : e->system->e_N[i];
    w->e_T[k] = none || unseen ? 0 : e->system->e_T[i];
    if (none || !(e->system->v[e->system->row[i]] < -noise)) continue;
    const double flight = e->t - contact->last_impact, before = contact->flight;
    bool series;
    const double comes = -e->system->v[e->system->row[i]];
    const double left = rest_of_series(flight, before, contact->approach, comes, &series);
    const bool ends = series && (flight < brief || unseen); /* weak gravity: long flights, unseen */
    const bool burst = contact->n_brief > DLS_EVENT_BURST && e->t - contact->struck < brief;
    contact->last_impact = e->t, contact->limit = DLS_INF;
    contact->flight = flight > 0 && flight < DLS_INF ? flight : DLS_INF;
    if ((!ends && !burst && !unseen) || !(e->system->e_N[i] > 0)) continue;
    contact->limit = e->t + (ends ? left : 0);
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
    contact->n_brief = since < DLS_EVENT_SHORT * e->opts.dt ? contact->n_brief + 1 : 0;
    contact->struck = e->t, contact->approach = approach;
  }
}

/* The owner's account of an impact, before it changes velocities. */
static dls_status account_impact(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  if (s->def.account == NULL) return DLS_OK;
  memset(w->end, 0, (size_t)s->n_rows * sizeof *w->end);
  for (int r = 0; r < w->n_rows; r++) w->end[w->rows[r]] = w->x[r];
  return s->def.account(s->def.ctx, DLS_ACCOUNT_IMPACT, 1, e->t, e->q, e->u, w->end);
}

static double kinetic_change(const dls_event_scratch *w, const double *before,
                             const double *after) {
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

/* An approach of contacts at rest normally by `nudge`, m/s, as bodies can have it: where rows
** depend on each other, locked ones would have no impulses against what none can move by. */
static void add_nudge(dls_event_scheme *e, double nudge, double *before) {
  dls_event_scratch *w = e->scratch;
  const size_t n = (size_t)w->n_rows;
  const double noise = dls_event_noise(e);
  if (!(nudge > 0)) return;
  memset(w->c, 0, n * sizeof *w->c);
  for (int k = 0; k < w->n_listed; k++) {
    const int r = w->first[k];
    if (fabs(before[r]) <= noise && !e->system->given[w->rows[r]]) w->c[r] = nudge;
  }
  memcpy(w->A, w->G, n * n * sizeof *w->A);
  for (size_t r = 0; r < n; r++) w->a[r] = w->G[r * n + r] > 0 ? 1 / sqrt(w->G[r * n + r]) : 1;
  for (int k = 0; k < w->n_listed; k++) w->a[w->first[k]] *= FIRST;
  dls_ranked_solve((int)n, w->A, w->c, w->a, w->perm, w->d);
  for (size_t r = 0; r < n; r++)
    for (size_t s = 0; s < n; s++) before[r] -= w->G[r * n + s] * w->d[s];
}

/* One impact of the set: u, log, statistics. nudge: approach added to contacts at rest normally,
** m/s. */
static dls_status strike(dls_event_scheme *e, bool none, double nudge, double *impulses,
                         bool *moved) {
  dls_event_scratch *w = e->scratch;
  dls_system *s = e->system;
  const double noise = dls_event_noise(e);
  dls_status status = rest_friction(e);
  if (status != DLS_OK) return status;
  choose_restitution(e, none);
  double *before = w->b;
  for (int r = 0; r < w->n_rows; r++) before[r] = s->v[w->rows[r]];
  add_nudge(e, nudge, before);
  const dls_impact_problem p = {.contacts = dls_event_problem_of_set(e),
                                .before = before,
                                .e_N = w->e_N,
                                .e_T = w->e_T,
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
  e->stats.curbed += report.curbed;
  e->stats.dissipated -= change;
  e->stats.gained = dls_max(e->stats.gained, change);
  status = account_impact(e);
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
    const int r = w->first[k], d = w->n_tangents[k];
    dls_event_entry event = {
        .t = e->t, .kind = DLS_EVENT_IMPACT, .contact = w->listed[k], .velocity = before[r]};
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
    if (report.collapsed && k == 0 && status == DLS_OK) {
      event.kind = DLS_EVENT_COLLAPSED;
      status = dls_event_tell(e, &event);
    }
  }
  return status;
}

dls_status dls_event_strike(dls_event_scheme *e, bool none, double nudge, double *impulses,
                            bool *moved) {
  const dls_event_scratch *w = e->scratch;
  if (impulses != NULL) memset(impulses, 0, (size_t)e->system->n_rows * sizeof *impulses);
  const dls_status status = dls_event_evaluate(e, e->t, e->q, e->u, false);
  if (status != DLS_OK || w->n_listed == 0) return status;
  dls_event_measure(e);
  double speed = 0;
  for (int r = 0; r < w->n_rows; r++) speed = dls_max(speed, fabs(e->system->v[w->rows[r]]));
  return strike(e, none, nudge * speed, impulses, moved);
}

/* Open contacts that touch belong to the set: those whose gap counts as closed, or is passed
** within one instant. *any: one became part of it, *approaches: one that approaches. */
static dls_status join(dls_event_scheme *e, bool *any, bool *approaches) {
  dls_system *s = e->system;
  const double noise = dls_event_noise(e), instant = DLS_EVENT_TIE + 1e-14 * fabs(e->t);
  memset(e->scratch->milder, 0, (size_t)s->n_contacts); /* who has joined */
  for (int i = 0; i < s->n_contacts; i++) {
    dls_event_contact *contact = &e->contacts[i];
    if (contact->mode != DLS_MODE_OPEN || s->given[s->row[i]]) continue;
    double gap;
    dls_status status = dls_system_gap(s, i, e->t, e->q, &gap);
    if (status != DLS_OK) return status;
    const double above = gap > 0 ? gap : gap - contact->level;
    if (!(above <= dls_max(DLS_EVENT_CLOSED, instant * e->speed))) continue;
    status = dls_system_rows(s, i, e->t, e->q, e->u, false);
    if (status != DLS_OK) return status;
    const double v = s->v[s->row[i]];
    if (!(above <= dls_max(DLS_EVENT_CLOSED, instant * fabs(v)))) continue;
    e->scratch->milder[i] = 1, e->scratch->kept[i] = contact->held;
    contact->mode = DLS_MODE_SLIP, contact->held = gap;
    *any = true, *approaches = *approaches || v < -noise;
  }
  return DLS_OK;
}

/* Contacts that have joined and are not `with` the others (places of the set; NULL: none is) are
** open again. */
static void let_go(dls_event_scheme *e, const unsigned char *with) {
  const dls_event_scratch *w = e->scratch;
  for (int k = 0; k < w->n_listed && with != NULL; k++)
    if (with[k]) w->milder[w->listed[k]] = 0;
  for (int i = 0; i < e->system->n_contacts; i++)
    if (w->milder[i]) e->contacts[i].mode = DLS_MODE_OPEN, e->contacts[i].held = w->kept[i];
}

/* Those that have joined and answer nothing that approaches, or that a hint is of (NULL: none), are
** let go. */
static void leave(dls_event_scheme *e, const unsigned char *hint) {
  const dls_event_scratch *w = e->scratch;
  const double noise = dls_event_noise(e);
  unsigned char *with = w->rests;
  bool grows = true;
  for (int k = 0; k < w->n_listed; k++) {
    const int told = hint != NULL ? hint[w->listed[k]] : DLS_HINT_NONE;
    with[k] = e->system->v[w->rows[w->first[k]]] < -noise ||
              (told != DLS_HINT_NONE && told != DLS_HINT_FOUND);
  }
  while (grows) {
    grows = false;
    for (int a = 0; a < w->n_listed; a++)
      for (int b = 0; b < w->n_listed && with[a]; b++)
        if (!with[b] && dls_event_coupled(w, a, b)) with[b] = 1, grows = true;
  }
  let_go(e, with);
}

dls_status dls_event_join_resting(dls_event_scheme *e, const unsigned char *hint) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  bool any = false, there = false;
  memset(w->milder, 0, (size_t)s->n_contacts);
  for (int i = 0; i < s->n_contacts; i++) {
    dls_event_contact *contact = &e->contacts[i];
    if (contact->mode != DLS_MODE_OPEN || s->given[s->row[i]]) continue;
    double gap;
    dls_status status = dls_system_gap_of_many(s, i, there, e->t, e->q, &gap);
    if (status != DLS_OK) return status;
    there = true;
    if (!(gap <= DLS_EVENT_CLOSED)) continue;
    there = false;
    status = dls_system_rows(s, i, e->t, e->q, e->u, false);
    if (status != DLS_OK) return status;
    if (fabs(s->v[s->row[i]]) > dls_event_noise(e)) continue;
    w->milder[i] = 1, w->kept[i] = contact->held;
    contact->mode = DLS_MODE_SLIP, contact->held = gap;
    any = true;
  }
  if (!any) return DLS_OK;
  const dls_status status = dls_event_evaluate(e, e->t, e->q, e->u, false);
  if (status == DLS_OK) leave(e, hint);
  return status;
}

dls_status dls_event_strike_all(dls_event_scheme *e) {
  const dls_event_scratch *w = e->scratch;
  for (int repeat = 0;; repeat++) {
    dls_status status = dls_event_evaluate(e, e->t, e->q, e->u, false);
    if (status != DLS_OK) return status;
    dls_event_measure(e);
    const double noise = dls_event_noise(e);
    bool approaches = false, joined = false, moved = false;
    for (int k = 0; k < w->n_listed; k++)
      approaches = approaches || e->system->v[w->rows[w->first[k]]] < -noise;
    if (!approaches && repeat == 0) return DLS_OK;
    status = join(e, &joined, &approaches);
    if (status != DLS_OK) return status;
    if (!approaches) {
      let_go(e, NULL);
      return DLS_OK;
    }
    if (joined) status = dls_event_evaluate(e, e->t, e->q, e->u, false);
    if (joined && status == DLS_OK) leave(e, NULL);
    if (joined && status == DLS_OK) status = dls_event_evaluate(e, e->t, e->q, e->u, false);
    if (status == DLS_OK && repeat > REPEATS) return DLS_STATE;
    if (status == DLS_OK) status = strike(e, repeat == REPEATS, 0, NULL, &moved);
    if (status != DLS_OK) return status;
  }
}
