/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/records.h"

/* --- room ------------------------------------------------------------------------------------- */

void dls_warm_columns_free(dls_warm_columns *warm, const dls_alloc *alloc, int n) {
  if (n == 0) return;
  dls_free(alloc, warm->pair, (size_t)n + 1, sizeof *warm->pair);
  dls_free(alloc, warm->start, (size_t)n, sizeof *warm->start);
  dls_free(alloc, warm->pending, (size_t)n, sizeof *warm->pending);
  *warm = (dls_warm_columns){0};
}

dls_status dls_warm_columns_new(dls_warm_columns *warm, const dls_alloc *alloc, int n) {
  *warm = (dls_warm_columns){0};
  if (n == 0) return DLS_OK;
  warm->pair = dls_new(alloc, (size_t)n + 1, sizeof *warm->pair);
  warm->start = dls_new(alloc, (size_t)n, sizeof *warm->start);
  warm->pending = dls_new(alloc, (size_t)n, sizeof *warm->pending);
  if (warm->pair && warm->start && warm->pending) return DLS_OK;
  dls_warm_columns_free(warm, alloc, n);
  return DLS_NOMEM;
}

/* --- records ---------------------------------------------------------------------------------- */

static void make_record(dls_contact *c, uint64_t pair, const dls_warm_start *start,
                        const dls_pending *of) {
  const double nx = of->normal[0], ny = of->normal[1];
  c->key = 0;
  c->a = (int32_t)(pair >> 32), c->b = (int32_t)(pair & 0xFFFFFFFF);
  c->user = -1;
  c->state = start->how & DLS_START_STATE;
  c->age = start->age;
  c->listed = 1;
  c->mark = start->how >> DLS_START_MARKS;
  c->held = (start->how & DLS_START_HELD) != 0;
  c->point[0] = of->point[0], c->point[1] = of->point[1], c->point[2] = 0;
  c->normal[0] = nx, c->normal[1] = ny, c->normal[2] = 0;
  c->gap = of->gap;
  c->p_n = of->p_n;
  c->impulse[0] = start->push[0], c->impulse[1] = start->push[1], c->impulse[2] = 0;
  c->torque[0] = 0, c->torque[1] = 0, c->torque[2] = 0;
  c->velocity[0] = nx * of->v_n + ny * of->v_t, c->velocity[1] = ny * of->v_n - nx * of->v_t,
  c->velocity[2] = 0;
  c->before = of->before;
  c->slip = c->state == DLS_STICK ? 0 : fabs(of->v_t);
  c->x = 0, c->x_before = 0;
  c->damping = 0;
  c->mu = of->mu;
  c->size = of->size;
}

static void make_one(dls_contact *records, dls_warm_columns *warm, int i) {
  if (!dls_is_pending(warm, i)) return;
  make_record(&records[i], warm->pair[i], &warm->start[i], &warm->pending[i]);
  warm->start[i].how &= ~DLS_START_PENDING;
}

void dls_records_make(dls_contact *records, dls_warm_columns *warm) {
  for (int i = 0; i < warm->n && warm->any_pending; i++) make_one(records, warm, i);
  warm->any_pending = false;
}

static dls_world *open_const(const dls_world *world) { return (dls_world *)(uintptr_t)world; }

static bool is_of_gone(const dls_world *w, const dls_contact *c) {
  return !w->bodies[c->a].alive || !w->bodies[c->b].alive ||
         (c->user >= 0 && !w->user_contacts[c->user].alive);
}

