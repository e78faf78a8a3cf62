/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_driven.h"

#include "core/events/time_parts.h"

#define LEAST 1e-14 /* s, and of t: a step across the jump of a force */

#define NAME(code, text) text,
const char *const dls_event_names[] = {DLS_EVENT_LIST(NAME) NULL};
#undef NAME

dls_event_opts dls_event_opts_default(void) {
  return (dls_event_opts){.dt = 1e-3,
                          .rtol = 1e-10,
                          .atol = 1e-13,
                          .impact = DLS_IMPACT_NEWTON,
                          .corners = 2,
                          .impact_where_inconsistent = true,
                          .gap_tolerance = 1e-5};
}

typedef struct piece { /* of the block */
  void **at;
  size_t n, size;
} piece;

/* All arrays of the scheme from one arena; `arena` NULL: their bytes are counted. */
static size_t lay_out(dls_event_scheme *e, dls_event_scratch *w, const dls_system *s,
                      dls_arena *arena) {
  const size_t n = (size_t)s->n, nq = (size_t)s->nq, k = (size_t)s->n_contacts,
               m = (size_t)s->n_rows;
#define D(field, count) {(void **)&(field), (count), sizeof(double)}
#define I(field, count) {(void **)&(field), (count), sizeof(int)}
#define B(field, count) {(void **)&(field), (count), 1}
  const piece pieces[] = {D(e->q, nq), D(e->u, n), D(e->lambda, m), D(e->impulse, m),
                          {(void **)&e->contacts, k, sizeof *e->contacts}, I(w->listed, k),
                          I(w->first, k), I(w->n_tangents, k), I(w->rows, m), B(w->slides, k),
                          D(w->slip, 2 * k), D(w->mu, k), D(w->e_N, k), D(w->e_T, k),
                          I(w->tangents, k), {(void **)&w->timed, k, sizeof *w->timed},
                          D(w->mean, n), D(w->c, m), D(w->x, m), D(w->a, m), D(w->b, m), D(w->d, m),
                          D(w->share, m), D(w->scale, m), D(w->trial, m), B(w->rests, k),
                          B(w->milder, k), B(w->bears, k), I(w->eq, m), I(w->perm, m), D(w->now, m),
                          D(w->end, m), D(w->q_0, nq), D(w->u_0, n), D(w->q, nq), D(w->u, n),
                          D(w->udot, n), D(w->direction, 2 * k), D(w->f[0], 2 * k),
                          D(w->f[1], 2 * k), D(w->f[2], 2 * k), D(w->f[3], 2 * k),
                          D(w->start_speed, k), D(w->handed, k), I(w->n_slow, k), D(w->kept, k),
                          I(w->island, k), I(w->group, k), D(w->most, k), D(w->none, k),
                          D(w->faint, k), D(w->weak, k), D(w->terms, m), D(w->root, 2 * k),
                          B(w->armed, 2 * k), B(w->hint, k),
                          B(w->before, k), B(w->jumps, 2 * k), D(w->saved_q, nq), D(w->saved_u, n),
                          D(w->saved_lambda, m),
                          {(void **)&w->saved_contacts, k, sizeof *w->saved_contacts},
                          B(w->saved_armed, 2 * k)};
#undef D
#undef I
#undef B
  size_t bytes = 0;
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    bytes = dls_bytes_add(bytes, dls_arena_bytes(pieces[i].n, pieces[i].size));
    if (arena != NULL) *pieces[i].at = dls_arena_take(arena, pieces[i].n, pieces[i].size);
  }
  return bytes;
}

static void advance(void *scheme, double *q, double h, const double *u) {
  dls_system_carry(((const dls_event_scheme *)scheme)->system, q, h, u);
}

static void chart_rate(void *scheme, const double *d, const double *u, double *out) {
  const dls_system_def *def = &((const dls_event_scheme *)scheme)->system->def;
  def->chart_rate(def->ctx, d, u, out);
}

