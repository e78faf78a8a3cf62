/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

#define QUIET 1e-7      /* of dt/1e-3 s: nothing is watched so soon after an event                       */
#define N_SAMPLES 4     /* of a step's dense output                                                      */
#define TIE 1e-12       /* s: events nearer than this, and 1e-14 of t, are one instant                   */
#define MEET 12         /* steps of the integrator that meet an event                                    */
#define PIECES 20000    /* of it that reach one: near a slip of almost 0 its direction turns ever faster   */
#define SHORTEST 1e-15  /* of t: steps below it are none                                                 */
#define SETTLE 200      /* events without progress in time before the modes count as not settling        */
#define STOPPED 1e-7    /* of the slip speed at the start of a step: at rest, in space                   */

/* --- watched functions -------------------------------------------------------------------------- */

/* Two functions a contact into f: gap or lambda_N; stop or saturation. Infinite where there is none. */
static dls_status watch(dls_event_scheme *e, double t, const double *q, const double *u, double *f) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  bool closed = false;
  for (int i = 0; i < s->n_contacts; i++) {
    f[2 * i] = f[2 * i + 1] = DLS_INF;
    closed = closed || e->contacts[i].mode != DLS_MODE_OPEN;
    if (e->contacts[i].mode != DLS_MODE_OPEN) continue;
    const dls_status status = dls_system_gap(s, i, t, q, &f[2 * i]);
    if (status != DLS_OK) return status;
  }
  if (!closed) return DLS_OK;
  const dls_status status = dls_event_smooth(e, t, q, u, w->udot);
  if (status != DLS_OK) return status;
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k], r = s->row[i], d = s->n_tangents[i];
    const double *force = w->now + r, *v = s->v + r + 1, *start = w->direction + 2 * i;
    f[2 * i] = force[0];
    if (d == 0) continue;
    double mu;
    const dls_status given = s->def.friction(s->def.ctx, i, -1, &mu);
    if (given != DLS_OK) return given;
    if (e->contacts[i].mode == DLS_MODE_STICK) {
      f[2 * i + 1] = mu * force[0] - dls_disk_length(d, force + 1);
    } else if (e->contacts[i].mode == DLS_MODE_SLIP && mu > 0) {
      f[2 * i + 1] = 0;
      for (int j = 0; j < d; j++) f[2 * i + 1] += start[j] * v[j];
      if (d == 2) /* beside it, the stop is where less is left of it than that */
        f[2 * i + 1] -= dls_min(fabs(start[0] * v[1] - start[1] * v[0]), dls_event_noise(e));
    }
  }
  return DLS_OK;
}

/* Values below these are round-off of functions that have not been positive yet. */
static double noise_of(const dls_event_scheme *e, int k) {
  const dls_event_contact *contact = &e->contacts[k / 2];
  if (contact->mode == DLS_MODE_OPEN) return dls_max(1e-15, -contact->held);
  if (k % 2 == 1 && contact->mode == DLS_MODE_SLIP) return 2 * dls_event_noise(e);
  double largest = 0;
  for (int r = 0; r < e->system->n_rows; r++) largest = dls_max(largest, fabs(e->scratch->now[r]));
  return 1e-9 * largest;
}

/* --- the step that has been made ------------------------------------------------------------------ */

typedef struct span {
  double t, h;      /* s: where it began; its length */
  double theta;     /* share of it: the first event  */
  int pieces;       /* steps that the integrator made of it: with one, its dense output is of the whole */
  bool stiff;       /* made by the implicit method                                                      */
} span;

static void sample(dls_event_scheme *e, const span *sp, double theta) {
  dls_event_scratch *w = e->scratch;
  if (sp->stiff) dls_radau_dense(&w->radau, w->q_0, w->u_0, theta, w->q, w->u);
  else dls_ode_dense(&e->ode, w->q_0, w->u_0, sp->h, theta, w->q, w->u);
}

