/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_parts.h"

/* What the step made of its contacts: modes, forces, what the next step knows, events, energies. */

static dls_status tell(const dls_time *x, int i, dls_event_kind kind) {
  const dls_event_contact *c = &x->e->contacts[i];
  const dls_event_entry event = {.t = x->t_end, .kind = (int)kind, .contact = i, .mode = c->mode,
                                 .slip = {c->slip[0], c->slip[1]}};
  return dls_event_tell(x->e, &event);
}

/* p: impulses by row, those of impacts included. */
static dls_status tell_impact(const dls_time *x, int i, const double *p) {
  const dls_event_contact *c = &x->e->contacts[i];
  dls_event_entry event = {.t = x->t_end,
                           .kind = DLS_EVENT_IMPACT,
                           .contact = i,
                           .mode = c->mode,
                           .slip = {c->slip[0], c->slip[1]},
                           .velocity = x->e->scratch->timed[i].before};
  for (int j = 0; j <= x->e->system->n_tangents[i]; j++) event.impulse[j] = p[j];
  x->e->stats.impacts++;
  return dls_event_tell(x->e, &event);
}

/* What became of contact i, in the order of worlds; was: its mode before the step. fell: thrown
** back in the last step, pressed again in this one. */
static dls_status tell_change(const dls_time *x, int i, int was, const double *p, bool fell) {
  const dls_time_contact *c = &x->e->scratch->timed[i];
  const int mode = x->e->contacts[i].mode;
  const bool is = mode != DLS_MODE_OPEN, new = is && was == DLS_MODE_OPEN;
  dls_status status = DLS_OK;
  if (new) status = tell(x, i, DLS_EVENT_CONTACT);
  if (status == DLS_OK && new && c->before < 0) status = tell_impact(x, i, p);
  const bool ends = (new && c->before < 0 && c->dies) || (is && !new && fell);
  if (status == DLS_OK && ends) status = tell(x, i, DLS_EVENT_ACCUMULATION);
  if (status == DLS_OK && !is && was != DLS_MODE_OPEN) status = tell(x, i, DLS_EVENT_SEPARATION);
  if (status != DLS_OK || !is || mode == was) return status;
  return tell(x, i, mode == DLS_MODE_STICK ? DLS_EVENT_STICK : DLS_EVENT_SLIP);
}

/* The mode of contact i from impulses p and velocities v at the end, by row. */
static int mode_of(const dls_time *x, int i, double mu, const double *p, const double *v) {
  const int d = x->e->system->n_tangents[i];
  if (!(p[0] > 0)) return DLS_MODE_OPEN;
  if (d == 0 || !(mu > 0)) return DLS_MODE_SLIP;
  const int state =
      dls_state_of(&x->slips, mu, p[0], dls_disk_length(d, p + 1), dls_disk_length(d, v + 1));
  return state == DLS_STICK ? DLS_MODE_STICK : DLS_MODE_SLIP;
}

/* What contact i takes of the energy by impulses p, v its velocities at the end, by row: in a
** step in which it is struck all counts as the impact's, else what its tangents take is
** friction. */
static void count_energy(const dls_time *x, int i, const double *p, const double *v) {
  const dls_time_contact *c = &x->e->scratch->timed[i];
  double work[3] = {0};
  for (int j = 0; j <= x->e->system->n_tangents[i]; j++) work[j] = 0.5 * p[j] * (c->v[j] + v[j]);
  const bool struck = p[0] > 0 && c->before < -x->noise;
  x->e->stats.dissipated -= struck ? work[0] + work[1] + work[2] : work[0];
  x->e->stats.friction -= struck ? 0 : work[1] + work[2];
}

static dls_status record(dls_time *x, int i) {
  dls_event_scheme *e = x->e;
  const dls_event_scratch *w = e->scratch;
  const dls_time_contact *c = &w->timed[i];
  dls_event_contact *own = &e->contacts[i];
  const int was = own->mode, k = c->place, d = e->system->n_tangents[i];
  double p[3] = {0}, v[3] = {0};
  for (int j = 0; j <= d && k >= 0; j++)
    p[j] = w->x[w->first[k] + j] + c->impact[j], v[j] = w->a[w->first[k] + j];
  for (int j = 0; j <= d; j++) e->lambda[e->system->row[i] + j] = p[j] / x->h;
  if (k >= 0) count_energy(x, i, p, v);
  own->mode = k < 0 ? DLS_MODE_OPEN : mode_of(x, i, w->mu[k], p, v);
  const double slip = own->mode == DLS_MODE_SLIP && d > 0 ? dls_disk_length(d, v + 1) : 0;
  for (int j = 0; j < 2; j++) own->slip[j] = j < d && slip > 0 ? v[1 + j] / slip : 0;
  const bool holds =
      p[0] > 0 && !dls_law_opens(x->halves.late, v[0], c->gap, dls_time_closed(x, i));
  own->memory = (k >= 0 && (!c->speculative || p[0] > 0) ? DLS_MEMORY_LISTED : 0) |
                (holds ? DLS_MEMORY_HELD : 0) |
                (p[0] > 0 && v[0] <= x->noise ? DLS_MEMORY_RESTS : 0);
  const bool fell = p[0] > 0 && e->system->e_N[i] > 0 && c->before > x->noise;
  return tell_change(x, i, was, p, fell);
}

/* One contact of each island whose impacts did not come to an end. */
static dls_status tell_collapse(const dls_time *x) {
  const dls_event_scratch *w = x->e->scratch;
  dls_status status = DLS_OK;
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
    if (w->timed[w->listed[k]].tells) status = tell(x, w->listed[k], DLS_EVENT_COLLAPSED);
  }
  return status;
}

dls_status dls_time_record(dls_time *x) {
  dls_status status = DLS_OK;
  x->e->stats.gained = dls_max(x->e->stats.gained, dls_time_gain(x));
  for (int i = 0; i < x->e->system->n_contacts && status == DLS_OK; i++) status = record(x, i);
  return status == DLS_OK ? tell_collapse(x) : status;
}
