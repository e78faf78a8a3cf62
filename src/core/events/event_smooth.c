/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* of the largest velocity so far: rest */
#define NOISE 1e-9
/* m/s: the same where nothing has moved yet */
#define FLOOR 1e-12
/* of the terms of accelerations: equations of the modes that contradict each other */
#define TORN 1e-6
/* of those where the step begins: round-off, where forces go to nothing (1e-13 to 1e-6 hold the
** lifted boxes of event_ties_spec and event_world_jams_spec) */
#define LEFT 1e-9

double dls_event_noise(const dls_event_scheme *e) { return NOISE * e->speed + FLOOR; }

/* Matrices and workspace of as many rows as are listed. */
dls_status dls_event_make_room(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  const size_t m = (size_t)w->n_rows, old = (size_t)w->room * (size_t)w->room;
  const size_t bytes = dls_impact_bytes(w->n_listed, w->n_rows);
  if (bytes == SIZE_MAX) return DLS_TOOBIG;
  if (e->tmp.size < bytes) {
    const dls_status status =
        dls_arena_reserve(&e->tmp, &e->alloc, dls_bytes_add(bytes, bytes / 2));
    if (status != DLS_OK) return status;
  }
  if (w->n_rows <= w->room) return DLS_OK;
  const size_t room = m + m / 2;
  double *G = (double *)dls_new(&e->alloc, room * room, sizeof *G);
  double *A = (double *)dls_new(&e->alloc, room * room, sizeof *A);
  double *kernel = (double *)dls_new(&e->alloc, room * room, sizeof *A);
  if (G == NULL || A == NULL || kernel == NULL) {
    dls_free(&e->alloc, G, room * room, sizeof *G);
    dls_free(&e->alloc, A, room * room, sizeof *A);
    dls_free(&e->alloc, kernel, room * room, sizeof *A);
    return DLS_NOMEM;
  }
  dls_free(&e->alloc, w->G, old, sizeof *G);
  dls_free(&e->alloc, w->A, old, sizeof *A);
  dls_free(&e->alloc, w->kernel, old, sizeof *A);
  w->G = G, w->A = A, w->kernel = kernel, w->room = (int)room;
  return DLS_OK;
}

dls_status dls_event_evaluate(dls_event_scheme *e, double t, const double *q, const double *u,
                              bool with_bias) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  w->n_listed = w->n_rows = 0;
  dls_system_clear(s);
  for (int i = 0; i < s->n_contacts; i++) {
    if (e->contacts[i].mode == DLS_MODE_OPEN) continue;
    dls_status status = dls_system_rows(s, i, t, q, u, with_bias);
    if (status == DLS_OK) status = dls_system_place(s, i);
    if (status != DLS_OK) return status;
    const int k = w->n_listed++;
    w->listed[k] = i, w->first[k] = w->n_rows, w->n_tangents[k] = s->n_tangents[i];
    for (int j = 0; j <= s->n_tangents[i]; j++) w->rows[w->n_rows++] = s->row[i] + j;
  }
  dls_status status = dls_system_dynamics(s, t, q, u);
  if (status == DLS_OK) status = dls_event_make_room(e);
  if (status != DLS_OK) {
    e->failed = -1;
    return status;
  }
  for (int k = 0; k < w->n_listed; k++) dls_system_respond(s, w->listed[k]);
  dls_system_delassus(s, w->n_rows, w->rows, w->G);
  return DLS_OK;
}

void dls_event_measure(dls_event_scheme *e) {
  const dls_event_scratch *w = e->scratch;
  for (int r = 0; r < w->n_rows; r++) e->speed = dls_max(e->speed, e->system->size[w->rows[r]]);
}

double dls_event_friction_power(const dls_event_scheme *e, const double *force) {
  const dls_event_scratch *w = e->scratch;
  double sum = 0;
  for (int k = 0; k < w->n_listed; k++) {
    const int r = e->system->row[w->listed[k]];
    for (int j = 1; j <= w->n_tangents[k]; j++) sum -= force[r + j] * e->system->v[r + j];
  }
  return sum;
}

double dls_event_slip_direction(const dls_event_scheme *e, int i, double *slip) {
  const double *v = e->system->v + e->system->row[i] + 1, *start = e->scratch->direction + 2 * i;
  const double back = 2 * dls_min(v[0] * start[0] + v[1] * start[1], 0);
  const double more = dls_max(dls_event_noise(e) - dls_disk_length(2, v), 0);
  for (int j = 0; j < 2; j++) slip[j] = v[j] + (more - back) * start[j];
  const double size = dls_disk_length(2, slip);
  for (int j = 0; j < 2; j++) slip[j] = size > 0 ? slip[j] / size : start[j];
  return size;
}

