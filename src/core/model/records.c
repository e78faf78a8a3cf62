/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/records.h"

/* --- room ------------------------------------------------------------------------------------------ */

void dls_brief_free(dls_brief *brief, const dls_alloc *alloc, int n) {
  if (n == 0) return;
  dls_free(alloc, brief->pair, (size_t)n + 1, sizeof *brief->pair);
  dls_free(alloc, brief->trace, (size_t)n, sizeof *brief->trace);
  dls_free(alloc, brief->sketch, (size_t)n, sizeof *brief->sketch);
  *brief = (dls_brief){0};
}

dls_status dls_brief_new(dls_brief *brief, const dls_alloc *alloc, int n) {
  *brief = (dls_brief){0};
  if (n == 0) return DLS_OK;
  brief->pair = dls_new(alloc, (size_t)n + 1, sizeof *brief->pair);
  brief->trace = dls_new(alloc, (size_t)n, sizeof *brief->trace);
  brief->sketch = dls_new(alloc, (size_t)n, sizeof *brief->sketch);
  if (brief->pair && brief->trace && brief->sketch) return DLS_OK;
  dls_brief_free(brief, alloc, n);
  return DLS_NOMEM;
}

/* --- records --------------------------------------------------------------------------------------- */

static void make_record(dls_contact *c, uint64_t pair, const dls_trace *trace, const dls_sketch *of) {
  const double nx = of->normal[0], ny = of->normal[1];
  c->key = 0;
  c->a = (int32_t)(pair >> 32), c->b = (int32_t)(pair & 0xFFFFFFFF);
  c->user = -1;
  c->state = trace->how & DLS_TRACE_STATE;
  c->age = trace->age;
  c->listed = 1;
  c->mark = trace->how >> DLS_TRACE_MARKS;
  c->held = (trace->how & DLS_TRACE_HELD) != 0;
  c->point[0] = of->point[0], c->point[1] = of->point[1], c->point[2] = 0;
  c->normal[0] = nx, c->normal[1] = ny, c->normal[2] = 0;
  c->gap = of->gap;
  c->p_n = of->p_n;
  c->impulse[0] = trace->push[0], c->impulse[1] = trace->push[1], c->impulse[2] = 0;
  c->torque[0] = 0, c->torque[1] = 0, c->torque[2] = 0;
  c->velocity[0] = nx * of->v_n + ny * of->v_t, c->velocity[1] = ny * of->v_n - nx * of->v_t, c->velocity[2] = 0;
  c->before = of->before;
  c->slip = c->state == DLS_STICK ? 0 : fabs(of->v_t);
  c->x = 0, c->x_before = 0;
  c->damping = 0;
  c->mu = of->mu;
  c->reach = of->reach;
}

static void make_one(dls_contact *records, dls_brief *brief, int i) {
  if (!dls_is_brief(brief, i)) return;
  make_record(&records[i], brief->pair[i], &brief->trace[i], &brief->sketch[i]);
  brief->trace[i].how &= ~DLS_TRACE_PENDING;
}

void dls_records_make(dls_contact *records, dls_brief *brief) {
  for (int i = 0; i < brief->n && brief->pending; i++) make_one(records, brief, i);
  brief->pending = false;
}

static dls_world *open_const(const dls_world *world) { return (dls_world *)(uintptr_t)world; }

dls_contact *dls_world_contacts(const dls_world *world) {
  dls_records_make(world->contacts, &open_const(world)->brief);
  return world->contacts;
}

const dls_contact *dls_contact_at(const dls_world *world, int i) {
  make_one(world->contacts, &open_const(world)->brief, i);
  return &world->contacts[i];
}

/* --- traces ---------------------------------------------------------------------------------------- */

void dls_trace_make(dls_brief *brief, int i, const dls_contact *record) {
  dls_trace *trace = &brief->trace[i];
  brief->pair[i] = record->user >= 0 ? 0 : dls_pair_word(record->a, record->b);
  trace->push[0] = record->impulse[0], trace->push[1] = record->impulse[1];
  trace->age = record->age;
  trace->how = record->state | record->mark << DLS_TRACE_MARKS;
  if (record->listed) trace->how |= DLS_TRACE_LISTED;
  if (record->key != 0) trace->how |= DLS_TRACE_KEYED;
  if (dls_contact_acts(record)) trace->how |= DLS_TRACE_ACTS;
  if (record->held) trace->how |= DLS_TRACE_HELD;
  trace->was = -1;
  trace->spare = 0;
}

