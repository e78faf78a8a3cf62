/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/event_world.h"

#include "core/accelerations/smooth.h"
#include "core/event_world/function_gap.h"
#include "core/event_world/joint_row.h"
#include "core/event_world/parallel.h"
#include "core/event_world/press.h"
#include "core/event_world/report.h"
#include "core/event_world/touch.h"
#include "core/model/contact_law.h"
#include "core/model/material.h"

dls_status dls_event_world_push(dls_event_world *x, int i, const double *force) {
  const dls_smooth_contact *contact = &x->contacts[i];
  if (contact->joint >= 0) {
    dls_joint_row_push(x, contact, force);
    return DLS_OK;
  }
  double normal = dls_smooth_complies(contact) ? 0 : force[0]; /* among the loads already */
  if (contact->by_function) {
    dls_function_sight sight;
    const dls_status status = dls_function_see(x, i, &sight);
    if (status != DLS_OK) return status;
    dls_function_push(x, contact, &sight, normal);
    normal = 0;
  }
  const dls_smooth_touch at = dls_event_world_touch(x, contact);
  dls_vec3 f = dls_v3_scale(normal, at.n);
  if (x->system.n_tangents[i] > 0) f = dls_v3_axpy(f, force[1], at.t1);
  if (x->system.n_tangents[i] > 1) f = dls_v3_axpy(f, force[2], at.t2);
  dls_touch_push(x, contact, &at, f);
  return DLS_OK;
}

/* --- accelerations ---------------------------------------------------------------------------- */

/* Loads without rigid contacts and joints, and the accelerations with them. */
static dls_status load(dls_event_world *x, double t) {
  dls_world *w = x->world;
  const bool held = x->holds.room > 0;
  dls_status status = held ? dls_joints_drive(w, t) : DLS_OK;
  if (status == DLS_OK && (held || dls_world_is_pushed(w))) dls_trees_scatter(w, w->q, w->u, true);
  if (status == DLS_OK) status = dls_world_accelerate(w, DLS_ROWS_ELSEWHERE);
  bool pressed = false;
  if (status == DLS_OK) status = dls_press_add(x, &pressed);
  if (status == DLS_OK && pressed) return dls_event_world_run(x);
  if (status != DLS_OK || w->trees->method == DLS_FOREST_FAST) return status;
  dls_fault fault = {-1, 0};
  return dls_forest_factor(w->trees->forest, w->trees->state, &fault);
}

dls_status dls_event_world_accelerate(dls_event_world *x, double t, const double *q,
                                      const double *u) {
  dls_status status = dls_event_world_move(x, t, q, u);
  if (status != DLS_OK || (x->accelerated && dls_press_is_as_before(x))) return status;
  if (dls_stop_poll(x->world->stop, 100.0 * (x->nu + 1))) return DLS_STOPPED;
  const double *udot = x->world->trees->state->udot;
  status = load(x, t);
  for (int l = 0; l < x->nu && status == DLS_OK; l++) x->terms[l] = fabs(udot[l]);
  if (status == DLS_OK && x->holds.room > 0) status = dls_holds_accelerate(&x->holds);
  if (status == DLS_OK && x->holds.room > 0) status = dls_event_world_run(x);
  if (status != DLS_OK) return status;
  memcpy(x->udot, udot, (size_t)x->nu * sizeof *udot);
  for (int l = 0; l < x->nu && x->holds.room > 0; l++) x->terms[l] += fabs(udot[l]);
  x->accelerated = true;
  return DLS_OK;
}

dls_status dls_event_world_react(dls_event_world *x, const double *force) {
  const dls_event_scheme *e = &x->scheme;
  dls_trees *trees = x->world->trees;
  x->accelerated = false;
  dls_status status = load(x, x->t);
  for (int i = 0; i < x->n && status == DLS_OK; i++)
    if (e->contacts[i].mode != DLS_MODE_OPEN)
      status = dls_event_world_push(x, i, force + x->system.row[i]);
  trees->state->loaded = true;
  if (status == DLS_OK) status = dls_event_world_run(x);
  if (status == DLS_OK && x->holds.room > 0) status = dls_holds_accelerate(&x->holds);
  if (status == DLS_OK && x->holds.room > 0) status = dls_event_world_run(x);
  if (status != DLS_OK) return status;
  if (trees->method == DLS_FOREST_FAST) dls_forest_reactions(trees->forest, trees->state);
  trees->known = DLS_KNOWN_ACCELERATION;
  return DLS_OK;
}

