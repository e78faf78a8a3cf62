/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/event_world.h"
#include "core/joints/penalties.h"
#include "core/joints/trees.h"
#include "core/world/parts.h"
#include "core/world/state.h"
#include "core/scheme/time_stepping.h"

/* Both lists of contacts, and the events they can cause, grow together. */
dls_status dls_world_reserve_contacts(dls_world *w, int n) {
  if (n <= w->contact_room) return DLS_OK;
  const int short_room = w->dim == 2 ? n : 0, short_old = w->dim == 2 ? w->contact_room : 0;
  dls_warm_columns warm, warm_next;
  size_t room = (size_t)n, old = (size_t)w->contact_room;
  dls_contact *now = dls_new(&w->alloc, room, sizeof *now);
  dls_contact *next = dls_new(&w->alloc, room, sizeof *next);
  dls_event_mark *event_marks = dls_new(&w->alloc, room * DLS_STEP_EVENTS, sizeof *event_marks);
  dls_status status = dls_warm_columns_new(&warm, &w->alloc, short_room);
  dls_status other = dls_warm_columns_new(&warm_next, &w->alloc, short_room);
  if (!now || !next || !event_marks || status != DLS_OK || other != DLS_OK) {
    if (status == DLS_OK) dls_warm_columns_free(&warm, &w->alloc, short_room);
    if (other == DLS_OK) dls_warm_columns_free(&warm_next, &w->alloc, short_room);
    dls_free(&w->alloc, now, room, sizeof *now);
    dls_free(&w->alloc, next, room, sizeof *next);
    dls_free(&w->alloc, event_marks, room * DLS_STEP_EVENTS, sizeof *event_marks);
    return DLS_NOMEM;
  }
  if (w->n_contacts > 0) memcpy(now, dls_world_contacts(w), (size_t)w->n_contacts * sizeof *now);
  dls_warm_columns_free(&w->warm, &w->alloc, short_old);
  dls_warm_columns_free(&w->warm_next, &w->alloc, short_old);
  w->warm = warm;
  w->warm_next = warm_next;
  dls_records_changed(w);
  dls_free(&w->alloc, w->contacts, old, sizeof *now);
  dls_free(&w->alloc, w->contacts_next, old, sizeof *next);
  dls_free(&w->alloc, w->event_marks, old * DLS_STEP_EVENTS, sizeof *event_marks);
  w->contacts = now;
  w->contacts_next = next;
  w->event_marks = event_marks;
  w->contact_room = n;
  return DLS_OK;
}

dls_status dls_world_reserve_events(dls_world *w, int n) {
  if (n <= w->event_room) return DLS_OK;
  int room = n < 64 ? 64 : n + n / 2;
  dls_status status = dls_grow(&w->alloc, (void **)&w->events, (size_t)w->event_room,
                               (size_t)room, sizeof *w->events);
  if (status == DLS_OK) w->event_room = room;
  return status;
}

/* How much more room than was asked for is made. Whoever bounds the work of a step gets several
** times as much, so that no later step grows in its midst and begins again. */
static int spare_of(const dls_world *w) {
  enum { BOUNDED = 4 };
  return dls_work_of(w->solve.max_iterations).bounded ? BOUNDED : 1;
}

/* Rooms beside the arena, or counted in dls_step_bytes: one that grows is what was lacking. */
typedef struct rooms {
  int contacts, events, touches; /* of the world                          */
  int pairs, entries;            /* of its broad phase                    */
  size_t ways;                   /* bytes of pairs that are followed      */
} rooms;

static rooms rooms_of(const dls_world *w) {
  return (rooms){w->contact_room,    w->event_room,       w->touch_room,
                 w->broad.pair_room, w->broad.entry_room, w->ways_bytes};
}

static bool are_alike(const rooms *a, const rooms *b) {
  return a->contacts == b->contacts && a->events == b->events && a->touches == b->touches &&
         a->pairs == b->pairs && a->entries == b->entries && a->ways == b->ways;
}

/* What an arena begins with, bytes: untouched pages cost nothing, and a step that runs out of room
** is made again. 20 dominoes and five ragdolls ask for 4 MB and 7 MB once they lie in a heap. */
static size_t first_size(const dls_world *w) {
  enum { BODY = 128 * 1024, MOST = 8 << 20 };
  return w->n_bodies < MOST / BODY ? (size_t)w->n_bodies * BODY : MOST;
}