void dls_traces_until(dls_brief *brief, const dls_contact *records, int *from, int n) {
  for (; *from < n; ++*from) dls_trace_make(brief, *from, &records[*from]);
}

void dls_traces_make(dls_world *world) {
  dls_brief *brief = &world->brief;
  if (brief->traced || !brief->pair) return;
  brief->n = world->n_contacts;
  for (int i = 0; i < brief->n; i++) dls_trace_make(brief, i, &world->contacts[i]);
  brief->pair[brief->n] = UINT64_MAX;
  brief->traced = true;
}

void dls_records_changed(dls_world *world) {
  world->brief.pending = world->brief.traced = false;
  world->brief.n = world->n_contacts;
  if (world->untold) world->n_notices = 0;
  world->untold = false;
}

/* --- what contacts began, ended or changed in a step ------------------------------------------------ */

static void emit(dls_world *w, int kind, int contact, int before) {
  w->notices[w->n_notices++] = (dls_notice){kind, contact, before};
}

int dls_contacts_order(const dls_contact *x, const dls_contact *y) {
  if ((x->user >= 0) != (y->user >= 0)) return x->user >= 0 ? -1 : 1;
  if (x->user != y->user) return x->user < y->user ? -1 : 1;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  return x->key < y->key ? -1 : (x->key > y->key ? 1 : 0);
}

/* Nothing is to be told of most contacts: they do what they did. */
static inline bool goes_on(const dls_contact *before, const dls_contact *after) {
  return (before->listed != 0) & (after->listed != 0) & (after->state != DLS_APART) &
         (before->state == after->state) & (after->mark == 0);
}

/* A contact that is gone is told of by its last record. */
static void tell_gone(dls_world *w, const dls_contact *before, int gone) {
  if (dls_contact_acts(before)) emit(w, DLS_EVENT_SEPARATION, -1, gone);
}

/* What became of a contact that `was` one in this state (number gone of the old ones), or not; accumulation: a
** rebound that is over within its step or the next, so that the bounces have come to their end (those that an exact
** flight would still make are shorter than a step). */
static void tell_change(dls_world *w, bool was, int state, int gone, const dls_contact *after, int here) {
  const bool is = dls_contact_acts(after);
  if (is && !was) {
    emit(w, DLS_EVENT_CONTACT, here, -1);
    if (after->before < 0) {
      emit(w, DLS_EVENT_IMPACT, here, -1);
      if (after->mark & DLS_MARK_DIED) emit(w, DLS_EVENT_ACCUMULATION, here, -1);
    }
  }
  if (was && is && (after->mark & DLS_MARK_FELL)) emit(w, DLS_EVENT_ACCUMULATION, here, -1);
  if (after->mark & DLS_MARK_TOLD) emit(w, DLS_EVENT_COLLAPSED, here, -1);
  if (was && !is) emit(w, DLS_EVENT_SEPARATION, here, gone);
  if (is && !(after->mark & DLS_MARK_SENSED) && (!was || state != after->state))
    emit(w, after->state == DLS_STICK ? DLS_EVENT_STICK : DLS_EVENT_SLIP, here, -1);
}

/* Old and new contacts side by side, both sorted; disk contacts know who they were. */
static void compare_contacts(dls_world *w) {
  const dls_contact *old = w->contacts_next, *now = w->contacts;
  const dls_trace *trace = w->brief.trace;
  const int n_old = w->brief_next.n, n = w->brief.n;
  int i = 0;
  for (int j = 0; j < n; j++) {
    int order = trace && i < n_old && trace[j].was == i ? 0 : 1;
    while (order != 0 && i < n_old && (order = dls_contacts_order(&old[i], &now[j])) < 0) {
      tell_gone(w, &old[i], i);
      i++;
    }
    const bool same = order == 0 && i < n_old;
    if (same && goes_on(&old[i], &now[j])) {
      i++;
      continue;
    }
    if (same) tell_change(w, dls_contact_acts(&old[i]), old[i].state, i, &now[j], j);
    else tell_change(w, false, DLS_APART, -1, &now[j], j);
    i += same;
  }
  for (; i < n_old; i++) tell_gone(w, &old[i], i);
}

void dls_world_changes(const dls_world *world) {
  dls_world *w = open_const(world);
  if (!w->untold) return;
  dls_records_make(w->contacts, &w->brief);
  dls_records_make(w->contacts_next, &w->brief_next);
  w->n_notices = 0;
  compare_contacts(w);
  w->untold = false;
}