/* Function k at a share theta of the step. */
static dls_status value_at(dls_event_scheme *e, const span *sp, int k, double theta, double *f, double *value) {
  sample(e, sp, theta);
  const dls_status status = watch(e, sp->t + theta * sp->h, e->scratch->q, e->scratch->u, f);
  *value = f[k];
  return status;
}

/* Zero of function k between shares a (positive there) and b (not positive): Illinois' rule. */
static dls_status zero_of(dls_event_scheme *e, const span *sp, int k, double a, double f_a, double b, double f_b,
                          double *theta) {
  double *f = e->scratch->f[2];
  int side = 0;
  for (int step = 0; step < 60 && (b - a) * sp->h > 1e-15 * (1 + fabs(sp->t)); step++) {
    double c = f_a < DLS_INF && f_a > f_b ? b - f_b * (b - a) / (f_b - f_a) : 0.5 * (a + b), f_c;
    if (!(c > a && c < b)) c = 0.5 * (a + b);
    const dls_status status = value_at(e, sp, k, c, f, &f_c);
    if (status != DLS_OK) return status;
    if (f_c == 0) {
      *theta = c;
      return DLS_OK;
    }
    if (f_c > 0) {
      a = c, f_a = f_c;
      if (side == 1) f_b *= 0.5;
      side = 1;
    } else {
      b = c, f_b = f_c;
      if (side == -1) f_a *= 0.5;
      side = -1;
    }
  }
  *theta = b;
  return DLS_OK;
}

/* Least value of gap k between shares a and c, where a sample between them is below both: golden section. It ends at a
** share where the gap is negative, or with *value >= 0. */
static dls_status dip_of(dls_event_scheme *e, const span *sp, int k, double a, double c, double *theta,
                         double *value) {
  const double golden = 0.6180339887498949;
  double *f = e->scratch->f[2], x = c - golden * (c - a), y = a + golden * (c - a), f_x, f_y;
  dls_status status = value_at(e, sp, k, x, f, &f_x);
  if (status == DLS_OK) status = value_at(e, sp, k, y, f, &f_y);
  for (int step = 0; step < 40 && status == DLS_OK && f_x >= 0 && f_y >= 0; step++) {
    if (f_x < f_y) {
      c = y, y = x, f_y = f_x, x = c - golden * (c - a);
      status = value_at(e, sp, k, x, f, &f_x);
    } else {
      a = x, x = y, f_x = f_y, y = a + golden * (c - a);
      status = value_at(e, sp, k, y, f, &f_y);
    }
  }
  *theta = f_x < f_y ? x : y, *value = dls_min(f_x, f_y);
  return status;
}

/* First event between the shares a and b of the last two samples (b's values in f[1], a's in f[0]) into w->root;
** whether there is one. f_old: values of the sample before a at share `old`, NULL: none. */
static dls_status search(dls_event_scheme *e, const span *sp, double old, const double *f_old, double a, double b,
                         bool *found) {
  dls_event_scratch *w = e->scratch;
  const double *f_a = w->f[0], *f_b = w->f[1];
  dls_status status = DLS_OK;
  for (int k = 0; k < 2 * e->system->n_contacts && status == DLS_OK; k++) {
    const bool gap = e->contacts[k / 2].mode == DLS_MODE_OPEN && k % 2 == 0;
    w->root[k] = DLS_INF;
    if (!(f_b[k] < DLS_INF)) continue;
    if (w->armed[k] && f_b[k] <= 0) {
      w->root[k] = a;
      if (f_a[k] > 0) status = zero_of(e, sp, k, a, f_a[k], b, f_b[k], &w->root[k]);
    } else if (!w->armed[k] && f_b[k] < -noise_of(e, k)) {
      w->root[k] = a > 0 ? a : b;
    } else if (gap && w->armed[k] && f_old != NULL && f_a[k] > 0 && f_a[k] <= f_old[k] && f_a[k] <= f_b[k] &&
               f_old[k] + f_b[k] - 2 * f_a[k] > f_a[k]) { /* the parabola's least value may be negative */
      double at, least;
      status = dip_of(e, sp, k, old, b, &at, &least);
      if (status == DLS_OK && least < 0) status = zero_of(e, sp, k, old, f_old[k], at, least, &w->root[k]);
    }
    *found = *found || w->root[k] < DLS_INF;
  }
  return status;
}