/* Room for what the last attempt asked for; `before`: rooms as it found them. One that asked for
** nothing ran out of what it had beside the room that dls_step_bytes counts (first touches, which
** take as much as they find): half as much again. */
static dls_status grow(dls_world *w, const rooms *before) {
  enum { MORE = 64 * 1024, LARGE = 16 << 20 }; /* bytes; of larger ones nothing is kept spare */
  /* contacts of each of so many bodies that are expected (boxes poured into a pit: 5 to 16, dominoes
  ** 4 to 8) */
  enum { FEW = 256, EACH = 8 };
  const int spare = spare_of(w), few = w->n_bodies < FEW ? w->n_bodies : FEW;
  dls_status status = dls_broad_reserve(&w->broad, &w->alloc, w->n_bodies, spare);
  if (status == DLS_OK && w->need_contacts > w->contact_room) {
    const int contacts = w->need_contacts > EACH * few ? w->need_contacts : EACH * few;
    status = dls_world_reserve_contacts(w, contacts * (contacts < INT32_MAX / spare ? spare : 1));
  }
  if (status == DLS_OK && w->need_events > w->event_room)
    status = dls_world_reserve_events(w, w->need_events);
  if (w->need_touches > w->touch_room) w->touch_room = w->need_touches + w->need_touches / 2;
  if (status != DLS_OK) return status;
  const rooms now = rooms_of(w);
  size_t size = dls_bytes_add(dls_step_bytes(w, w->contact_room), w->need_arena);
  if (size < first_size(w)) size = first_size(w);
  if (size <= w->arena.size && !are_alike(before, &now)) return DLS_OK;
  if (size <= w->arena.size) size = dls_bytes_add(w->arena.size, w->arena.size / 2 + MORE);
  /* Solvers ask for theirs when something happens, one after the other: each time the step begins
  ** again. */
  if (size > w->arena.size && size < LARGE)
    size = spare > 1 ? size * (size_t)spare : size + size / 2;
  /* a step reads nothing there that it did not write */
  status = dls_arena_reserve_untouched(&w->arena, &w->alloc, size);
#ifdef __SANITIZE_ADDRESS__ /* who writes beyond a block of a step's scratch is told */
  w->arena.guard = DLS_ALIGN;
#endif
  return status;
}

/* What a step is undone from, beside the bytes in world->undo. */
typedef struct undo {
  int64_t steps;        /* made before it */
  dls_stats stats;      /* of the step before it */
  dls_worst worst;      /* up to it */
} undo;

static dls_status keep(dls_world *w, undo *u) {
  *u = (undo){w->steps, w->stats, w->worst};
  w->n_event_marks = 0; /* whoever wanted those of the last step has them */
  w->untold = false;
  const size_t state = dls_undo_size(w);
  size_t size = dls_bytes_add(state, dls_broad_size(&w->broad));
  if (spare_of(w) > 1) /* as many contacts and pairs as there is room for */
    size += (size_t)(w->contact_room - w->n_contacts) * sizeof(dls_contact) +
            2 * (size_t)(w->broad.pair_room - w->broad.n_pairs) * sizeof(int);
  if (size > w->undo_room) {
    size_t room = size + size / 2;
    dls_status status = dls_grow(&w->alloc, (void **)&w->undo, w->undo_room, room, 1);
    if (status != DLS_OK) return status;
    w->undo_room = room;
  }
  dls_undo_save(w, w->undo);
  w->undo_list = state;
  w->list_kept = false;
  return DLS_OK;
}

/* A step that was done changed the places of what it made: they are changed back. */
static void unmake(dls_world *w) {
  dls_contact *before = w->contacts_next;
  w->contacts_next = w->contacts;
  w->contacts = before;
  const dls_warm_columns warm = w->warm_next;
  w->warm_next = w->warm;
  w->warm = warm;
  double *first = w->q_next, *u = w->u_next;
  w->q_next = w->q, w->q = w->q_before, w->q_before = first;
  w->u_next = w->u, w->u = u;
  dls_event_memory *memory = w->event_contacts_next;
  w->event_contacts_next = w->event_contacts, w->event_contacts = memory;
}

static void go_back(dls_world *w, const undo *u) {
  if (w->steps != u->steps) unmake(w); /* the step was done, and then refused */
  dls_undo_load(w, w->undo);
  if (w->list_kept) dls_broad_load(&w->broad, w->undo + w->undo_list);
  w->stats = u->stats, w->worst = u->worst;
  w->n_event_marks = 0;
  w->untold = false;
  if (w->trees) w->trees->known = DLS_KNOWN_NOTHING; /* reactions were those of what is undone */
}

/* Whether somebody is told more than that a step is done. */
static bool is_heard(const dls_world *w) {
  return w->log || (w->hooks.event && (w->hooks.events & ~(1u << DLS_EVENT_STEP)));
}

