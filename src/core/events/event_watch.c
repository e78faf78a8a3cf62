/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* of dt/1e-3 s: nothing is watched so soon after an event */
#define QUIET 1e-7
/* of a step's dense output */
#define N_SAMPLES 4
/* m: an open gap above its level */
#define GROWN 1e-15
/* s: events nearer than this, and 1e-14 of t, are one instant */
#define TIE 1e-12
/* s, and of t: steps that the integrator can make */
#define BEHIND 1e-13
/* steps of the integrator that meet an event */
#define MEET 12
/* of it that reach one: near a slip of almost 0 its direction turns ever faster */
#define PIECES 20000
/* of the slip speed at the start of a step: at rest, in space */
#define STOPPED 1e-7

/* of the terms of an acceleration: round-off */
#define ROUND 1e-14

/* --- watched functions ------------------------------------------------------------------------ */

/* What round-off makes of forces, by groups of the set: w->weak[i], of what a force is beside
** others, and w->faint[i], of normal forces by that of the accelerations, at most: also along a
** normal that nothing accelerates along (a box that slides down a wall), whose row is of what turns
** its body and of the others' round-off. */
static void weigh_round_off(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  dls_event_group(e);
  dls_event_largest(e, w->now, false);
  for (int k = 0; k < w->n_listed; k++) w->weak[w->listed[k]] = DLS_EVENT_ZERO * w->most[k];
  for (int k = 0; k < w->n_listed; k++) w->most[k] = w->none[k] = 0; /* largest terms and 1/G */
  for (int k = 0; k < w->n_listed; k++) {
    const int r = w->rows[w->first[k]], g = w->group[k];
    const double G = w->G[(size_t)w->first[k] * (size_t)w->n_rows + (size_t)w->first[k]];
    if (s->given[r]) continue;
    for (int d = 0; d <= w->n_tangents[k]; d++)
      w->most[g] = dls_max(w->most[g], dls_system_terms(s, r + d));
    if (G > 0) w->none[g] = dls_max(w->none[g], 1 / G);
  }
  for (int k = 0; k < w->n_listed; k++) {
    const int g = w->group[k];
    w->faint[w->listed[k]] = w->most[g] > 0 ? ROUND * w->most[g] * w->none[g] : 0;
  }
}

/* Two functions a contact into f: gap above its level, or lambda_N; stop or saturation. Infinite
** where there is none; forces negative so where the equations of the modes have come to
** contradict each other since the step began. */
static dls_status watch(dls_event_scheme *e, double t, const double *q, const double *u,
                        double *f) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  bool closed = false, there = false;
  w->torn = false;
  for (int i = 0; i < s->n_contacts; i++) {
    f[2 * i] = f[2 * i + 1] = DLS_INF;
    closed = closed || e->contacts[i].mode != DLS_MODE_OPEN;
    if (e->contacts[i].mode != DLS_MODE_OPEN) continue;
    const dls_status status = dls_system_gap_of_many(s, i, there, t, q, &f[2 * i]);
    if (status != DLS_OK) return status;
    there = true;
    f[2 * i] -= e->contacts[i].level;
  }
  if (!closed) return DLS_OK;
  const dls_status status = dls_event_smooth(e, t, q, u, w->udot);
  if (status != DLS_OK) return status;
  w->torn = dls_event_contradict(e, w->udot, &w->largest);
  weigh_round_off(e);
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k], r = s->row[i], d = s->n_tangents[i];
    const double *force = w->now + r, *v = s->v + r + 1, *start = w->direction + 2 * i;
    f[2 * i] = w->torn && !w->was_torn ? -DLS_INF : force[0];
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
  if (contact->mode == DLS_MODE_OPEN) return GROWN;
  if (k % 2 == 1 && contact->mode == DLS_MODE_SLIP) return 2 * dls_event_noise(e);
  return dls_max(e->scratch->weak[k / 2], e->scratch->faint[k / 2]);
}

/* --- the step that has been made -------------------------------------------------------------- */

static void sample(dls_event_scheme *e, const dls_event_span *sp, double theta) {
  dls_event_scratch *w = e->scratch;
  if (sp->stiff) dls_radau_dense(&w->radau, w->q_0, w->u_0, theta, w->q, w->u);
  else dls_ode_dense(&e->ode, w->q_0, w->u_0, sp->h, theta, w->q, w->u);
}