/* --- the system ------------------------------------------------------------------------------- */

int dls_smooth_tangents(const dls_world *w, const dls_smooth_contact *contact) {
  if (contact->joint >= 0) return dls_joint_row_is_held(contact) ? 1 : 0;
  const dls_material *m = &contact->material;
  const bool smooth = m->law == 0 && m->friction == 0 && m->kinetic == 0;
  return smooth ? 0 : w->dim - 1;
}

static bool is_off(const dls_world *w, const dls_smooth_contact *contact) {
  return contact->user >= 0 && !w->user_contacts[contact->user].active;
}

/* x stands at t and q. */
static dls_status gap_there(void *ctx, int i, double t, const double *q, double *gap) {
  dls_event_world *x = ctx;
  const dls_smooth_contact *contact = &x->contacts[i];
  *gap = dls_joint_row_is_held(contact) ? 0 : DLS_INF;
  if (dls_joint_row_is_held(contact)) return DLS_OK;
  if (contact->joint >= 0) return dls_joint_row_gap(x, contact, t, q, gap);
  if (is_off(x->world, contact)) return DLS_OK;
  if (contact->by_function) {
    const dls_status status = dls_function_gap(x, i, t, q, gap);
    if (status != DLS_OK) return status;
  } else {
    if (dls_touch_is_elsewhere(x, contact)) return DLS_OK;
    *gap = dls_touch_gap(x, contact);
  }
  if (dls_smooth_complies(contact) && !dls_press_bears(x, i)) *gap += dls_press_relaxed(x, i, t);
  return DLS_OK;
}

static dls_status gap_of(void *ctx, int i, double t, const double *q, double *gap) {
  dls_event_world *x = ctx;
  const dls_status status = dls_event_world_place(x, t, q);
  return status == DLS_OK ? gap_there(x, i, t, q, gap) : status;
}

/* The normal row of a compliant contact, whose force is given. */
static dls_status give(dls_event_world *x, int i, double *row, double *drift, double *wbar) {
  dls_press at = {0};
  memset(row, 0, (size_t)x->nu * sizeof *row);
  drift[0] = 0;
  if (wbar == NULL) return DLS_OK;
  const dls_status status = dls_press_look(x, i, &at);
  wbar[0] = -at.force;
  return status;
}

/* Of the terms of an acceleration: round-off, where trees pin a row. */
static const double ROUND = 1e-12;

static dls_status rows_of(void *ctx, int i, double t, const double *q, const double *u, double *row,
                          double *drift, double *wbar) {
  dls_event_world *x = ctx;
  const dls_smooth_contact *contact = &x->contacts[i];
  const int m = 1 + x->system.n_tangents[i];
  if (contact->by_function) {
    const dls_status seen = dls_function_rows(x, i, t, q, u, row, drift, wbar);
    return seen == DLS_OK && dls_smooth_complies(contact) ? give(x, i, row, drift, wbar) : seen;
  }
  dls_status status =
      wbar != NULL ? dls_event_world_accelerate(x, t, q, u) : dls_event_world_move(x, t, q, u);
  if (status != DLS_OK) return status;
  if (contact->joint >= 0) return dls_joint_row_rows(x, contact, row, drift, wbar);
  const dls_smooth_touch at = dls_event_world_touch(x, contact);
  const dls_vec3 v = dls_event_world_slip(x, contact, &at), axis[3] = {at.n, at.t1, at.t2};
  double a[3] = {0};
  if (wbar != NULL) status = dls_touch_accelerations(x, contact, &at, a);
  for (int k = 0; k < m && status == DLS_OK; k++) {
    double *w = row + (size_t)k * (size_t)x->nu, speed = 0, pull = 0;
    const bool pinned = !dls_event_world_row(x, contact, &at, axis[k], w);
    for (int l = 0; l < x->nu; l++) speed += w[l] * u[l], pull += w[l] * x->udot[l];
    drift[k] = dls_v3_dot(axis[k], v) - speed;
    /* nothing but bodies of the forest */
    if (fabs(drift[k]) <= 1e-15 * (fabs(speed) + dls_v3_norm(v))) drift[k] = 0;
    if (wbar != NULL) wbar[k] = a[k] - pull;
    if (wbar != NULL && pinned && fabs(a[k]) <= ROUND * dls_touch_terms(x, contact, &at))
      wbar[k] = 0;
  }
  return status == DLS_OK && dls_smooth_complies(contact) ? give(x, i, row, drift, wbar) : status;
}