/* The first event of the step into sp->theta (infinite: none) and w->root. */
static dls_status find_event(dls_event_scheme *e, span *sp, bool fresh) {
  dls_event_scratch *w = e->scratch;
  const int m = 2 * e->system->n_contacts;
  double old = 0, a = 0;
  bool found = false, first = true;
  sp->theta = DLS_INF;
  dls_status status = watch(e, sp->t, w->q_0, w->u_0, w->f[0]);
  for (int k = 0; k < m && status == DLS_OK; k++)
    if (w->f[0][k] < DLS_INF && w->f[0][k] > noise_of(e, k)) w->armed[k] = 1;
  const double quiet = QUIET * e->opts.dt / 1e-3 / sp->h;
  const bool early = fresh && quiet < 0.5 / N_SAMPLES;
  for (int j = early ? 0 : 1; j <= N_SAMPLES && status == DLS_OK && !found; j++) {
    const double b = j == 0 ? quiet : (double)j / N_SAMPLES;
    double unused;
    status = value_at(e, sp, 0, b, w->f[1], &unused);
    if (status != DLS_OK) break;
    status = search(e, sp, old, first ? NULL : w->f[3], a, b, &found);
    if (status != DLS_OK || found) break;
    for (int k = 0; k < m; k++)
      if (w->f[1][k] < DLS_INF && w->f[1][k] > noise_of(e, k)) w->armed[k] = 1;
    memcpy(w->f[3], w->f[0], (size_t)m * sizeof(double));
    memcpy(w->f[0], w->f[1], (size_t)m * sizeof(double));
    old = a, a = b, first = false;
  }
  if (status != DLS_OK || !found) return status;
  for (int k = 0; k < m; k++) sp->theta = dls_min(sp->theta, w->root[k]);
  return DLS_OK;
}

/* One step of the integrator. */
static dls_status integrate(dls_event_scheme *e, const span *sp, double to) {
  return sp->stiff ? dls_radau_step(&e->scratch->radau, to) : dls_ode_step(&e->ode, 0, to);
}