dls_status dls_event_create(dls_event_scheme *e, dls_system *system, const dls_event_opts *opts,
                            double t, const double *q, const double *u, const dls_alloc *alloc) {
  memset(e, 0, sizeof *e);
  const bool positive =
      opts->dt > 0 && opts->rtol > 0 && opts->atol >= 0 && opts->gap_tolerance >= 0;
  if (!positive || (opts->corners != 2 && opts->corners != 4)) return DLS_ARG;
  dls_event_scheme x = {
      .system = system, .opts = *opts, .t = t, .alloc = *alloc, .logs = true, .failed = -1};
  dls_event_scratch scratch;
  memset(&scratch, 0, sizeof scratch);
  const int k = system->n_contacts, m = system->n_rows;
  size_t bytes = lay_out(&x, &scratch, system, NULL);
  bytes = dls_bytes_add(bytes, dls_arena_bytes(1, sizeof scratch));
  bytes = dls_bytes_add(bytes, dls_ode_bytes(system->nq, system->n));
  bytes = dls_bytes_add(bytes, DLS_ALIGN);
  const size_t work = dls_impact_bytes(k < 16 ? k : 16, m < 48 ? m : 48);
  if (bytes == SIZE_MAX || work == SIZE_MAX) return DLS_TOOBIG;
  void *block = dls_new(alloc, bytes, 1);
  if (block == NULL) return DLS_NOMEM;
  const dls_status status = dls_arena_create(&x.tmp, alloc, work);
  if (status != DLS_OK) {
    dls_free(alloc, block, bytes, 1);
    return status;
  }
  dls_arena arena = dls_arena_over(block, bytes);
  x.block = block, x.block_size = bytes;
  x.scratch = DLS_TAKE(&arena, dls_event_scratch, 1);
  memset(x.scratch, 0, sizeof *x.scratch);
  *e = x;
  lay_out(e, e->scratch, system, &arena);
  const size_t n = (size_t)system->n;
  memcpy(e->q, q, (size_t)system->nq * sizeof *q);
  memcpy(e->u, u, n * sizeof *u);
  memset(e->lambda, 0, (size_t)m * sizeof *e->lambda);
  memset(e->impulse, 0, (size_t)m * sizeof *e->impulse);
  for (int i = 0; i < k; i++)
    e->contacts[i] = (dls_event_contact){.mode = DLS_MODE_OPEN,
                                         .struck = -DLS_INF,
                                         .last_impact = -DLS_INF,
                                         .flight = DLS_INF,
                                         .limit = DLS_INF};
  memset(e->scratch->armed, 0, 2 * (size_t)k);
  memset(e->scratch->now, 0, (size_t)m * sizeof(double));
  const bool plain = system->def.advance == NULL;
  const dls_ode ode = {.nq = system->nq, .nu = system->n, .ctx = e, .accelerate = dls_event_smooth,
                       .advance = plain ? NULL : advance, .chart_rate = plain ? NULL : chart_rate};
  const dls_ode_opts ode_opts = {.method = DLS_ODE_DOPRI5,
                                 .rtol = opts->rtol,
                                 .atol = opts->atol,
                                 .max_steps = 1000,
                                 .least = LEAST};
  return dls_ode_begin(&e->ode, &ode, &ode_opts, t, q, u, &arena);
}

void dls_event_destroy(dls_event_scheme *e) {
  if (e->scratch != NULL) {
    const size_t size = (size_t)e->scratch->room * (size_t)e->scratch->room;
    dls_free(&e->alloc, e->scratch->G, size, sizeof(double));
    dls_free(&e->alloc, e->scratch->A, size, sizeof(double));
    dls_free(&e->alloc, e->scratch->kernel, size, sizeof(double));
    dls_arena_destroy(&e->scratch->stiff, &e->alloc);
  }
  if (e->log != NULL) dls_free(&e->alloc, e->log, (size_t)e->n_log_room, sizeof *e->log);
  dls_arena_destroy(&e->tmp, &e->alloc);
  dls_free(&e->alloc, e->block, e->block_size, 1);
  memset(e, 0, sizeof *e);
}

void dls_event_arm(dls_event_scheme *e, int i, const int armed[2]) {
  for (int k = 0; k < 2; k++) e->scratch->armed[2 * i + k] = armed[k] != 0;
}

void dls_event_armed(const dls_event_scheme *e, int i, int armed[2]) {
  for (int k = 0; k < 2; k++) armed[k] = e->scratch->armed[2 * i + k];
}

void dls_event_changed(dls_event_scheme *e) {
  e->settled = e->stepped = false;
  e->next_dt = 0;
}

void dls_event_set_time(dls_event_scheme *e, double t) {
  e->t = t;
  for (int i = 0; i < e->system->n_contacts; i++) {
    dls_event_contact *contact = &e->contacts[i];
    contact->last_impact = contact->struck = -DLS_INF, contact->flight = contact->limit = DLS_INF;
    contact->n_brief = 0;
  }
  dls_event_changed(e);
}

dls_status dls_event_accelerations(dls_event_scheme *e, double *udot, unsigned char *modes) {
  const dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  dls_event_save(e);
  dls_status status = dls_event_look(e);
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
    for (int j = 0; j < 2; j++) w->direction[2 * i + j] = e->contacts[i].slip[j];
    modes[i] = (unsigned char)e->contacts[i].mode;
  }
  /* with the velocities as they are: those at rest told what holds */
  if (status == DLS_OK) status = dls_event_smooth(e, e->t, e->q, w->saved_u, udot);
  dls_event_put_back(e);
  return status;
}

