/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* of G_tt: a row that the other equations already determine */
#define DEPENDENT 1e-9
/* of the terms of an acceleration: round-off */
#define ROUND 1e-12

dls_contact_problem dls_event_problem_of_set(const dls_event_scheme *e) {
  const dls_event_scratch *w = e->scratch;
  return (dls_contact_problem){.n = w->n_listed,
                               .n_rows = w->n_rows,
                               .row = w->first,
                               .n_tangents = w->n_tangents,
                               .G = w->G,
                               .c = w->c,
                               .mu = w->mu,
                               .corners = e->opts.corners};
}

dls_status dls_event_open(dls_event_scheme *e, int i) {
  dls_system *s = e->system;
  dls_event_contact *contact = &e->contacts[i];
  const bool given = s->given[s->row[i]];
  double gap;
  const dls_status status = dls_system_gap(s, i, e->t, e->q, &gap);
  if (status != DLS_OK) return status;
  if (given) contact->struck = e->t;
  contact->mode = DLS_MODE_OPEN, contact->held = given ? dls_max(-gap, 0) : 0,
  contact->level = given ? 0 : dls_min(gap, 0);
  for (int k = 0; k <= s->n_tangents[i]; k++) e->lambda[s->row[i] + k] = 0;
  return DLS_OK;
}

/* Whether a slip of contact i that has just begun goes on: another event than its own has come
** before it got away from rest. */
static bool goes_on(const dls_event_scheme *e, const unsigned char *hint, int i, const double *v) {
  const dls_event_contact *contact = &e->contacts[i];
  const int d = e->system->n_tangents[i];
  double along = 0;
  if (hint == NULL || hint[i] != DLS_HINT_NONE || contact->mode != DLS_MODE_SLIP) return false;
  if (e->scratch->before[i] != DLS_MODE_SLIP || contact->struck == e->t) return false;
  for (int j = 0; j < d; j++) along += v[j] * contact->slip[j];
  return along > 0.5 * dls_disk_length(d, v) || dls_disk_length(d, v) <= 1e-3 * dls_event_noise(e);
}

/* Against which friction contact k of the set slides: with its velocity, or with its hint or at
** its bound against the last force. Answers whether it does. */
static bool slip_direction(const dls_event_scheme *e, const unsigned char *hint, int k,
                           double *slip) {
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
  const double size = dls_disk_length(d, v);
  /* a slip that stops; where the place of contact jumped, its velocity did, and it slides on */
  if (hint != NULL && hint[i] == DLS_HINT_STOP && size <= DLS_EVENT_NUDGE * e->speed) return false;
  if (size > dls_event_noise(e)) {
    for (int j = 0; j < d; j++) slip[j] = v[j] / size;
    return true;
  }
  if (contact->mode != DLS_MODE_SATURATED && !goes_on(e, hint, i, v)) return false;
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
    const double terms = dls_system_terms(s, r);
    const bool held = !(w->G[(size_t)a * (size_t)w->n_rows + (size_t)a] > 0); /* by joints */
    w->c[a] = s->wbar[r];
    for (int j = 0; j < s->n; j++) w->c[a] += dls_system_row(s, r)[j] * s->smooth[j];
    if (held && fabs(w->c[a]) <= ROUND * terms) w->c[a] = 0;
    w->terms[a] = terms;
  }
  dls_event_group(e);
  *p = dls_event_problem_of_set(e);
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

dls_status dls_event_solve_modes(dls_event_scheme *e, const unsigned char *hint,
                                 dls_contact_problem *p, bool *solved) {
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  dls_status status = dls_event_pose(e, hint, p);
  if (status == DLS_OK) status = solve(e, p, solved);
  for (int round = 0; round < 2 && status == DLS_OK && *solved; round++) {
    const double noise = dls_event_noise(e);
    bool changed = false;
    dls_event_none(e);
    for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
      const int i = w->listed[k], d = w->n_tangents[k], r = w->first[k];
      const double *a = w->a + r + 1, *v = s->v + w->rows[r] + 1;
      double along = 0, moving = 0, mu = w->mu[k];
      const double none = w->none[k];
      if (d == 0 || !(w->x[r] > 0)) continue;
      for (int j = 0; j < d; j++)
        along += a[j] * w->slip[2 * k + j], moving += v[j] * w->slip[2 * k + j];
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

dls_status dls_event_set_modes(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  const double noise = dls_event_noise(e);
  dls_status status = DLS_OK;
  int m = 0;
  dls_event_largest(e, w->x, true);
  dls_event_none(e);
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k], r = w->first[k], d = w->n_tangents[k];
    dls_event_contact *contact = &e->contacts[i];
    const double none = w->none[k];
    const bool bears = w->x[r] > DLS_EVENT_ZERO * w->most[k];
    if (!bears && w->a[r] > none &&
        !e->system->given[w->rows[r]]) { /* these: release */
      status = dls_event_open(e, i);
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
    const int equations = bears ? (contact->mode == DLS_MODE_STICK ? 1 + d : 1) : 0;
    for (int j = 0; j < equations; j++) w->eq[m++] = r + j;
  }
  for (int k = 0; k < w->n_listed;
       k++) { /* without force, and held by others: it waits where it is */
    const int i = w->listed[k], r = w->first[k];
    const double held = dls_min(e->contacts[i].held, 0) - DLS_EVENT_CLOSED;
    if (e->contacts[i].mode == DLS_MODE_OPEN || w->x[r] > DLS_EVENT_ZERO * w->most[k])
      continue;
    if (!depends(w, m, r)) w->eq[m++] = r;
    else status = dls_event_open(e, i), e->contacts[i].held = e->contacts[i].level = held;
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