/* The integrator's own state at a share of the step. */
static dls_status step_to(dls_event_scheme *e, span *sp, double theta) {
  const dls_event_scratch *w = e->scratch;
  const size_t bytes = (size_t)e->system->n * sizeof(double), q_bytes = (size_t)e->system->nq * sizeof(double);
  const double target = sp->t + theta * sp->h;
  memcpy(e->ode.q, w->q_0, q_bytes);
  memcpy(e->ode.u, w->u_0, bytes);
  e->ode.t = sp->t;
  sp->pieces = 0;
  for (int tries = 0; e->ode.t < target; tries++) {
    if (!(target - e->ode.t > SHORTEST * fabs(target))) { /* less than a step of the integrator: round-off */
      e->ode.t = target;
      break;
    }
    sp->pieces++;
    e->ode.next_dt = target - e->ode.t;
    const dls_status status = tries < PIECES ? integrate(e, sp, target) : DLS_STATE;
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

/* Meets the first event by steps of the integrator: Newton's steps in time on its function. */
static dls_status meet(dls_event_scheme *e, span *sp) {
  dls_event_scratch *w = e->scratch;
  int k = 0;
  for (int j = 0; j < 2 * e->system->n_contacts; j++)
    if (w->root[j] < w->root[k]) k = j;
  double theta = w->root[k], f, g;
  const double near = dls_max(1e-4, 1e-9 / sp->h);
  const double other = theta > near ? theta - near : theta + near;
  dls_status status = value_at(e, sp, k, theta, w->f[2], &f);
  if (status == DLS_OK) status = value_at(e, sp, k, other, w->f[2], &g);
  if (status != DLS_OK) return status;
  const double slope = (f - g) / (theta - other);
  double best = DLS_INF;
  for (int tries = 0; tries < MEET; tries++) {
    status = step_to(e, sp, theta);
    if (status == DLS_OK) status = watch(e, e->ode.t, e->ode.q, e->ode.u, w->f[2]);
    if (status != DLS_OK) return status;
    sp->theta = theta;
    f = w->f[2][k];
    const double by = slope < 0 ? -f / slope : 0;
    if (f == 0 || !(fabs(f) < 0.5 * best) || !(fabs(by) * sp->h > 1e-16 * (1 + fabs(sp->t)))) break;
    if (!(theta + by > 0 && theta + by <= 1.001)) break;
    best = fabs(f);
    theta += by;
  }
  return DLS_OK;
}

/* What the events at this instant are; false: a slip that was no stop after all. */
static bool hints(dls_event_scheme *e, const span *sp) {
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  const double tie = (TIE + 1e-14 * fabs(sp->t)) / sp->h;
  double first = DLS_INF;
  bool any = false;
  for (int k = 0; k < 2 * s->n_contacts; k++) first = dls_min(first, w->root[k]);
  memset(w->hint, DLS_HINT_NONE, (size_t)s->n_contacts);
  for (int k = 0; k < 2 * s->n_contacts; k++) {
    const int i = k / 2, mode = e->contacts[i].mode;
    if (!(w->root[k] <= first + tie) || w->hint[i] != DLS_HINT_NONE) continue;
    if (k % 2 == 0) w->hint[i] = mode == DLS_MODE_OPEN ? DLS_HINT_CLOSE : DLS_HINT_DETACH;
    else if (mode == DLS_MODE_STICK) w->hint[i] = DLS_HINT_SLIP;
    else if (s->n_tangents[i] == 2 && dls_disk_length(2, s->v + s->row[i] + 1) >
                                          STOPPED * w->start_speed[i] + 2 * dls_event_noise(e)) continue;
    else w->hint[i] = DLS_HINT_STOP;
    any = true;
  }
  return any;
}

/* --- a run ---------------------------------------------------------------------------------------- */

/* Slip directions and speeds where the step begins. */
static dls_status begin_step(dls_event_scheme *e) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  memcpy(w->q_0, e->q, (size_t)s->nq * sizeof(double));
  memcpy(w->u_0, e->u, (size_t)s->n * sizeof(double));
  for (int i = 0; i < s->n_contacts; i++) {
    dls_event_contact *contact = &e->contacts[i];
    double *direction = w->direction + 2 * i;
    w->start_speed[i] = 0;
    direction[0] = contact->slip[0], direction[1] = contact->slip[1];
    if (contact->mode != DLS_MODE_SLIP || s->n_tangents[i] != 2) continue;
    const dls_status status = dls_system_rows(s, i, e->t, e->q, e->u, false);
    if (status != DLS_OK) return status;
    const double *v = s->v + s->row[i] + 1, speed = dls_disk_length(2, v);
    w->start_speed[i] = speed;
    if (!(speed > dls_event_noise(e))) continue;
    for (int j = 0; j < 2; j++) direction[j] = contact->slip[j] = v[j] / speed;
  }
  return DLS_OK;
}

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

/* Impulses of the forces and what friction takes, over the step as far as the integrator has gone, where the forces are
** those watched last: by the nodes of its dense output, else (several pieces) by the trapezoidal rule. */
static dls_status add_impulses(dls_event_scheme *e, const span *sp) {
  const dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  const span made = {.t = sp->t, .h = e->ode.t - sp->t, .stiff = sp->stiff};
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
    status = value_at(e, &made, 0, nodes[k], w->f[2], &unused);
    const double by = closed && status == DLS_OK ? dls_event_friction_power(e, w->now) : 0;
    if (status == DLS_OK)
      status = add_node(e, DLS_ACCOUNT_MIDDLE, made.h * weights[k], sp->t + nodes[k] * made.h, w->q, w->u, by);
  }
  memcpy(w->now, w->end, bytes);
  return status == DLS_OK ? add_node(e, DLS_ACCOUNT_END, first, e->ode.t, e->ode.q, e->ode.u, power) : status;
}