dls_status dls_event_value_at(dls_event_scheme *e, const dls_event_span *sp, int k, double theta,
                              double *f, double *value) {
  sample(e, sp, theta);
  const dls_status status = watch(e, sp->t + theta * sp->h, e->scratch->q, e->scratch->u, f);
  *value = f[k];
  return status;
}

/* Zero of function k, slack added, between shares a (positive there) and b (not positive):
** Illinois' rule; where it jumps to -infinity by halves, to a state that is behind the jump. */
static dls_status zero_of(dls_event_scheme *e, const dls_event_span *sp, int k, double slack,
                          double a, double f_a, double b, double f_b, double *theta) {
  double *f = e->scratch->f[2];
  const double late = 1 + fabs(sp->t);
  int side = 0;
  for (int step = 0; step < 60 && (b - a) * sp->h > (f_b > -DLS_INF ? 1e-15 : BEHIND) * late;
       step++) {
    double c = f_a < DLS_INF && f_a > f_b ? b - f_b * (b - a) / (f_b - f_a) : 0.5 * (a + b), f_c;
    if (!(c > a && c < b)) c = 0.5 * (a + b);
    const dls_status status = dls_event_value_at(e, sp, k, c, f, &f_c);
    if (status != DLS_OK) return status;
    f_c += slack;
    if (f_c == 0) {
      *theta = c, e->scratch->jumps[k] = 0;
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
  e->scratch->jumps[k] = !(f_b > -DLS_INF);
  return DLS_OK;
}

/* Least value of gap k between shares a and c, where a sample between them is below both: golden
** section. It ends at a share where the gap is negative, or with *value >= 0. */
static dls_status dip_of(dls_event_scheme *e, const dls_event_span *sp, int k, double a, double c,
                         double *theta, double *value) {
  const double golden = 0.6180339887498949;
  double *f = e->scratch->f[2], x = c - golden * (c - a), y = a + golden * (c - a), f_x, f_y;
  dls_status status = dls_event_value_at(e, sp, k, x, f, &f_x);
  if (status == DLS_OK) status = dls_event_value_at(e, sp, k, y, f, &f_y);
  for (int step = 0; step < 40 && status == DLS_OK && f_x >= 0 && f_y >= 0; step++) {
    if (f_x < f_y) {
      c = y, y = x, f_y = f_x, x = c - golden * (c - a);
      status = dls_event_value_at(e, sp, k, x, f, &f_x);
    } else {
      a = x, x = y, f_x = f_y, y = a + golden * (c - a);
      status = dls_event_value_at(e, sp, k, y, f, &f_y);
    }
  }
  *theta = f_x < f_y ? x : y, *value = dls_min(f_x, f_y);
  return status;
}

/* Whether function k is the stop of a slip that keeps steps as short as round-off: what does not
** get away from rest then rests. */
static bool turns_back(const dls_event_scheme *e, const dls_event_span *sp, int k) {
  return k % 2 == 1 && e->contacts[k / 2].mode == DLS_MODE_SLIP &&
         sp->h <= BEHIND * (1 + fabs(sp->t));
}

/* First event between the shares a and b of the last two samples (b's values in f[1], a's in
** f[0]) into w->root; whether there is one. f_old: values of the sample before a at share `old`,
** NULL: none. */
static dls_status search(dls_event_scheme *e, const dls_event_span *sp, double old,
                         const double *f_old, double a, double b, bool *found) {
  dls_event_scratch *w = e->scratch;
  const double *f_a = w->f[0], *f_b = w->f[1];
  dls_status status = DLS_OK;
  for (int k = 0; k < 2 * e->system->n_contacts && status == DLS_OK; k++) {
    const bool gap = e->contacts[k / 2].mode == DLS_MODE_OPEN && k % 2 == 0;
    w->root[k] = DLS_INF, w->jumps[k] = !(f_b[k] > -DLS_INF);
    if (!(f_b[k] < DLS_INF)) continue;
    /* a normal force that is none, of round-off alone: a body that slides down a wall */
    const bool none = k % 2 == 0 && !gap && f_a[k] <= w->faint[k / 2] && f_b[k] >= -w->faint[k / 2];
    if (w->armed[k] && f_b[k] <= 0 && !none) {
      w->root[k] = a;
      if (f_a[k] > 0) status = zero_of(e, sp, k, 0, a, f_a[k], b, f_b[k], &w->root[k]);
    } else if (!w->armed[k] && f_b[k] < -(turns_back(e, sp, k) ? 0.1 : 1) * noise_of(e, k)) {
      /* friction that was at its bound where the step began leaves it there */
      const bool bound =
          k % 2 == 1 && e->contacts[k / 2].mode == DLS_MODE_STICK && w->idle <= DLS_EVENT_PATIENCE;
      w->root[k] = (a > 0 || (bound && f_a[k] >= -noise_of(e, k))) && !w->jumps[k] ? a : b;
      if (gap &&
          w->idle <= DLS_EVENT_BURST) /* it touched where the step began; in a jam time goes on */
        status = zero_of(e, sp, k, GROWN, a, DLS_INF, b, f_b[k], &w->root[k]);
    } else if (gap && w->armed[k] && f_old != NULL && f_a[k] > 0 && f_a[k] <= f_old[k] &&
               f_a[k] <= f_b[k] &&
               f_old[k] + f_b[k] - 2 * f_a[k] >
                   f_a[k]) { /* the parabola's least value may be negative */
      double at, least;
      w->strayed = true;
      status = dip_of(e, sp, k, old, b, &at, &least);
      if (status == DLS_OK && least < 0)
        status = zero_of(e, sp, k, 0, old, f_old[k], at, least, &w->root[k]);
    }
    *found = *found || w->root[k] < DLS_INF;
  }
  return status;
}

/* What is watched in f was positive; open gaps that are no longer negative close at 0. */
static void arm(dls_event_scheme *e, double *f) {
  for (int k = 0; k < 2 * e->system->n_contacts; k++) {
    if (!(f[k] < DLS_INF && f[k] > noise_of(e, k))) continue;
    dls_event_contact *contact = &e->contacts[k / 2];
    e->scratch->armed[k] = 1;
    if (k % 2 == 1 || contact->mode != DLS_MODE_OPEN || !(f[k] + contact->level > GROWN)) continue;
    f[k] += contact->level;
    contact->level = 0;
  }
}

/* Share of the step by which events of forces are met late: where they repeat without progress in
** time a force jumps there, and the state that tells its new modes is behind the jump. */
static double behind(const dls_event_scheme *e, const dls_event_span *sp) {
  const int n = e->scratch->idle - DLS_EVENT_PATIENCE;
  if (n <= 0) return 0;
  double late = 1e-15;
  for (int k = 0; k < n && late < TIE; k++) late *= 2;
  return dls_min(late, TIE) * (1 + fabs(sp->t)) / sp->h;
}

dls_status dls_event_find(dls_event_scheme *e, dls_event_span *sp, bool fresh) {
  dls_event_scratch *w = e->scratch;
  const int m = 2 * e->system->n_contacts;
  double old = 0, a = 0;
  bool found = false, first = true;
  sp->theta = DLS_INF, sp->sampled = 0;
  w->was_torn = true, w->largest = w->largest_before = 0;
  dls_status status = watch(e, sp->t, w->q_0, w->u_0, w->f[0]);
  w->was_torn = w->torn, w->largest_before = w->largest;
  if (status == DLS_OK) arm(e, w->f[0]);
  const double quiet = QUIET * e->opts.dt / 1e-3 / sp->h;
  const bool early = fresh && quiet < 0.5 / N_SAMPLES;
  for (int j = early ? 0 : 1; j <= N_SAMPLES && status == DLS_OK && !found; j++) {
    const double b = j == 0 ? quiet : (double)j / N_SAMPLES;
    double unused;
    w->strayed = false;
    status = dls_event_value_at(e, sp, 0, b, w->f[1], &unused);
    if (status != DLS_OK) break;
    status = search(e, sp, old, first ? NULL : w->f[3], a, b, &found);
    if (status != DLS_OK || found) break;
    arm(e, w->f[1]);
    memcpy(w->f[3], w->f[0], (size_t)m * sizeof(double));
    memcpy(w->f[0], w->f[1], (size_t)m * sizeof(double));
    old = a, a = sp->sampled = b, first = false;
  }
  if (status == DLS_OK && !found && w->strayed) { /* forces are to be those of the end */
    double unused;
    status = dls_event_value_at(e, sp, 0, 1, w->f[2], &unused);
  }
  if (status != DLS_OK || !found) return status;
  for (int k = 0; k < m; k++) {
    if (e->contacts[k / 2].mode != DLS_MODE_OPEN)
      w->root[k] = dls_min(w->root[k] + behind(e, sp), dls_max(w->root[k], 1));
    sp->theta = dls_min(sp->theta, w->root[k]);
  }
  return DLS_OK;
}

dls_status dls_event_integrate(dls_event_scheme *e, const dls_event_span *sp, double to) {
  return sp->stiff ? dls_radau_step(&e->scratch->radau, to) : dls_ode_step(&e->ode, 0, to);
}

dls_status dls_event_piece(dls_event_scheme *e, const dls_event_span *sp, double target) {
  if (!(target - e->ode.t >
        DLS_EVENT_SHORTEST * fabs(target))) { /* less than a step of the integrator: round-off */
    e->ode.t = target;
    return DLS_OK;
  }
  e->ode.next_dt = target - e->ode.t;
  return dls_event_integrate(e, sp, target);
}

/* The integrator's own state at a share of the step. */
static dls_status step_to(dls_event_scheme *e, dls_event_span *sp, double theta) {
  const dls_event_scratch *w = e->scratch;
  const size_t bytes = (size_t)e->system->n * sizeof(double),
               q_bytes = (size_t)e->system->nq * sizeof(double);
  const double target = sp->t + theta * sp->h;
  memcpy(e->ode.q, w->q_0, q_bytes);
  memcpy(e->ode.u, w->u_0, bytes);
  e->ode.t = sp->t;
  sp->pieces = 0;
  for (int tries = 0; e->ode.t < target; tries++) {
    sp->pieces += target - e->ode.t > DLS_EVENT_SHORTEST * fabs(target);
    const dls_status status = tries < PIECES ? dls_event_piece(e, sp, target) : DLS_STATE;
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

dls_status dls_event_meet(dls_event_scheme *e, dls_event_span *sp) {
  dls_event_scratch *w = e->scratch;
  int k = 0;
  for (int j = 0; j < 2 * e->system->n_contacts; j++)
    if (w->root[j] < w->root[k]) k = j;
  double theta = w->root[k], f, g;
  const double near = dls_max(1e-4, 1e-9 / sp->h);
  const double other = theta > near ? theta - near : theta + near;
  dls_status status = dls_event_value_at(e, sp, k, theta, w->f[2], &f);
  if (status == DLS_OK) status = dls_event_value_at(e, sp, k, other, w->f[2], &g);
  if (status != DLS_OK) return status;
  const double slope = (f - g) / (theta - other);
  double best = DLS_INF;
  const int most =
      w->idle > DLS_EVENT_PATIENCE && e->contacts[k / 2].mode != DLS_MODE_OPEN ? 1 : MEET;
  for (int tries = 0; tries < most; tries++) {
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

/* Whether function k, which has no zero up to the event, is about to have one within the same
** instant: the event comes where samples were looked at (steps often end at round times). */
static bool is_about(const dls_event_scheme *e, const dls_event_span *sp, int k, double tie) {
  const dls_event_scratch *w = e->scratch;
  const double f = w->f[2][k], before = w->f[0][k], since = sp->theta - sp->sampled;
  if (!w->armed[k] || !(f < DLS_INF && before < DLS_INF && f >= 0 && since > 0)) return false;
  return f < before && f * since <= (before - f) * tie;
}

bool dls_event_hints(dls_event_scheme *e, const dls_event_span *sp) {
  dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  const double tie = (DLS_EVENT_TIE + 1e-14 * fabs(sp->t)) / sp->h;
  double first = DLS_INF;
  bool any = false;
  for (int k = 0; k < 2 * s->n_contacts; k++) first = dls_min(first, w->root[k]);
  memset(w->hint, DLS_HINT_NONE, (size_t)s->n_contacts);
  for (int k = 0; k < 2 * s->n_contacts; k++) {
    const int i = k / 2, mode = e->contacts[i].mode;
    if (!(w->root[k] <= first + tie || is_about(e, sp, k, tie)) || w->hint[i] != DLS_HINT_NONE)
      continue;
    if (k % 2 == 0 && mode == DLS_MODE_OPEN) w->hint[i] = DLS_HINT_CLOSE;
    /* none: accelerations decide */
    else if (k % 2 == 0) w->hint[i] = w->jumps[k] ? DLS_HINT_NONE : DLS_HINT_DETACH;
    else if (mode == DLS_MODE_STICK) w->hint[i] = DLS_HINT_SLIP;
    else if (s->n_tangents[i] == 2 && dls_disk_length(2, s->v + s->row[i] + 1) >
                                          STOPPED * w->start_speed[i] + 2 * dls_event_noise(e))
      continue;
    else w->hint[i] = DLS_HINT_STOP;
    any = true;
  }
  return any;
}