static dls_status attempt(dls_world *w) {
  dls_division whole = {.parts = 1};
  const dls_status status = dls_time_step(w, &whole);
  if (status != DLS_OK || whole.wanted == 0) return status;
  return dls_step_in_parts(w, whole.wanted, whole.unsolved);
}

/* An event of the step just made, from its contacts and those of the step before, which still stand
** in contacts_next. */
static void tell_of(const dls_world *w, const dls_event_mark *event_mark, dls_event *e) {
  const dls_contact *c = event_mark->before >= 0 ? &w->contacts_next[event_mark->before]
                                             : &w->contacts[event_mark->contact];
  memset(e, 0, sizeof *e); /* what lies between the fields is hashed too */
  e->t = w->time;
  e->key = c->key;
  e->kind = event_mark->kind;
  e->a = c->a;
  e->b = c->b;
  e->of_a = w->bodies[c->a].generation;
  e->of_b = w->bodies[c->b].generation;
  e->user = c->user;
  e->of_user = c->user >= 0 ? w->user_contacts[c->user].generation : 0;
  e->contact = event_mark->contact;
  e->state = c->state;
  e->age = c->age;
  e->impulse = c->p_n;
  e->speed = c->before;
  e->gap = c->gap;
  memcpy(e->point, c->point, sizeof e->point);
  memcpy(e->normal, c->normal, sizeof e->normal);
  memcpy(e->push, c->impulse, sizeof e->push);
}

/* Hands the events of the step to whoever wants them, and keeps them where asked. */
static dls_status tell(dls_world *w) {
  for (int i = 0; w->log && i < w->n_event_marks; i++)
    tell_of(w, &w->event_marks[i], &w->events[w->n_events++]);
  if (!w->hooks.event) return DLS_OK;
  for (int i = 0; i < w->n_event_marks; i++) {
    if (!(w->hooks.events & (1u << w->event_marks[i].kind))) continue;
    dls_event event;
    tell_of(w, &w->event_marks[i], &event);
    dls_status status = w->hooks.event(w->hooks.ud, &event);
    if (status != DLS_OK) return status;
  }
  if (w->hooks.events & (1u << DLS_EVENT_STEP)) {
    dls_event done = {.t = w->time, .kind = DLS_EVENT_STEP, .a = -1, .b = -1, .contact = -1};
    return w->hooks.event(w->hooks.ud, &done);
  }
  return DLS_OK;
}

static dls_status try_step(dls_world *w) {
  enum { ATTEMPTS = 64 };
  dls_status status = DLS_FULL;
  for (int i = 0; i < ATTEMPTS && status == DLS_FULL; i++) {
    const rooms before = rooms_of(w);
    w->need_arena = 0;
    status = attempt(w);
    if (status != DLS_FULL) break;
    dls_status grown = grow(w, &before);
    if (grown != DLS_OK) return grown;
  }
  if (status == DLS_OK && is_heard(w)) dls_world_changes(w);
  if (status == DLS_OK && w->log)
    status = dls_world_reserve_events(w, w->n_events + w->n_event_marks);
  w->whole = true;
  if (status == DLS_OK) status = tell(w);
  w->whole = false;
  if (status == DLS_OK && w->strict && w->stats.unconverged > 0) {
    w->fault_value = w->stats.residual; /* the step is undone, its statistics too */
    w->apart_joint = -1;
    status = DLS_STATE;
  }
  if (status == DLS_OK && w->strict && w->apart_joint >= 0) status = DLS_STATE;
  return status;
}

/* A body without mass moves with the tree it is in, a point mass has no inertia for what a joint
** beside the trees would turn; elsewhere nothing says how they move. */
static dls_status check_inertia(dls_world *w) {
  w->fault = -1;
  for (int i = 0; w->n_massless > 0 && i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!body->alive || body->type != DLS_DYNAMIC || body->mass > 0) continue;
    if (dls_trees_used(w) && w->trees->body_tree[i] >= 0) continue;
    w->fault = i;
    return DLS_SINGULAR;
  }
  w->fault = dls_joints_turn_point(w);
  return w->fault < 0 ? DLS_OK : DLS_SINGULAR;
}

/* Events of an event-driven step, to whoever wants them. */
static dls_status tell_events(dls_world *w) {
  int n = 0;
  const dls_event *events = dls_event_world_events(w, &n);
  dls_status status = w->log ? dls_world_reserve_events(w, w->n_events + n) : DLS_OK;
  for (int i = 0; i < n && w->log && status == DLS_OK; i++) w->events[w->n_events++] = events[i];
  if (!w->hooks.event) return status;
  for (int i = 0; i < n && status == DLS_OK; i++)
    if (w->hooks.events & (1u << events[i].kind)) status = w->hooks.event(w->hooks.ud, &events[i]);
  const dls_event done = {.t = w->time, .kind = DLS_EVENT_STEP, .a = -1, .b = -1, .contact = -1};
  if (status == DLS_OK && (w->hooks.events & (1u << DLS_EVENT_STEP)))
    status = w->hooks.event(w->hooks.ud, &done);
  return status;
}

