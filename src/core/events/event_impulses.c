/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"
#include "core/math/lobatto.h"

/* `weight` s of forces, of what friction takes and of what the owner counts, with the forces in
** w->now. */
static dls_status add_node(dls_event_scheme *e, dls_account_place place, double weight, double t,
                           const double *q, const double *u, double power) {
  const dls_system *s = e->system;
  const dls_event_scratch *w = e->scratch;
  e->stats.friction += weight * power;
  for (int i = 0; i < s->n_contacts; i++)
    for (int r = s->row[i];
         r <= s->row[i] + s->n_tangents[i] && e->contacts[i].mode != DLS_MODE_OPEN; r++)
      e->impulse[r] += weight * w->now[r];
  return s->def.account != NULL ? s->def.account(s->def.ctx, place, weight, t, q, u, w->now)
                                : DLS_OK;
}

/* One piece of the step, made last by the integrator from q_0, u_0; those of its ends that are the
** step's have the forces of e->lambda and w->end. */
static dls_status add_piece(dls_event_scheme *e, const dls_event_span *made, bool first, bool last,
                            bool closed) {
  const size_t bytes = (size_t)e->system->n_rows * sizeof(double);
  dls_event_scratch *w = e->scratch;
  double unused;
  for (int k = 0; k < DLS_LOBATTO; k++) {
    const bool starts = k == 0 && first, ends = k == DLS_LOBATTO - 1 && last;
    const dls_account_place place = starts ? DLS_ACCOUNT_START
                                    : ends ? DLS_ACCOUNT_END
                                           : DLS_ACCOUNT_MIDDLE;
    const double t = ends ? e->ode.t : made->t + dls_lobatto_node[k] * made->h;
    const double *q = starts ? w->q_0
                      : ends ? e->ode.q
                             : w->q,
                 *u = starts ? w->u_0
                      : ends ? e->ode.u
                             : w->u;
    dls_status status = DLS_OK;
    if (starts) memcpy(w->now, e->lambda, bytes);
    else if (ends) memcpy(w->now, w->end, bytes);
    else status = dls_event_value_at(e, made, 0, dls_lobatto_node[k], w->f[2], &unused);
    if (status != DLS_OK) return status;
    const double power = !closed  ? 0
                         : starts ? e->friction_power
                         : ends   ? w->end_power
                                  : dls_event_friction_power(e, w->now);
    status = add_node(e, place, made->h * dls_lobatto_weight[k], t, q, u, power);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

dls_status dls_event_add_impulses(dls_event_scheme *e, const dls_event_span *sp) {
  const dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  const double target = e->ode.t;
  bool closed = false;
  for (int i = 0; i < s->n_contacts; i++) closed = closed || e->contacts[i].mode != DLS_MODE_OPEN;
  if (!closed && s->def.account == NULL) return DLS_OK;
  memcpy(w->end, w->now, (size_t)s->n_rows * sizeof(double));
  w->end_power = closed ? dls_event_friction_power(e, w->now) : 0;
  if (sp->pieces == 1)
    return add_piece(e, &(dls_event_span){.t = sp->t, .h = target - sp->t, .stiff = sp->stiff},
                     true, true, closed);
  memcpy(e->ode.q, w->q_0, (size_t)s->nq * sizeof(double)); /* once more, piece by piece */
  memcpy(e->ode.u, w->u_0, (size_t)s->n * sizeof(double));
  e->ode.t = sp->t;
  dls_status status = DLS_OK;
  for (int k = 0; e->ode.t < target && status == DLS_OK; k++) {
    memcpy(w->q_0, e->ode.q, (size_t)s->nq * sizeof(double));
    memcpy(w->u_0, e->ode.u, (size_t)s->n * sizeof(double));
    dls_event_span made = {.t = e->ode.t, .stiff = sp->stiff};
    status = dls_event_piece(e, sp, target);
    made.h = e->ode.t - made.t;
    if (status == DLS_OK) status = add_piece(e, &made, k == 0, e->ode.t >= target, closed);
  }
  return status;
}