/* Direction in which contact i slides with velocities v of its tangents, and its friction
** coefficient. */
static dls_status slip_of(dls_event_scheme *e, int i, double *slip, double *mu) {
  const dls_system *s = e->system;
  const dls_event_contact *contact = &e->contacts[i];
  const double *v = s->v + s->row[i] + 1;
  const int d = s->n_tangents[i];
  double speed = 0;
  slip[0] = slip[1] = 0, *mu = 0;
  if (d == 0) return DLS_OK;
  slip[0] = contact->slip[0], slip[1] = contact->slip[1];
  if (contact->mode == DLS_MODE_SATURATED) return s->def.friction(s->def.ctx, i, -1, mu);
  if (d == 1) {
    speed = dls_max(0, v[0] * slip[0]);
  } else {
    (void)dls_event_slip_direction(e, i, slip);
    speed = dls_max(0, v[0] * slip[0] + v[1] * slip[1]);
  }
  return s->def.friction(s->def.ctx, i, speed, mu);
}

/* The equations of the modes, over the rows that are equations; friction of sliding contacts within
** their normals. */
static int pose_equations(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  const int n_rows = w->n_rows;
  int m = 0;
  for (int k = 0; k < w->n_listed; k++) {
    const bool sticks = e->contacts[w->listed[k]].mode == DLS_MODE_STICK;
    for (int j = 0; j <= (sticks ? w->n_tangents[k] : 0); j++) w->eq[m++] = w->first[k] + j;
  }
  for (int a = 0; a < m; a++) {
    const double *G = w->G + (size_t)w->eq[a] * (size_t)n_rows;
    int b = 0;
    for (int k = 0; k < w->n_listed; k++) {
      const bool sticks = e->contacts[w->listed[k]].mode == DLS_MODE_STICK;
      double column = G[w->first[k]];
      if (!sticks)
        for (int j = 0; j < w->n_tangents[k]; j++)
          column -= w->mu[k] * w->slip[2 * k + j] * G[w->first[k] + 1 + j];
      w->A[a * m + b++] = column;
      for (int j = 0; j < (sticks ? w->n_tangents[k] : 0); j++)
        w->A[a * m + b++] = G[w->first[k] + 1 + j];
    }
  }
  return m;
}

/* A x = b for increments over `reference` (rows of the system): w->d. */
static void solve_equations(dls_event_scheme *e, int m, const double *reference) {
  dls_event_scratch *w = e->scratch;
  for (int a = 0; a < m; a++) {
    double sum = 0;
    for (int b = 0; b < m; b++) sum += w->A[a * m + b] * reference[w->rows[w->eq[b]]];
    w->b[a] -= sum;
    const double g = w->G[(size_t)w->eq[a] * (size_t)w->n_rows + (size_t)w->eq[a]];
    w->a[a] = g > 0 ? 1 / sqrt(g) : 1;
  }
  dls_event_shares(e, m, reference);
  w->redundant =
      dls_ranked_solve_shared(m, w->A, w->b, w->a, w->share, w->perm, w->kernel, w->d) < m;
}

/* |a_r| of row r of the system, and the largest size of such terms. */
static double unmet(const dls_event_scheme *e, int r, const double *udot, double *size) {
  const dls_system *s = e->system;
  const double *w = dls_system_row(s, r);
  double c = s->wbar[r], a = 0, terms = dls_system_terms(s, r);
  for (int l = 0; l < s->n; l++) {
    const double by = w[l] * (udot[l] - s->smooth[l]);
    c += w[l] * s->smooth[l], a += by, terms += fabs(by);
  }
  *size = dls_max(*size, terms);
  return fabs(c + a);
}

bool dls_event_contradict(const dls_event_scheme *e, const double *udot, double *size) {
  const dls_event_scratch *w = e->scratch;
  double worst = 0;
  *size = 0;
  for (int k = 0; k < w->n_listed && w->redundant; k++) {
    const int r = w->rows[w->first[k]];
    const int d = e->contacts[w->listed[k]].mode == DLS_MODE_STICK ? w->n_tangents[k] : 0;
    for (int j = e->system->given[r] ? 1 : 0; j <= d; j++)
      worst = dls_max(worst, unmet(e, r + j, udot, size));
  }
  return worst > TORN * *size && worst > LEFT * w->largest_before;
}