/* Energies before and after an event-driven step (`sprung`: of springs, before), at its beginning
** once joints admit it, what took of them, and what does not add up. */
static void keep_energies(dls_world *w, const double before[3], const double admitted[3],
                          double sprung) {
  /* of energies before and after: what the integrator may leave */
  const double open = w->event_world->scheme.opts.rtol;
  double after[3], turnover = 0, error = 0, size = 0;
  dls_world_energy(w, after);
  for (int i = 0; i < 3; i++) size += fabs(before[i]) + fabs(after[i]);
  dls_event_work by = dls_event_world_work(w);
  for (int i = 0; i < 3; i++) by.brought += admitted[i] - before[i];
  dls_ledger *l = &w->ledger;
  const double by_springs = sprung - dls_world_sprung(w);
  l->kinetic += after[0] - before[0], l->potential += after[1] - before[1],
      l->stored += after[2] - before[2] + by_springs;
  l->springs += by_springs;
  l->correction += by.brought;
  l->impact += by.impact, l->friction += by.friction, l->forces += by.forces,
      l->damping += by.damping;
  l->kinematic += by.kinematic;
  for (int i = 0; i < 3; i++) turnover += fabs(after[i] - before[i]), error += after[i] - before[i];
  turnover += by.impact + by.friction + by.damping + fabs(by.forces) + fabs(by.kinematic);
  error += by.impact + by.friction + by.damping - by.brought - by.forces - by.kinematic;
  l->error += error, l->turnover += turnover;
  const dls_balance step = {.error = error, .turnover = turnover,
                            .noise = open * size};
  dls_balance *all = &w->worst.balance;
  all->error += step.error, all->turnover += step.turnover, all->noise += step.noise;
  w->stats.energy_balance = dls_balance_of(&step);
}

/* The same by the event-driven scheme, up to the time `to` at most. */
static dls_status step_by_events(dls_world *w, double to) {
  undo u;
  dls_forest_fault fault = {0};
  dls_status status = dls_trees_update(w, &fault);
  if (status != DLS_OK && w->trees != NULL) w->trees->model_fault = fault;
  if (status == DLS_OK) status = check_inertia(w);
  if (status == DLS_OK) status = dls_penalties_tune(w);
  if (status == DLS_OK) status = keep(w, &u);
  if (status != DLS_OK) return status;
  w->stepping = true;
  int n_contacts = 0;
  double energies[3], admitted[3], sprung = 0;
  bool changed = false;
  status = dls_joints_drive(w, w->time); /* what penalty joints store */
  if (status == DLS_OK) dls_world_energy(w, energies), sprung = dls_world_sprung(w);
  if (status == DLS_OK)
    status = dls_event_world_begin(w, to, dls_world_structure(w), &changed);
  if (status == DLS_OK) dls_world_energy(w, admitted);
  if (status == DLS_OK) status = dls_event_world_step(w, &n_contacts);
  if (status == DLS_OK) status = dls_world_reserve_contacts(w, n_contacts);
  if (status == DLS_OK) status = dls_event_world_finish(w);
  if (status == DLS_OK) keep_energies(w, energies, changed ? admitted : energies, sprung);
  w->whole = true;
  if (status == DLS_OK) status = tell_events(w);
  w->whole = w->stepping = false;
  if (status != DLS_OK) go_back(w, &u);
  return status;
}

dls_status dls_world_step_to(dls_world *w, double to) {
  dls_world_move_up(w);
  if (w->event_driven) return step_by_events(w, to);
  dls_status status = DLS_OK;
  if (dls_trees_used(w)) status = dls_trees_update(w, &w->trees->model_fault);
  if (status == DLS_OK) status = check_inertia(w);
  if (status == DLS_OK) status = dls_penalties_tune(w);
  undo u;
  if (status == DLS_OK) status = keep(w, &u);
  if (status != DLS_OK) return status;
  w->stepping = true;
  memset(w->phase, 0, sizeof w->phase);
  status = try_step(w);
  w->stepping = false;
  if (status != DLS_OK) go_back(w, &u);
  return status;
}

dls_status dls_world_step(dls_world *w) { return dls_world_step_to(w, DLS_INF); }