/* Takes out the contacts of a body's shape, or of what is gone (-1); marks of events follow those
** that stay. */
static void take_out(dls_world *w, int body) {
  int kept = 0, mark = 0;
  dls_world_changes(w);
  dls_records_make(w->contacts, &w->warm);
  for (int i = 0; i < w->n_contacts; i++) {
    const dls_contact *c = &w->contacts[i];
    const bool goes = body < 0 ? is_of_gone(w, c) : c->user < 0 && (c->a == body || c->b == body);
    if (!goes && kept < i) w->contacts[kept] = *c;
    for (; mark < w->n_event_marks && w->event_marks[mark].contact <= i; mark++)
      if (w->event_marks[mark].contact == i) w->event_marks[mark].contact = goes ? -1 : kept;
    kept += !goes;
  }
  w->n_contacts = kept;
  dls_records_changed(w);
}

void dls_contacts_drop_gone(const dls_world *world) {
  if (!world->contacts_of_gone) return;
  dls_world *w = open_const(world);
  w->contacts_of_gone = false;
  take_out(w, -1);
}

void dls_contacts_forget(dls_world *world, int body) {
  dls_contacts_drop_gone(world);
  take_out(world, body);
}

dls_contact *dls_world_contacts(const dls_world *world) {
  dls_contacts_drop_gone(world);
  dls_records_make(world->contacts, &open_const(world)->warm);
  return world->contacts;
}

const dls_contact *dls_contact_at(const dls_world *world, int i) {
  dls_contacts_drop_gone(world);
  make_one(world->contacts, &open_const(world)->warm, i);
  return &world->contacts[i];
}

/* --- warm starts ------------------------------------------------------------------------------ */

void dls_warm_start_make(dls_warm_columns *warm, int i, const dls_contact *record) {
  dls_warm_start *start = &warm->start[i];
  warm->pair[i] = record->user >= 0 ? 0 : dls_pair_word(record->a, record->b);
  start->push[0] = record->impulse[0], start->push[1] = record->impulse[1];
  start->age = record->age;
  start->how = record->state | record->mark << DLS_START_MARKS;
  if (record->listed) start->how |= DLS_START_LISTED;
  if (record->key != 0) start->how |= DLS_START_KEYED;
  if (dls_contact_acts(record)) start->how |= DLS_START_ACTS;
  if (record->held) start->how |= DLS_START_HELD;
  start->was = -1;
  start->spare = 0;
}

void dls_warm_starts_until(dls_warm_columns *warm, const dls_contact *records, int *from, int n) {
  for (; *from < n; ++*from) dls_warm_start_make(warm, *from, &records[*from]);
}

void dls_warm_starts_make(dls_world *world) {
  dls_warm_columns *warm = &world->warm;
  if (warm->known || !warm->pair) return;
  warm->n = world->n_contacts;
  for (int i = 0; i < warm->n; i++) dls_warm_start_make(warm, i, &world->contacts[i]);
  warm->pair[warm->n] = UINT64_MAX;
  warm->known = true;
}

void dls_records_changed(dls_world *world) {
  world->warm.any_pending = world->warm.known = false;
  world->warm.n = world->n_contacts;
  if (world->untold) world->n_event_marks = 0;
  world->untold = false;
}

/* --- what contacts began, ended or changed in a step ------------------------------------------ */

static void emit(dls_world *w, int kind, int contact, int before) {
  w->event_marks[w->n_event_marks++] = (dls_event_mark){kind, contact, before};
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

/* What became of a contact that `was` one in this state (number gone of the old ones), or not;
** accumulation: a rebound that is over within its step or the next, so that the bounces have come
** to their end (those that an exact flight would still make are shorter than a step). */
static void tell_change(dls_world *w, bool was, int state, int gone, const dls_contact *after,
                        int here) {
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
  const dls_warm_start *start = w->warm.start;
  const int n_old = w->warm_next.n, n = w->warm.n;
  int i = 0;
  for (int j = 0; j < n; j++) {
    int order = start && i < n_old && start[j].was == i ? 0 : 1;
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
  dls_records_make(w->contacts, &w->warm);
  dls_records_make(w->contacts_next, &w->warm_next);
  w->n_event_marks = 0;
  compare_contacts(w);
  w->untold = false;
}