/* The integrator's state becomes the scheme's. */
static dls_status take(dls_event_scheme *e) {
  const size_t bytes = (size_t)e->system->n * sizeof(double);
  memcpy(e->q, e->ode.q, (size_t)e->system->nq * sizeof(double));
  memcpy(e->u, e->ode.u, bytes);
  e->t = e->ode.t;
  return dls_event_project(e, false);
}

/* Where the equations have no solution ahead (Painleve) the integrator comes to a halt: then an impact without
** collision of the closed contacts, if that is what is wanted. */
static dls_status jam(dls_event_scheme *e, dls_status reason) {
  bool slides = false, moved = false;
  for (int i = 0; i < e->system->n_contacts; i++) slides = slides || e->contacts[i].mode == DLS_MODE_SLIP;
  if (!slides || !e->opts.impact_where_inconsistent || (reason != DLS_STATE && reason != DLS_RANGE)) return reason;
  const dls_status status = dls_event_strike(e, true, DLS_EVENT_NUDGE, NULL, &moved);
  if (status != DLS_OK) return status;
  if (!moved) return reason;
  e->stats.inconsistent++;
  e->next_dt = 0;
  memset(e->scratch->hint, DLS_HINT_NONE, (size_t)e->system->n_contacts);
  return dls_event_resolve(e, e->scratch->hint);
}

/* One step of the integrator, up to the first event in it. */
static dls_status step(dls_event_scheme *e, double to, bool *fresh, int *stuck) {
  dls_event_scratch *w = e->scratch;
  const size_t bytes = (size_t)e->system->n * sizeof(double);
  span sp = {.t = e->t, .pieces = 1};
  dls_status status = begin_step(e);
  if (status == DLS_OK) status = dls_event_judge(e, &sp.stiff);
  if (status != DLS_OK) return status;
  memcpy(e->ode.q, e->q, (size_t)e->system->nq * sizeof(double));
  memcpy(e->ode.u, e->u, bytes);
  e->ode.t = e->t;
  e->ode.next_dt = e->next_dt;
  const dls_ode_stats before = e->ode.stats;
  const bool last = to - e->t <= e->opts.dt * (1 + 1e-6); /* no step of round-off's length is left */
  status = integrate(e, &sp, last ? to : e->t + e->opts.dt);
  if (status != DLS_OK) return jam(e, status);
  const double next_dt = e->ode.next_dt;
  sp.h = e->ode.t - sp.t;
  status = find_event(e, &sp, *fresh);
  if (status != DLS_OK) return status;
  bool event = sp.theta < DLS_INF;
  if (event) {
    status = meet(e, &sp);
    event = status == DLS_OK && hints(e, &sp);
  }
  if (status == DLS_OK) status = add_impulses(e, &sp);
  if (status == DLS_OK) status = take(e);
  if (status != DLS_OK) return status;
  e->next_dt = event ? 0 : next_dt;
  e->stats.steps += e->ode.stats.steps - before.steps;
  e->stats.rejected += e->ode.stats.rejected - before.rejected;
  *stuck = e->t - sp.t > 1e-9 * e->opts.dt ? 0 : *stuck + 1;
  w->idle = *stuck;
  *fresh = event;
  if (event) return *stuck > SETTLE ? DLS_STATE : dls_event_resolve(e, w->hint);
  bool closed = false;
  for (int i = 0; i < e->system->n_contacts; i++) closed = closed || e->contacts[i].mode != DLS_MODE_OPEN;
  if (closed) { /* reference of the next step's forces */
    status = dls_event_smooth(e, e->t, e->q, e->u, w->udot);
    if (status == DLS_OK) memcpy(e->lambda, w->now, (size_t)e->system->n_rows * sizeof(double));
    if (status == DLS_OK) e->friction_power = dls_event_friction_power(e, w->now);
  }
  return status;
}

