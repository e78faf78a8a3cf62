/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_step.h"

#include "core/events/event_parts.h"

#define MISSED 1e-6  /* residual from which a step is refused            */
#define TURNS 8      /* of the position projection; two are the rule      */
#define CLOSED 1e-14 /* m: gaps below -this are opened                    */

/* The cone problem of the set, b in w->c and shifts in w->b: impulses w->x, velocities w->a. */
static dls_status solve(dls_event_scheme *e, bool friction, double *residual) {
  dls_event_scratch *w = e->scratch;
  const size_t mark = dls_arena_mark(&e->tmp);
  dls_cone_group *groups = DLS_TAKE(&e->tmp, dls_cone_group, w->n_listed);
  dls_status status = groups == NULL ? DLS_FULL : DLS_OK;
  if (status == DLS_OK) {
    memset(groups, 0, (size_t)w->n_listed * sizeof *groups);
    for (int k = 0; k < w->n_listed; k++) {
      const int d = friction ? w->n_tangents[k] : 0;
      groups[k].kind = d == 2 ? DLS_CONE_SPATIAL : d == 1 ? DLS_CONE_PLANAR : DLS_CONE_UNILATERAL;
      groups[k].row = w->first[k];
      groups[k].mu[0] = d > 0 ? w->mu[k] : 0;
    }
    const dls_cone_problem p = {.n_rows = w->n_rows, .n_groups = w->n_listed, .groups = groups, .W = w->G,
                                .b = w->c, .shift = w->b};
    dls_cone_opts opts = dls_cone_opts_default();
    dls_cone_report report;
    /* Grown where it is too small, which happens once a set of this size. */
    const size_t bytes = dls_bytes_add(dls_cone_solve_bytes(&p), dls_arena_bytes((size_t)w->n_listed, sizeof *groups));
    if (bytes > e->tmp.size - mark) {
      dls_arena_release(&e->tmp, mark);
      status = dls_arena_reserve(&e->tmp, &e->alloc, dls_bytes_add(bytes, bytes));
      return status == DLS_OK ? solve(e, friction, residual) : status;
    }
    status = dls_cone_solve(&p, &opts, &e->tmp, w->x, w->a, &report);
    *residual = report.residual;
    e->stats.problems++;
  }
  dls_arena_release(&e->tmp, mark);
  return status;
}

/* x += M^-1 J' (impulses of the set). */
static void respond(const dls_event_scheme *e, double factor, double *x) {
  const dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  for (int r = 0; r < w->n_rows; r++)
    for (int l = 0; l < s->n; l++)
      x[l] += factor * w->x[r] * dls_system_response(s, w->rows[r])[l];
}

/* Adds contact i to the set: rows `from` its normal on, `count` of them. */
static dls_status list(dls_event_scheme *e, int i, int count) {
  dls_event_scratch *w = e->scratch;
  const dls_status status = dls_system_place(e->system, i);
  if (status != DLS_OK) return status;
  const int k = w->n_listed++;
  w->listed[k] = i, w->first[k] = w->n_rows, w->n_tangents[k] = count - 1;
  for (int j = 0; j < count; j++) w->rows[w->n_rows++] = e->system->row[i] + j;
  dls_system_respond(e->system, i);
  return DLS_OK;
}

/* Contacts that may act in the step, at q_c = w->q; u_f = w->u. */
static dls_status find_contacts(dls_event_scheme *e, double t, double h, double theta) {
  dls_event_scratch *w = e->scratch;
  dls_system *s = e->system;
  w->n_listed = w->n_rows = 0;
  dls_system_clear(s);
  for (int i = 0; i < s->n_contacts; i++) {
    dls_status status = dls_system_gap(s, i, t, w->q, &s->gap[i]);
    if (status == DLS_OK) status = dls_system_rows(s, i, t, w->q, e->u, false);
    if (status != DLS_OK) return status;
    const int r = s->row[i];
    if (s->gap[i] > 0 && s->gap[i] + theta * h * dls_system_velocity(s, r, w->u) > 0) continue;
    double speed = 0, mu = 0;
    if (s->n_tangents[i] > 0) speed = dls_disk_length(s->n_tangents[i], s->v + r + 1);
    if (s->n_tangents[i] > 0) status = s->def.friction(s->def.ctx, i, speed > 1e-9 * s->size[r + 1] ? speed : -1, &mu);
    if (status != DLS_OK) return status;
    status = list(e, i, 1 + s->n_tangents[i]);
    if (status != DLS_OK) return status;
    w->mu[w->n_listed - 1] = mu;
    for (int j = 0; j <= s->n_tangents[i]; j++) {
      const int row = w->n_rows - 1 - s->n_tangents[i] + j;
      const double before = s->v[r + j], e_N = s->e_N[i];
      w->c[row] = dls_system_velocity(s, r + j, w->u);
      if (j > 0) w->b[row] = s->e_T[i] * before;
      else if (s->gap[i] > 0 && !(e_N > 0 && before < 0)) w->b[row] = s->gap[i] / (theta * h);
      else w->b[row] = e_N * dls_min(before, 0);
    }
  }
  const dls_status status = dls_event_make_room(e);
  if (status == DLS_OK) dls_system_delassus(s, w->n_rows, w->rows, w->G);
  return status;
}