static dls_status smooth(void *ctx, double t, const double *q, const double *u, double *udot) {
  dls_event_world *x = ctx;
  const dls_status status = dls_event_world_accelerate(x, t, q, u);
  if (status == DLS_OK) memcpy(udot, x->udot, (size_t)x->nu * sizeof *udot);
  return status;
}

static const double *terms(void *ctx) { return ((const dls_event_world *)ctx)->terms; }

/* w M^-1 w of k rows, each from its answer. */
static double along(int nu, const double *w, const double *out) {
  double sum = 0;
  for (int l = 0; l < nu; l++) sum += w[l] * out[l];
  return sum;
}

/* A row that the joints hold altogether answers nothing: what is left of it is round-off. */
static void respond(void *ctx, int k, const double *w, double *out) {
  static const double HELD = 1e-13; /* of w M^-1 w */
  dls_event_world *x = ctx;
  dls_forest_solve(x->world->trees->forest, x->world->trees->state, k, w, out);
  if (x->holds.room == 0) return;
  for (int r = 0; r < k; r++, w += x->nu, out += x->nu) {
    const double before = along(x->nu, w, out);
    dls_holds_answer(&x->holds, 1, out);
    if (along(x->nu, w, out) <= HELD * before) memset(out, 0, (size_t)x->nu * sizeof *out);
  }
}

static dls_status project(void *ctx, double t, double *q, double *u) {
  dls_event_world *x = ctx;
  return dls_holds_project(&x->holds, t, q, u);
}

/* mu at a speed, in the limit to slip for 0, at rest below. */
static dls_status friction(void *ctx, int i, double speed, double *mu) {
  const dls_event_world *x = ctx;
  *mu = 1;
  if (dls_joint_row_is_held(&x->contacts[i])) return DLS_OK;
  return dls_friction_at(x->world, &x->contacts[i].material, dls_asked_speed(speed), mu);
}

static bool given(void *ctx, int i) {
  const dls_smooth_contact *contact = &((const dls_event_world *)ctx)->contacts[i];
  return dls_joint_row_is_held(contact) || dls_smooth_complies(contact);
}

static bool moves(void *ctx, int i) {
  return ((const dls_event_world *)ctx)->contacts[i].by_function;
}

static void advance(void *ctx, double *q, double h, const double *u) {
  const dls_event_world *x = ctx;
  dls_forest_advance(x->world->trees->forest, q, h, u);
}

static void chart_rate(void *ctx, const double *d, const double *u, double *out) {
  const dls_event_world *x = ctx;
  dls_forest_chart_rate(x->world->trees->forest, d, u, out);
}

dls_system_def dls_event_world_system(dls_event_world *x) {
  const dls_forest *forest = x->world->trees->forest;
  return (dls_system_def){.n = forest->nu, .nq = forest->nq, .n_contacts = x->n, .span = 1e-3,
                          .ctx = x, .gap = gap_of, .gap_there = gap_there, .friction = friction,
                          .advance = advance, .chart_rate = chart_rate, .smooth = smooth,
                          .terms = terms,
                          .longest = dls_event_world_longest, .hand = dls_parallel_hand,
                          .round_off = dls_parallel_round_off, .respond = respond, .rows = rows_of,
                          .tell = dls_event_world_note, .given = given, .moves = moves,
                          .project = x->holds.room > 0 ? project : NULL};
}