const double *dls_event_forces(const dls_event_scheme *e) { return e->scratch->now; }

/* Rows of contact i in the present state, which tell what counts as rest there; whether it is
** closed. */
static dls_status regard(dls_event_scheme *e, int i, bool with_bias, bool *closed) {
  dls_system *s = e->system;
  double gap;
  dls_status status = dls_system_gap(s, i, e->t, e->q, &gap);
  if (status == DLS_OK) status = dls_system_rows(s, i, e->t, e->q, e->u, with_bias);
  if (status != DLS_OK) return status;
  for (int r = s->row[i]; r <= s->row[i] + s->n_tangents[i]; r++)
    e->speed = dls_max(e->speed, s->size[r]);
  *closed =
      e->settled || e->stepped ? e->contacts[i].mode != DLS_MODE_OPEN : gap <= DLS_EVENT_CLOSED;
  return DLS_OK;
}

dls_status dls_event_sets(dls_event_scheme *e, unsigned char *closed, unsigned char *normal,
                          unsigned char *tangential) {
  const dls_system *s = e->system;
  dls_event_save(e);
  dls_status status = dls_event_admit(e);
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
    bool is_closed;
    status = regard(e, i, false, &is_closed);
    if (status != DLS_OK) break;
    const double noise = dls_event_noise(e), *v = s->v + s->row[i];
    const bool rests = is_closed && fabs(v[0]) <= noise;
    closed[i] = is_closed, normal[i] = rests;
    tangential[i] =
        rests && s->n_tangents[i] > 0 && dls_disk_length(s->n_tangents[i], v + 1) <= noise;
  }
  dls_event_put_back(e);
  return status;
}

/* Contacts that are closed and at rest normally as the set, with all that the problem needs. */
static dls_status list_resting(dls_event_scheme *e) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  w->n_listed = w->n_rows = 0;
  dls_system_clear(s);
  dls_status status = dls_system_dynamics(s, e->t, e->q, e->u);
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
    bool closed;
    status = regard(e, i, true, &closed);
    const int r = s->row[i];
    if (status != DLS_OK || !closed || fabs(s->v[r]) > dls_event_noise(e)) continue;
    const int k = w->n_listed++;
    w->listed[k] = i, w->first[k] = w->n_rows, w->n_tangents[k] = s->n_tangents[i];
    for (int j = 0; j <= s->n_tangents[i]; j++) w->rows[w->n_rows++] = r + j;
    status = dls_system_place(s, i);
    if (status == DLS_OK) dls_system_respond(s, i);
  }
  return status == DLS_OK ? dls_event_make_room(e) : status;
}

/* Terms quadratic in velocities, and forces, by those as they are; what is at rest is as
** admitted. */
static dls_status take_own_velocities(dls_event_scheme *e) {
  dls_system *s = e->system;
  const dls_event_scratch *w = e->scratch;
  dls_status status = dls_system_dynamics(s, e->t, e->q, w->saved_u);
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++) {
    const int i = w->listed[k], r = s->row[i];
    status = dls_system_rows(s, i, e->t, e->q, w->saved_u, true);
    for (int j = 0; j <= s->n_tangents[i]; j++) s->v[r + j] = dls_system_velocity(s, r + j, e->u);
  }
  return status;
}

dls_status dls_event_problem(dls_event_scheme *e, dls_contact_problem *p, const int **listed) {
  const dls_event_scratch *w = e->scratch;
  dls_event_save(e);
  dls_status status = dls_event_admit(e);
  if (status == DLS_OK) status = list_resting(e);
  if (status == DLS_OK && e->stepped) status = take_own_velocities(e);
  if (status == DLS_OK) {
    dls_system_delassus(e->system, w->n_rows, w->rows, w->G);
    *listed = w->listed;
    status = dls_event_pose(e, NULL, p);
  }
  dls_event_put_back(e);
  return status;
}

void dls_event_udot(const dls_event_scheme *e, const dls_contact_problem *p, const int *listed,
                    const double *lambda, double *udot) {
  const dls_system *s = e->system;
  memcpy(udot, s->smooth, (size_t)s->n * sizeof *udot);
  for (int k = 0; k < p->n; k++)
    for (int j = 0; j <= p->n_tangents[k]; j++) {
      const double *MJ = dls_system_response(s, s->row[listed[k]] + j);
      for (int l = 0; l < s->n; l++) udot[l] += lambda[p->row[k] + j] * MJ[l];
    }
}