/* Negative gaps at (t, q) opened. */
static dls_status project(dls_event_scheme *e, double t, double *q) {
  dls_event_scratch *w = e->scratch;
  dls_system *s = e->system;
  for (int turn = 0; turn < TURNS; turn++) {
    bool overlaps = false;
    w->n_listed = w->n_rows = 0;
    dls_system_clear(s);
    for (int i = 0; i < s->n_contacts; i++) {
      dls_status status = dls_system_gap(s, i, t, q, &s->gap[i]);
      if (status != DLS_OK) return status;
      if (!(s->gap[i] < CLOSED)) continue;
      overlaps = overlaps || s->gap[i] < -CLOSED;
      if (turn == 0) e->stats.drift = dls_max(e->stats.drift, -s->gap[i]);
      status = dls_system_rows(s, i, t, q, e->u, false);
      if (status != DLS_OK) return status;
      status = list(e, i, 1);
      if (status != DLS_OK) return status;
      w->c[w->n_rows - 1] = s->gap[i], w->b[w->n_rows - 1] = 0;
    }
    if (!overlaps) break;
    double residual;
    dls_status status = dls_event_make_room(e);
    if (status != DLS_OK) return status;
    dls_system_delassus(s, w->n_rows, w->rows, w->G);
    status = solve(e, false, &residual);
    if (status != DLS_OK) return status;
    respond(e, 1, q);
  }
  return DLS_OK;
}

static dls_status tell(dls_event_scheme *e, int i, dls_event_kind kind, double t) {
  const dls_event_entry event = {.t = t, .kind = (int)kind, .contact = i, .mode = e->contacts[i].mode,
                           .slip = {e->contacts[i].slip[0], e->contacts[i].slip[1]}};
  return dls_event_tell(e, &event);
}

/* Modes, forces and events from the solved set; `before` in w->d: velocities before, by row of the set. */
static dls_status record(dls_event_scheme *e, double h, double t) {
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  dls_status status = DLS_OK;
  memset(w->hint, 0, (size_t)s->n_contacts);
  memset(e->lambda, 0, (size_t)s->n_rows * sizeof *e->lambda);
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
    const int i = w->listed[k], r = w->first[k], d = w->n_tangents[k], was = e->contacts[i].mode;
    dls_event_contact *contact = &e->contacts[i];
    for (int j = 0; j <= d; j++) e->lambda[w->rows[r] + j] = w->x[r + j] / h;
    if (!(w->x[r] > 0)) continue;
    w->hint[i] = 1;
    const double slip = d > 0 ? dls_disk_length(d, w->a + r + 1) : 0;
    const bool slides = d == 0 || !(w->mu[k] > 0) || slip > 1e-9 * (s->size[w->rows[r] + 1] + slip) + 1e-12;
    contact->mode = slides ? DLS_MODE_SLIP : DLS_MODE_STICK;
    for (int j = 0; j < d; j++) contact->slip[j] = slides && slip > 0 ? w->a[r + 1 + j] / slip : 0;
    if (s->v[w->rows[r]] < -dls_event_noise(e) && was == DLS_MODE_OPEN) {
      dls_event_entry event = {.t = t, .kind = DLS_EVENT_IMPACT, .contact = i, .mode = contact->mode,
                         .velocity = s->v[w->rows[r]]};
      for (int j = 0; j <= d; j++) event.impulse[j] = w->x[r + j];
      e->stats.impacts++;
      status = dls_event_tell(e, &event);
    }
    if (status != DLS_OK) break;
    if (was == DLS_MODE_OPEN) status = tell(e, i, DLS_EVENT_CONTACT, t);
    else if (was != (int)contact->mode) status = tell(e, i, slides ? DLS_EVENT_SLIP : DLS_EVENT_STICK, t);
  }
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
    if (w->hint[i] || e->contacts[i].mode == DLS_MODE_OPEN) continue;
    e->contacts[i].mode = DLS_MODE_OPEN;
    status = tell(e, i, DLS_EVENT_SEPARATION, t);
  }
  return status;
}

static dls_status step(dls_event_scheme *e, double h, double theta) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  const double t_c = e->t + (1 - theta) * h;
  for (int l = 0; l < s->n; l++) w->q[l] = e->q[l] + (1 - theta) * h * e->u[l];
  dls_status status = dls_system_dynamics(s, t_c, w->q, e->u);
  if (status != DLS_OK) return status;
  for (int l = 0; l < s->n; l++) w->u[l] = e->u[l] + h * s->smooth[l];
  status = find_contacts(e, t_c, h, theta);
  double residual = 0;
  if (status == DLS_OK && w->n_rows > 0) status = solve(e, true, &residual);
  if (status != DLS_OK) return status;
  if (!(residual <= MISSED)) return DLS_STATE;
  e->stats.residual = dls_max(e->stats.residual, residual);
  for (int r = 0; r < w->n_rows; r++) e->speed = dls_max(e->speed, s->size[w->rows[r]]);
  status = record(e, h, e->t + h);
  if (status != DLS_OK) return status;
  respond(e, 1, w->u);
  for (int l = 0; l < s->n; l++) w->q[l] += theta * h * w->u[l];
  memcpy(w->udot, w->u, (size_t)s->n * sizeof(double)); /* rows below ask for e->u */
  status = project(e, e->t + h, w->q);
  if (status != DLS_OK) return status;
  for (int l = 0; l < s->n; l++)
    if (!dls_is_finite(w->q[l]) || !dls_is_finite(w->udot[l])) return DLS_RANGE;
  memcpy(e->q, w->q, (size_t)s->n * sizeof(double));
  memcpy(e->u, w->udot, (size_t)s->n * sizeof(double));
  e->t += h;
  e->stats.steps++;
  e->settled = false;
  return DLS_OK;
}

dls_status dls_event_time_step(dls_event_scheme *e, double h, double theta) {
  dls_event_save(e);
  const dls_status status = step(e, h, theta);
  if (status != DLS_OK) dls_event_put_back(e);
  return status;
}
