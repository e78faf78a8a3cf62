/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_step.h"

#include "core/events/time_parts.h"

#define MISSED 1e-6 /* residual from which a step is refused */

/* q_c: w->q. */
static void go_to_middle(dls_time *x) {
  for (int l = 0; l < x->e->system->n; l++)
    x->e->scratch->q[l] = x->e->q[l] + x->halves.early * x->e->u[l];
}

/* Velocities that forces alone make: w->u. */
static void release(dls_time *x) {
  for (int l = 0; l < x->e->system->n; l++)
    x->e->scratch->u[l] = x->e->u[l] + x->h * x->e->system->smooth[l];
}

/* Impulses of the contacts: w->u. */
static dls_status push(dls_time *x) {
  dls_event_scratch *w = x->e->scratch;
  release(x);
  dls_status status = dls_time_find_contacts(x);
  if (status == DLS_OK) status = dls_time_collide(x);
  if (status == DLS_OK && w->n_rows > 0) status = dls_time_solve(x);
  if (status == DLS_OK) dls_time_respond(x->e, 1, w->x, w->u);
  return status;
}

/* u' in w->u. Forces that depend on velocities are those of the mean of u and u', found by one
** iteration: without it gyroscopic terms would make the step of first order. */
static dls_status find_velocities(dls_time *x) {
  dls_event_scheme *e = x->e;
  dls_event_scratch *w = e->scratch;
  const size_t n = (size_t)e->system->n;
  dls_status status = dls_system_dynamics(e->system, x->t_c, w->q, e->u);
  memcpy(w->u_0, e->system->smooth, n * sizeof *w->u_0);
  if (status == DLS_OK) status = push(x);
  for (size_t l = 0; l < n; l++) w->udot[l] = w->u[l], w->mean[l] = 0.5 * (e->u[l] + w->u[l]);
  if (status == DLS_OK) status = dls_system_push(e->system, x->t_c, w->q, w->mean);
  if (status != DLS_OK) return status;
  if (memcmp(w->u_0, e->system->smooth, n * sizeof *w->u_0) != 0) return push(x);
  memcpy(w->u, w->udot, n * sizeof *w->u);
  return DLS_OK;
}

/* What the solve was like. */
static dls_status judge(dls_time *x) {
  dls_event_scheme *e = x->e;
  const dls_event_scratch *w = e->scratch;
  for (int r = 0; r < w->n_rows; r++) e->speed = dls_max(e->speed, e->system->size[w->rows[r]]);
  /* what impacts left: nothing */
  if (x->residual * x->scale <= dls_time_round_off(x)) return DLS_OK;
  if (!(x->residual <= MISSED)) return DLS_STATE;
  e->stats.residual = dls_max(e->stats.residual, x->residual);
  return DLS_OK;
}

/* q' and u' become the state. */
static dls_status commit(dls_time *x, const double *u) {
  dls_event_scheme *e = x->e;
  const dls_event_scratch *w = e->scratch;
  const size_t n = (size_t)e->system->n;
  for (size_t l = 0; l < n; l++)
    if (!dls_is_finite(w->q[l]) || !dls_is_finite(u[l])) return DLS_RANGE;
  memcpy(e->q, w->q, n * sizeof *e->q);
  memcpy(e->u, u, n * sizeof *e->u);
  e->t = x->t_end;
  e->stats.steps++;
  e->settled = false, e->stepped = true;
  return DLS_OK;
}

static dls_status step(dls_time *x) {
  dls_event_scheme *e = x->e;
  dls_event_scratch *w = e->scratch;
  const int n = e->system->n;
  go_to_middle(x);
  dls_status status = find_velocities(x);
  if (status == DLS_OK) status = judge(x);
  if (status == DLS_OK) status = dls_time_record(x);
  if (status != DLS_OK) return status;
  for (int l = 0; l < n; l++) w->q[l] += x->halves.late * w->u[l];
  memcpy(w->udot, w->u, (size_t)n * sizeof *w->udot); /* rows below ask for e->u */
  status = dls_time_project(x, w->q);
  return status == DLS_OK ? commit(x, w->udot) : status;
}

/* A state written from outside must not overlap. */
static dls_status check_start(dls_event_scheme *e) {
  for (int i = 0; i < e->system->n_contacts && !e->stepped; i++) {
    double gap;
    const dls_status status = dls_system_gap(e->system, i, e->t, e->q, &gap);
    e->failed = i;
    if (status != DLS_OK) return status;
    if (gap < -e->opts.gap_tolerance) return DLS_STATE;
  }
  e->failed = -1;
  return DLS_OK;
}

dls_status dls_event_time_step(dls_event_scheme *e, double h, double theta) {
  dls_time x = {.e = e, .h = h, .t_c = e->t + (1 - theta) * h, .t_end = e->t + h,
                .halves = {(1 - theta) * h, theta * h}};
  dls_event_save(e);
  dls_status status = check_start(e);
  if (status == DLS_OK) status = step(&x);
  if (status != DLS_OK) dls_event_put_back(e);
  return status;
}
