/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* events without progress in time before the modes count as not settling */
#define SETTLE 200
/* steps of the integrator in which it gets on by ... */
#define CRAWL 20000
/* of dt at least: every run ends */
#define PACE 1e-3
/* A slip in space rests that has not got away from rest in so many steps in a row, each between
** LEAST and SHORT of dt: logs in valleys whose slip begins while the nearest point runs along
** (event_world_valley_spec). LEAST is that of its seeds 70 and 135; no range is known of any. */
#define CREEP 20
#define SHORT 1e-2
#define LEAST 1e-9

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

/* The integrator's state becomes the scheme's. */
static dls_status take(dls_event_scheme *e) {
  const size_t bytes = (size_t)e->system->n * sizeof(double);
  memcpy(e->q, e->ode.q, (size_t)e->system->nq * sizeof(double));
  memcpy(e->u, e->ode.u, bytes);
  e->t = e->ode.t;
  return dls_event_project(e, false);
}

/* Where the equations have no solution ahead (Painleve) the integrator comes to a halt: then an
** impact without collision of the closed contacts, if that is what is wanted. */
static dls_status jam(dls_event_scheme *e, dls_status reason) {
  bool slides = false, moved = false;
  for (int i = 0; i < e->system->n_contacts; i++)
    slides = slides || e->contacts[i].mode == DLS_MODE_SLIP;
  if (!slides || !e->opts.impact_where_inconsistent || (reason != DLS_STATE && reason != DLS_RANGE))
    return reason;
  const dls_status status = dls_event_strike(e, true, DLS_EVENT_NUDGE, NULL, &moved);
  if (status != DLS_OK) return status;
  if (!moved) return reason;
  e->stats.inconsistent++;
  e->next_dt = 0;
  memset(e->scratch->hint, DLS_HINT_NONE, (size_t)e->system->n_contacts);
  return dls_event_resolve(e, e->scratch->hint);
}

/* Whether the integrator gets on. */
static bool gets_on(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  if (++w->n_paced < CRAWL) return true;
  const bool on = e->t - w->paced_from > PACE * e->opts.dt;
  w->n_paced = 0, w->paced_from = e->t;
  return on;
}

/* The limit to come of the contacts that give a pair up, told by the first of those that stand
** for it then. */
static void hand_limit(dls_event_scheme *e, const double *held) {
  double limit = DLS_INF;
  for (int i = 0; i < e->system->n_contacts; i++)
    if (held[i] == -DLS_INF)
      limit = dls_min(limit, e->contacts[i].limit), e->contacts[i].limit = DLS_INF;
  for (int i = 0; i < e->system->n_contacts && limit < DLS_INF; i++)
    if (fabs(held[i]) < DLS_INF) e->contacts[i].limit = limit, limit = DLS_INF;
}

/* Contacts that stand for each other: who does from now on. */
static dls_status hand_over(dls_event_scheme *e, bool *any) {
  const dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  *any = false;
  if (s->def.hand == NULL) return DLS_OK;
  const dls_status status = s->def.hand(s->def.ctx, e->t, e->q, e->u, w->handed, any);
  if (status != DLS_OK || !*any) return status;
  hand_limit(e, w->handed);
  for (int i = 0; i < s->n_contacts; i++) {
    const double held = w->handed[i];
    w->hint[i] = DLS_HINT_NONE;
    if (!(held < DLS_INF)) continue;
    w->hint[i] = DLS_HINT_FOUND, w->armed[2 * i] = w->armed[2 * i + 1] = 0;
    memset(e->lambda + s->row[i], 0, (size_t)(1 + s->n_tangents[i]) * sizeof(double));
    const bool closed = held > -DLS_INF;
    e->contacts[i] = (dls_event_contact){.mode = closed ? DLS_MODE_SLIP : DLS_MODE_OPEN,
                                         .held = closed ? held : 0,
                                         .struck = -DLS_INF,
                                         .last_impact = -DLS_INF,
                                         .flight = DLS_INF,
                                         .limit = e->contacts[i].limit};
  }
  e->next_dt = 0;
  return dls_event_resolve(e, w->hint);
}

