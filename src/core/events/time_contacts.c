/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_parts.h"

/* Which contacts have a row in the step, and what their laws need to know. */

dls_status dls_time_list(dls_event_scheme *e, int i, int count) {
  dls_event_scratch *w = e->scratch;
  const dls_status status = dls_system_place(e->system, i);
  if (status != DLS_OK) return status;
  const int k = w->n_listed++;
  w->listed[k] = i, w->first[k] = w->n_rows, w->n_tangents[k] = count - 1;
  for (int j = 0; j < count; j++) w->rows[w->n_rows++] = e->system->row[i] + j;
  dls_system_respond(e->system, i);
  return DLS_OK;
}

/* The gap of contact i a time s after q_c, on the way that forces alone take. */
static dls_status gap_ahead(const dls_time *x, int i, double s, double *gap) {
  dls_event_scratch *w = x->e->scratch;
  for (int l = 0; l < x->e->system->n; l++) w->q_0[l] = w->q[l] + s * w->u[l];
  return dls_system_gap(x->e->system, i, x->t_c + s, w->q_0, gap);
}

/* Whether contact i, open at q_c, touches on that way: the linear forecast confirmed by the gap
** itself (EQUATIONS G.1.5), at the end of the way or, by golden section, in between. */
static dls_status confirm(const dls_time *x, int i, bool *touches) {
  enum { LOOKS = 40 };
  static const double GOLDEN = 0.6180339887498949;
  const double closed = dls_time_closed(x, i);
  double a = 0, b = x->halves.late, f[2], end;
  dls_status status = gap_ahead(x, i, b, &end);
  double s[2] = {b - GOLDEN * b, GOLDEN * b};
  *touches = end <= closed;
  for (int k = 0; k < 2 && status == DLS_OK && !*touches; k++) {
    status = gap_ahead(x, i, s[k], &f[k]);
    *touches = f[k] <= closed;
  }
  for (int k = 0; k < LOOKS && status == DLS_OK && !*touches; k++) {
    const int keep = f[0] < f[1] ? 0 : 1, other = 1 - keep;
    if (keep == 0) b = s[1];
    else a = s[0];
    s[other] = s[keep], f[other] = f[keep];
    s[keep] = keep == 0 ? b - GOLDEN * (b - a) : a + GOLDEN * (b - a);
    status = gap_ahead(x, i, s[keep], &f[keep]);
    *touches = f[keep] <= closed;
  }
  return status;
}

/* Friction by the velocity before the step: that of rest where it held. */
static dls_status set_friction(dls_time *x, int i, double *mu) {
  const dls_system *s = x->e->system;
  dls_time_contact *c = &x->e->scratch->timed[i];
  const double speed =
      x->e->contacts[i].mode == DLS_MODE_STICK ? 0 : dls_disk_length(s->n_tangents[i], c->v + 1);
  *mu = 0, c->rests = !(speed > 0);
  if (s->n_tangents[i] == 0) return DLS_OK;
  return s->def.friction(s->def.ctx, i, c->rests ? -1 : speed, mu);
}

/* What the law of contact i, now in the set, needs to know. */
static dls_status note(dls_time *x, int i, double v_free, bool speculative) {
  dls_event_scratch *w = x->e->scratch;
  dls_system *s = x->e->system;
  dls_time_contact *c = &w->timed[i];
  const int r = s->row[i], k = w->n_listed - 1;
  *c = (dls_time_contact){.place = k,
                          .gap = s->gap[i],
                          .v_free = v_free,
                          .speculative = speculative,
                          .onset = !(x->e->contacts[i].memory & DLS_MEMORY_LISTED)};
  dls_status status = DLS_OK;
  /* where it will be then */
  for (int l = 0; l < s->n; l++) w->q_0[l] = w->q[l] + x->halves.late * x->e->u[l];
  for (int j = 0; j <= s->n_tangents[i] && status == DLS_OK; j++) {
    status = dls_system_gain(s, i, j, x->t_end, w->q_0, &c->gain[j]);
    c->v[j] = s->v[r + j];
    w->c[w->first[k] + j] = c->free[j] = dls_system_velocity(s, r + j, w->u) + c->gain[j];
  }
  c->before = c->v[0] - x->halves.early / x->halves.late * c->gain[0];
  return status == DLS_OK ? set_friction(x, i, &w->mu[k]) : status;
}

static dls_status look_at(dls_time *x, int i) {
  dls_event_scratch *w = x->e->scratch;
  dls_system *s = x->e->system;
  w->timed[i].place = -1;
  dls_status status = dls_system_gap(s, i, x->t_c, w->q, &s->gap[i]);
  if (status == DLS_OK) status = dls_system_rows(s, i, x->t_c, w->q, x->e->u, false);
  if (status != DLS_OK) return status;
  const int r = s->row[i], memory = x->e->contacts[i].memory;
  const double v_free = dls_system_velocity(s, r, w->u), closed = dls_time_closed(x, i);
  const bool listed = (memory & DLS_MEMORY_LISTED) != 0, held = (memory & DLS_MEMORY_HELD) != 0;
  const bool speculative = dls_law_stands_by(&x->halves, s->gap[i], closed, s->v[r], v_free, held);
  bool acts = listed || !speculative;
  if (acts && !listed && s->gap[i] > closed) status = confirm(x, i, &acts);
  if (status != DLS_OK || !acts) return status;
  status = dls_time_list(x->e, i, 1 + s->n_tangents[i]);
  return status == DLS_OK ? note(x, i, v_free, speculative) : status;
}

dls_status dls_time_find_contacts(dls_time *x) {
  dls_event_scratch *w = x->e->scratch;
  dls_system *s = x->e->system;
  w->n_listed = w->n_rows = 0;
  dls_system_clear(s);
  dls_status status = DLS_OK;
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) status = look_at(x, i);
  if (status == DLS_OK) status = dls_event_make_room(x->e);
  if (status == DLS_OK) dls_system_delassus(s, w->n_rows, w->rows, w->G);
  return status;
}