void dls_event_save(dls_event_scheme *e) {
  const dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  memcpy(w->saved_q, e->q, (size_t)s->nq * sizeof(double));
  memcpy(w->saved_u, e->u, (size_t)s->n * sizeof(double));
  memcpy(w->saved_lambda, e->lambda, (size_t)s->n_rows * sizeof(double));
  memcpy(w->saved_contacts, e->contacts, (size_t)s->n_contacts * sizeof *e->contacts);
  memcpy(w->saved_armed, w->armed, 2 * (size_t)s->n_contacts);
  w->saved = *e;
}

void dls_event_put_back(dls_event_scheme *e) {
  const dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  dls_event_entry *log = e->log;
  const dls_arena tmp = e->tmp;
  const int room = e->n_log_room, failed = e->failed;
  *e = w->saved;
  e->tmp = tmp, e->log = log, e->n_log_room = room, e->failed = failed;
  memcpy(e->q, w->saved_q, (size_t)s->nq * sizeof(double));
  memcpy(e->u, w->saved_u, (size_t)s->n * sizeof(double));
  memcpy(e->lambda, w->saved_lambda, (size_t)s->n_rows * sizeof(double));
  memcpy(e->contacts, w->saved_contacts, (size_t)s->n_contacts * sizeof *e->contacts);
  memcpy(w->armed, w->saved_armed, 2 * (size_t)s->n_contacts);
}

/* Which contacts are closed where the state was written from outside. */
static dls_status find_closed(dls_event_scheme *e) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  for (int i = 0; i < s->n_contacts; i++) {
    double gap;
    const dls_status status = dls_system_gap(s, i, e->t, e->q, &gap);
    e->failed = i;
    if (status != DLS_OK) return status;
    const bool given = s->given[s->row[i]];
    if (gap < -e->opts.gap_tolerance && !given) return DLS_STATE;
    const bool closed = gap <= DLS_EVENT_CLOSED;
    w->hint[i] = DLS_HINT_FOUND;
    if (closed == (e->contacts[i].mode != DLS_MODE_OPEN)) continue;
    e->contacts[i] = (dls_event_contact){.mode = closed ? DLS_MODE_SLIP : DLS_MODE_OPEN,
                                         .held = given ? 0 : dls_min(gap, 0),
                                         .struck = -DLS_INF,
                                         .last_impact = -DLS_INF,
                                         .flight = DLS_INF};
    w->armed[2 * i] = w->armed[2 * i + 1] = 0;
  }
  e->failed = -1;
  return DLS_OK;
}

static dls_status settle(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  if (e->settled) return DLS_OK;
  const dls_status status = find_closed(e);
  if (status != DLS_OK) return status;
  memset(w->now, 0, (size_t)e->system->n_rows * sizeof *w->now);
  return dls_event_resolve(e, w->hint);
}

dls_status dls_event_settle(dls_event_scheme *e) {
  if (e->settled) return DLS_OK;
  dls_event_save(e);
  const dls_status status = settle(e);
  if (status != DLS_OK) dls_event_put_back(e);
  return status;
}

dls_status dls_event_run(dls_event_scheme *e, double to) {
  dls_event_save(e);
  bool fresh = !e->settled;
  int stuck = e->scratch->idle = 0;
  dls_status status = settle(e);
  while (status == DLS_OK && to - e->t > SHORTEST * fabs(to)) status = step(e, to, &fresh, &stuck);
  if (status == DLS_OK) e->t = to; /* an event may have come within round-off of it */
  else dls_event_put_back(e);
  return status;
}

dls_status dls_event_impact(dls_event_scheme *e, double *impulses) {
  bool moved = false;
  dls_event_save(e);
  dls_status status = find_closed(e);
  if (status == DLS_OK) status = dls_event_strike(e, false, 0, impulses, &moved);
  e->settled = false;
  if (status != DLS_OK) dls_event_put_back(e);
  return status;
}