/* Slips in space that have not got away from rest for so many steps of the integrator, though
** these are short: friction that redundant contacts may share otherwise keeps them at their
** bounds. They stop. */
static bool creeps(dls_event_scheme *e, double h) {
  const dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  const double noise = dls_event_noise(e);
  bool any = false;
  for (int i = 0; i < s->n_contacts; i++) {
    const bool slides = e->contacts[i].mode == DLS_MODE_SLIP && s->n_tangents[i] == 2;
    const bool slow =
        slides && w->start_speed[i] <= noise && dls_disk_length(2, s->v + s->row[i] + 1) <= noise;
    w->n_slow[i] = slow && h < SHORT * e->opts.dt && h > LEAST * e->opts.dt ? w->n_slow[i] + 1 : 0;
    w->hint[i] = w->n_slow[i] > CREEP ? DLS_HINT_STOP : DLS_HINT_NONE;
    if (w->hint[i] == DLS_HINT_NONE) continue;
    any = true;
    w->n_slow[i] = 0;
  }
  return any;
}

/* One step of the integrator, up to the first event in it. */
static dls_status step(dls_event_scheme *e, double to, bool *fresh, int *stuck) {
  dls_event_scratch *w = e->scratch;
  const size_t bytes = (size_t)e->system->n * sizeof(double);
  dls_event_span sp = {.t = e->t, .pieces = 1};
  bool handed;
  dls_status status = hand_over(e, &handed);
  *fresh = *fresh || handed;
  if (status == DLS_OK) status = begin_step(e);
  const dls_system_def *def = &e->system->def;
  double span = e->opts.dt;
  if (status == DLS_OK && def->longest != NULL)
    status = def->longest(def->ctx, e->t, e->q, e->u, &span);
  if (status == DLS_OK) status = dls_event_watchable(e, &span);
  if (status == DLS_OK) status = dls_event_judge(e, &sp.stiff);
  if (status != DLS_OK) return status;
  memcpy(e->ode.q, e->q, (size_t)e->system->nq * sizeof(double));
  memcpy(e->ode.u, e->u, bytes);
  e->ode.t = e->t;
  e->ode.next_dt = e->next_dt;
  const dls_ode_stats before = e->ode.stats;
  const bool last = to - e->t <= span * (1 + 1e-6); /* no step of round-off's length is left */
  status = dls_event_integrate(e, &sp, last ? to : e->t + span);
  if (status == DLS_STATE && sp.stiff) { /* a force jumps: the explicit method steps across */
    sp.stiff = false;
    e->ode.next_dt = e->ode.opts.least * (1 + fabs(e->t));
    status = dls_event_integrate(e, &sp, last ? to : e->t + span);
  }
  if (status != DLS_OK) return jam(e, status);
  const double next_dt = e->ode.next_dt;
  sp.h = e->ode.t - sp.t;
  status = dls_event_find(e, &sp, *fresh);
  if (status != DLS_OK) return status;
  bool event = sp.theta < DLS_INF;
  if (event) {
    status = dls_event_meet(e, &sp);
    event = status == DLS_OK && dls_event_hints(e, &sp);
  }
  if (status == DLS_OK) status = dls_event_add_impulses(e, &sp);
  if (status == DLS_OK) status = take(e);
  if (status == DLS_OK && !gets_on(e)) status = DLS_STATE;
  if (status != DLS_OK) return status;
  e->next_dt = event ? 0 : next_dt;
  e->stats.steps += e->ode.stats.steps - before.steps;
  e->stats.rejected += e->ode.stats.rejected - before.rejected;
  *stuck = e->t - sp.t > 1e-9 * e->opts.dt ? 0 : *stuck + event;
  w->idle = *stuck;
  *fresh = event;
  if (event) return *stuck > SETTLE ? DLS_STATE : dls_event_resolve(e, w->hint);
  bool closed = false;
  for (int i = 0; i < e->system->n_contacts; i++)
    closed = closed || e->contacts[i].mode != DLS_MODE_OPEN;
  if (closed) { /* reference of the next step's forces */
    status = dls_event_smooth(e, e->t, e->q, e->u, w->udot);
    if (status == DLS_OK) memcpy(e->lambda, w->now, (size_t)e->system->n_rows * sizeof(double));
    if (status == DLS_OK) e->friction_power = dls_event_friction_power(e, w->now);
    *fresh = status == DLS_OK && creeps(e, sp.h);
    if (*fresh) return dls_event_resolve(e, w->hint);
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
    w->hint[i] = DLS_HINT_FOUND, e->contacts[i].limit = DLS_INF;
    if (closed == (e->contacts[i].mode != DLS_MODE_OPEN)) continue;
    e->contacts[i] = (dls_event_contact){.mode = closed ? DLS_MODE_SLIP : DLS_MODE_OPEN,
                                         .held = given ? 0 : dls_min(gap, 0),
                                         .struck = -DLS_INF,
                                         .last_impact = -DLS_INF,
                                         .flight = DLS_INF,
                                         .limit = DLS_INF};
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

/* Closed contacts that approach: open. */
static dls_status leave_approaching(dls_event_scheme *e) {
  dls_system *s = e->system;
  /* speeds of all, which tell what is rest */
  dls_status status = dls_event_evaluate(e, e->t, e->q, e->u, false);
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++)
    if (e->contacts[i].mode != DLS_MODE_OPEN && s->v[s->row[i]] < -dls_event_noise(e))
      e->contacts[i].mode = DLS_MODE_OPEN;
  return status;
}

dls_status dls_event_admit(dls_event_scheme *e) {
  dls_system *s = e->system;
  dls_event_scratch *w = e->scratch;
  if (!e->stepped) return DLS_OK;
  for (int i = 0; i < s->n_contacts; i++) {
    w->hint[i] = DLS_HINT_FOUND;
    e->contacts[i].held = 0;
    if (!(e->contacts[i].memory & DLS_MEMORY_RESTS)) e->contacts[i].mode = DLS_MODE_OPEN;
  }
  dls_status status = dls_event_project(e, false);
  /* velocities where the first one went */
  if (status == DLS_OK) status = dls_event_project(e, false);
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) { /* those that only touch */
    double gap;
    if (e->contacts[i].mode != DLS_MODE_OPEN) continue;
    status = dls_system_gap(s, i, e->t, e->q, &gap);
    if (status != DLS_OK || gap > DLS_EVENT_CLOSED) continue;
    status = dls_system_rows(s, i, e->t, e->q, e->u, false);
    if (status == DLS_OK && fabs(s->v[s->row[i]]) <= dls_event_noise(e))
      e->contacts[i].mode = DLS_MODE_SLIP;
  }
  return status;
}

