/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* The five nodes and weights of Lobatto's rule, of order eight, as shares of a step. */
enum { NODES = 5 };
static const double nodes[NODES] = {0, 0.17267316464601143, 0.5, 0.8273268353539886, 1};
static const double weights[NODES] = {0.05, 49.0 / 180, 16.0 / 45, 49.0 / 180, 0.05};

/* `weight` s of forces, of what friction takes and of what the owner counts, with the forces in w->now. */
static dls_status add_node(dls_event_scheme *e, dls_account_place place, double weight, double t, const double *q,
                           const double *u, double power) {
  const dls_system *s = e->system;
  const dls_event_scratch *w = e->scratch;
  e->stats.friction += weight * power;
  for (int i = 0; i < s->n_contacts; i++)
    for (int r = s->row[i]; r <= s->row[i] + s->n_tangents[i] && e->contacts[i].mode != DLS_MODE_OPEN; r++)
      e->impulse[r] += weight * w->now[r];
  return s->def.account != NULL ? s->def.account(s->def.ctx, place, weight, t, q, u, w->now) : DLS_OK;
}

dls_status dls_event_add_impulses(dls_event_scheme *e, const dls_event_span *sp) {
  const dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  const dls_event_span made = {.t = sp->t, .h = e->ode.t - sp->t, .stiff = sp->stiff};
  const size_t bytes = (size_t)s->n_rows * sizeof(double);
  const bool whole = sp->pieces == 1;
  bool closed = false;
  for (int i = 0; i < s->n_contacts; i++) closed = closed || e->contacts[i].mode != DLS_MODE_OPEN;
  if (!closed && s->def.account == NULL) return DLS_OK;
  const double first = made.h * (whole ? weights[0] : 0.5), power = closed ? dls_event_friction_power(e, w->now) : 0;
  double unused;
  memcpy(w->end, w->now, bytes);
  memcpy(w->now, e->lambda, bytes);
  dls_status status = add_node(e, DLS_ACCOUNT_START, first, sp->t, w->q_0, w->u_0, closed ? e->friction_power : 0);
  for (int k = 1; k < NODES - 1 && whole && status == DLS_OK; k++) {
    status = dls_event_value_at(e, &made, 0, nodes[k], w->f[2], &unused);
    const double by = closed && status == DLS_OK ? dls_event_friction_power(e, w->now) : 0;
    if (status == DLS_OK)
      status = add_node(e, DLS_ACCOUNT_MIDDLE, made.h * weights[k], sp->t + nodes[k] * made.h, w->q, w->u, by);
  }
  memcpy(w->now, w->end, bytes);
  return status == DLS_OK ? add_node(e, DLS_ACCOUNT_END, first, e->ode.t, e->ode.q, e->ode.u, power) : status;
}