void dls_event_respond(dls_event_scheme *e, double *udot) {
  const dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  const int m = pose_equations(e);
  for (int a = 0; a < m; a++) {
    const int r = w->rows[w->eq[a]];
    double sum = s->wbar[r];
    for (int j = 0; j < s->n; j++) sum += dls_system_row(s, r)[j] * s->smooth[j];
    w->b[a] = -sum;
  }
  solve_equations(e, m, e->lambda);
  memset(w->now, 0, (size_t)s->n_rows * sizeof *w->now);
  for (int a = 0; a < m; a++) w->now[w->rows[w->eq[a]]] = e->lambda[w->rows[w->eq[a]]] + w->d[a];
  memcpy(udot, s->smooth, (size_t)s->n * sizeof *udot);
  for (int k = 0; k < w->n_listed; k++) {
    const int r = w->rows[w->first[k]];
    if (e->contacts[w->listed[k]].mode != DLS_MODE_STICK)
      for (int j = 0; j < w->n_tangents[k]; j++)
        w->now[r + 1 + j] = -w->mu[k] * w->now[r] * w->slip[2 * k + j];
    for (int j = 0; j <= w->n_tangents[k]; j++)
      for (int l = 0; l < s->n; l++)
        udot[l] += w->now[r + j] * dls_system_response(s, r + j)[l];
  }
}

dls_status dls_event_smooth(void *scheme, double t, const double *q, const double *u,
                            double *udot) {
  dls_event_scheme *e = (dls_event_scheme *)scheme;
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  dls_status status = dls_event_evaluate(e, t, q, u, true);
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++)
    status = slip_of(e, w->listed[k], w->slip + 2 * k, &w->mu[k]);
  if (status != DLS_OK) return status;
  dls_event_respond(e, udot);
  for (int l = 0; l < s->n; l++)
    if (!dls_is_finite(udot[l])) return DLS_RANGE;
  return DLS_OK;
}

/* M^-1 J' d over the equations' rows into w->udot, d that which takes w->b back. */
static void take_back(dls_event_scheme *e, int m) {
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  for (int a = 0; a < m; a++) {
    const double *G = w->G + (size_t)w->eq[a] * (size_t)w->n_rows;
    for (int b = 0; b < m; b++) w->A[a * m + b] = G[w->eq[b]];
    w->a[a] = G[w->eq[a]] > 0 ? 1 / sqrt(G[w->eq[a]]) : 1;
  }
  dls_ranked_solve(m, w->A, w->b, w->a, w->perm, w->d);
  memset(w->udot, 0, (size_t)s->n * sizeof *w->udot);
  for (int a = 0; a < m; a++)
    for (int l = 0; l < s->n; l++)
      w->udot[l] += w->d[a] * dls_system_response(s, w->rows[w->eq[a]])[l];
}

dls_status dls_event_project(dls_event_scheme *e, bool begins) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  dls_status status =
      s->def.project != NULL ? s->def.project(s->def.ctx, e->t, e->q, e->u) : DLS_OK;
  if (status != DLS_OK) return status;
  status = dls_event_evaluate(e, e->t, e->q, e->u, false);
  if (status != DLS_OK || w->n_listed == 0) return status;
  dls_event_measure(e);
  const double noise = dls_event_noise(e);
  int m = 0;
  double off = 0;
  for (int k = 0; k < w->n_listed; k++) { /* positions: normals alone */
    const int i = w->listed[k];
    status = dls_system_gap(s, i, e->t, e->q, &s->gap[i]);
    if (status != DLS_OK) return status;
    if (s->given[s->row[i]]) continue;
    const double by = e->contacts[i].held - s->gap[i];
    const bool stays = s->def.round_off != NULL && fabs(by) <= s->def.round_off(s->def.ctx, i);
    w->eq[m] = w->first[k];
    w->b[m++] = stays ? 0 : by;
    off = dls_max(off, fabs(w->b[m - 1]));
    e->stats.drift = dls_max(e->stats.drift, fabs(by));
  }
  if (off > 0) {
    take_back(e, m);
    dls_system_carry(s, e->q, 1, w->udot);
  }
  m = 0;
  for (int k = 0; k < w->n_listed; k++) {
    const bool starts =
        begins && dls_disk_length(w->n_tangents[k], s->v + w->rows[w->first[k]] + 1) <= 2 * noise;
    const bool sticks = starts || e->contacts[w->listed[k]].mode == DLS_MODE_STICK;
    for (int j = 0; j <= (sticks ? w->n_tangents[k] : 0); j++) {
      w->eq[m] = w->first[k] + j;
      w->b[m] = -s->v[w->rows[w->eq[m]]];
      m++;
    }
  }
  take_back(e, m);
  for (int l = 0; l < s->n; l++) e->u[l] += w->udot[l];
  return DLS_OK;
}