dls_status dls_event_look(dls_event_scheme *e) {
  if (e->settled) return DLS_OK;
  e->opts.impact_where_inconsistent = false;
  dls_status status = e->stepped ? dls_event_admit(e) : find_closed(e);
  if (status == DLS_OK) status = leave_approaching(e);
  if (status != DLS_OK) return status;
  memset(e->scratch->now, 0, (size_t)e->system->n_rows * sizeof(double));
  return dls_event_resolve(e, e->scratch->hint);
}

/* Entries of the log from `first` on by time, else as they came: the limit of impacts lies behind
** what comes before it. An owner that is told of each has them in the order told. */
static void order_log(dls_event_scheme *e, int first) {
  for (int k = first + 1; k < e->n_log && e->system->def.tell == NULL; k++) {
    const dls_event_entry entry = e->log[k];
    int at = k;
    for (; at > first && e->log[at - 1].t > entry.t; at--) e->log[at] = e->log[at - 1];
    e->log[at] = entry;
  }
}

dls_status dls_event_run(dls_event_scheme *e, double to) {
  const int first = e->n_log;
  dls_event_save(e);
  bool fresh = !e->settled || !(e->next_dt > 0); /* behind an event */
  int stuck = e->scratch->idle = e->scratch->n_paced = 0;
  e->ode.forced = 0; /* what a step does hangs on nothing that is no state */
  e->scratch->paced_from = e->t;
  memset(e->scratch->n_slow, 0, (size_t)e->system->n_contacts * sizeof *e->scratch->n_slow);
  double span = e->opts.dt;
  e->scratch->span = e->system->def.span;
  dls_status status = dls_event_watchable(e, &span);
  if (status == DLS_OK) status = settle(e);
  while (status == DLS_OK && to - e->t > DLS_EVENT_SHORTEST * fabs(to)) {
    status = step(e, to, &fresh, &stuck);
    if (status == DLS_OK) status = dls_event_tell_limits(e);
  }
  if (status == DLS_OK) e->t = to; /* an event may have come within round-off of it */
  if (status == DLS_OK) status = dls_event_tell_limits(e);
  e->system->def.span = e->scratch->span;
  if (status != DLS_OK) {
    dls_event_put_back(e);
    return status;
  }
  order_log(e, first);
  return DLS_OK;
}

dls_status dls_event_impact(dls_event_scheme *e, double *impulses) {
  bool moved = false;
  dls_event_save(e);
  dls_status status = find_closed(e);
  if (status == DLS_OK) status = dls_event_strike(e, false, 0, impulses, &moved);
  e->settled = e->stepped = false;
  if (status != DLS_OK) dls_event_put_back(e);
  return status;
}
