/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/event_world.h"

#include "core/event_world/account.h"
#include "core/event_world/function_gap.h"
#include "core/event_world/motion.h"
#include "core/event_world/report.h"
#include "core/joints/penalties.h"
#include "core/model/body.h"
#include "core/model/frames.h"
#include "core/model/records.h"

/* --- making ----------------------------------------------------------------------------------- */

static void take_apart(dls_event_world *x) {
  if (x->system.block != NULL) {
    dls_event_destroy(&x->scheme);
    dls_system_destroy(&x->system);
  }
  dls_holds_destroy(&x->holds);
  dls_free(&x->alloc, x->contacts, (size_t)x->n, sizeof *x->contacts);
  dls_free(&x->alloc, x->block, x->block_size, 1);
  dls_free(&x->alloc, x->told, (size_t)x->told_room, sizeof *x->told);
  *x = (dls_event_world){
      .world = x->world, .alloc = x->alloc, .refusal = x->refusal, .a = x->a, .b = x->b};
}

void dls_event_world_destroy(dls_world *w) {
  dls_event_world *x = w->event_world;
  dls_free(&w->alloc, w->event_contacts, (size_t)w->event_contact_room, sizeof *w->event_contacts);
  dls_free(&w->alloc, w->event_contacts_next, (size_t)w->event_contact_room,
           sizeof *w->event_contacts);
  w->event_contacts = w->event_contacts_next = NULL,
  w->n_event_contacts = w->event_contact_room = 0;
  if (x == NULL) return;
  take_apart(x);
  dls_free(&w->alloc, x, 1, sizeof *x);
  w->event_world = NULL;
}

const dls_event *dls_event_world_events(const dls_world *w, int *n) {
  *n = w->event_world != NULL ? w->event_world->n_told : 0;
  return *n > 0 ? w->event_world->told : NULL;
}

dls_event_refusal dls_event_world_refusal(const dls_world *w, int *a, int *b) {
  const dls_event_world *x = w->event_world;
  if (x == NULL) return DLS_EVENTS_FINE;
  *a = x->a, *b = x->b;
  return x->refusal;
}

static dls_status take_arrays(dls_event_world *x) {
  const dls_world *w = x->world;
  const dls_forest *forest = w->trees->forest;
  const size_t n = (size_t)w->n_bodies, nq = (size_t)forest->nq, nu = (size_t)forest->nu,
               k = (size_t)x->n;
  size_t user_contacts = 0; /* they come first */
  while (user_contacts < k && x->contacts[user_contacts].user >= 0) user_contacts++;
  const size_t doubles =
      2 * nq + 6 * nu + n * (dls_nq_of(w) + 3 * dls_nu_of(w)) + 6 * (size_t)forest->n_links;
  const size_t bytes = dls_arena_bytes(doubles + 16, sizeof(double)) +
                       dls_arena_bytes(n, sizeof(dls_place)) + dls_arena_bytes(k, sizeof(int)) +
                       dls_arena_bytes(k, 1) + dls_arena_bytes(n, 1) +
                       dls_arena_bytes(user_contacts, sizeof(dls_smooth_touch)) + 18 * DLS_ALIGN;
  void *block = dls_new(&x->alloc, bytes, 1);
  if (block == NULL) return DLS_NOMEM;
  dls_arena arena = dls_arena_over(block, bytes);
  x->block = block, x->block_size = bytes;
  x->frame = DLS_TAKE(&arena, dls_place, n);
  x->place = DLS_TAKE(&arena, int, k);
  x->bears = DLS_TAKE(&arena, unsigned char, k);
  x->turns = DLS_TAKE(&arena, unsigned char, n);
  x->function_touch = DLS_TAKE(&arena, dls_smooth_touch, user_contacts);
  double *at = DLS_TAKE(&arena, double, doubles);
  memset(at, 0, doubles * sizeof *at);
  x->q = at, at += nq;
  x->u = at, at += nu;
  x->udot = at, at += nu;
  x->terms = at, at += nu;
  x->row = at, at += nu;
  x->q_start = at, at += n * dls_nq_of(w);
  x->u_start = at, at += n * dls_nu_of(w);
  x->gradient = at, at += n * dls_nu_of(w);
  x->q_beside = at, at += nq;
  x->du = at, at += nu;
  x->push = at, at += n * dls_nu_of(w);
  x->wrench = at;
  x->n_bodies = w->n_bodies;
  dls_event_world_note_turns(x);
  x->nq = forest->nq, x->nu = forest->nu, x->n_links = forest->n_links;
  return DLS_OK;
}

static dls_status make_scheme(dls_event_world *x) {
  const dls_world *w = x->world;
  const size_t n = (size_t)x->n;
  int *n_tangents = dls_new(&x->alloc, n + 1, sizeof *n_tangents);
  double *e = dls_new(&x->alloc, 2 * n + 1, sizeof *e);
  dls_status status = n_tangents && e ? DLS_OK : DLS_NOMEM;
  if (status == DLS_OK) {
    for (int i = 0; i < x->n; i++) {
      n_tangents[i] = dls_smooth_tangents(w, &x->contacts[i]);
      e[i] = x->contacts[i].material.restitution;
      e[n + (size_t)i] = x->contacts[i].material.tangential_restitution;
    }
    dls_system_def def = dls_event_world_system(x);
    def.n_tangents = n_tangents, def.e_N = e, def.e_T = e + n;
    status = dls_system_create(&x->system, &def, &x->alloc);
  }
  if (status == DLS_OK) {
    dls_event_opts opts = dls_event_opts_default();
    opts.dt = w->dt;
    opts.impact = (dls_impact_law)w->impact;
    opts.corners = w->friction_corners;
    const dls_forest_state *state = w->trees->state;
    status =
        dls_event_create(&x->scheme, &x->system, &opts, w->time, state->q, state->u, &x->alloc);
    if (status != DLS_OK) dls_system_destroy(&x->system);
  }
  dls_free(&x->alloc, n_tangents, n + 1, sizeof *n_tangents);
  dls_free(&x->alloc, e, 2 * n + 1, sizeof *e);
  return status;
}

/* Where nothing moves freely no gap says how anything moves. */
static void leave_gaps(dls_event_world *x) {
  dls_free(&x->alloc, x->contacts, (size_t)x->n, sizeof *x->contacts);
  x->contacts = NULL, x->n = 0;
}

/* Gaps, system and scheme of the model as it is; its forest is compiled and gathered. */
static dls_status make(dls_event_world *x, uint64_t model) {
  dls_world *w = x->world;
  take_apart(x);
  int n = 0;
  x->refusal = DLS_EVENTS_FINE;
  dls_status status = dls_smooth_contacts(w, NULL, 0, &n, &x->refusal, &x->a, &x->b);
  if (status != DLS_OK) return status;
  x->contacts = dls_new(&x->alloc, (size_t)n, sizeof *x->contacts);
  if (x->contacts == NULL && n > 0) return DLS_NOMEM;
  x->n = n;
  status = dls_smooth_contacts(w, x->contacts, n, &n, &x->refusal, &x->a, &x->b);
  if (status == DLS_OK) status = take_arrays(x);
  if (status == DLS_OK && x->nu > 0) status = dls_holds_create(&x->holds, x);
  if (status == DLS_OK && x->nu > 0) status = make_scheme(x);
  if (status == DLS_OK && x->nu == 0) leave_gaps(x);
  if (status == DLS_OK) x->model = model;
  else take_apart(x);
  return status;
}

/* --- between steps ---------------------------------------------------------------------------- */

/* Of coordinates and velocities of all bodies and joints, and of what acts on them that may be set
** between steps: whether modes and forces still belong to them. */
static uint64_t state_of(const dls_world *w) {
  dls_hash hash = dls_hash_start();
  for (int i = 0; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    dls_hash_doubles(&hash, w->q + (size_t)i * dls_nq_of(w), dls_nq_of(w));
    dls_hash_doubles(&hash, w->u + (size_t)i * dls_nu_of(w), dls_nu_of(w));
    dls_hash_doubles(&hash, w->load + (size_t)i * dls_nu_of(w), dls_nu_of(w));
  }
  for (int i = 0; i < w->n_joints; i++) {
    if (!w->joints[i].alive) continue;
    dls_hash_doubles(&hash, w->joint_state[i].q, 7);
    dls_hash_doubles(&hash, w->joint_state[i].u, 6);
    dls_hash_doubles(&hash, w->joint_state[i].torque, 6);
    const dls_motor *motor = &w->joints[i].motor;
    const double numbers[] = {motor->target, motor->stiffness, motor->damping, motor->most};
    dls_hash_doubles(&hash, numbers, sizeof numbers / sizeof *numbers);
  }
  dls_hash_doubles(&hash, w->gravity, (size_t)w->dim);
  dls_hash_double(&hash, w->time);
  const uint64_t digest = dls_hash_digest(&hash);
  return digest != 0 ? digest : 1;
}

/* What the world keeps -> the scheme. */
static void recall(dls_event_world *x, bool known) {
  const dls_world *w = x->world;
  dls_event_scheme *e = &x->scheme;
  const dls_event_state *s = &w->event_state;
  e->t = w->time, e->opts.dt = w->dt, e->opts.impact = (dls_impact_law)w->impact,
  e->opts.corners = w->friction_corners;
  memcpy(e->q, w->trees->state->q, (size_t)x->nq * sizeof(double));
  memcpy(e->u, w->trees->state->u, (size_t)x->nu * sizeof(double));
  e->speed = s->speed, e->friction_power = s->friction;
  memset(e->impulse, 0, (size_t)x->system.n_rows * sizeof *e->impulse);
  e->n_log = 0, e->stats = (dls_event_stats){0}, e->failed = -1;
  for (int i = 0; i < x->n; i++) {
    const int r = x->system.row[i], m = 1 + x->system.n_tangents[i];
    const dls_event_memory *of = known ? &w->event_contacts[i] : NULL;
    dls_event_contact *contact = &e->contacts[i];
    int armed[2] = {0, 0};
    *contact = (dls_event_contact){.mode = DLS_MODE_OPEN, .struck = -DLS_INF,
                                     .last_impact = -DLS_INF, .flight = DLS_INF, .limit = DLS_INF};
    memset(e->lambda + r, 0, (size_t)m * sizeof(double));
    const bool off = x->contacts[i].user >= 0 && !w->user_contacts[x->contacts[i].user].active;
    if (of != NULL && !off) {
      *contact = (dls_event_contact){.mode = of->mode, .held = of->held, .level = of->level,
                                     .slip = {of->slip[0], of->slip[1]},
                                     .last_impact = of->last_impact, .flight = of->flight,
                                     .struck = of->struck, .approach = of->approach,
                                     .limit = of->limit, .n_brief = of->n_brief};
      memcpy(e->lambda + r, of->force, (size_t)m * sizeof(double));
      armed[0] = of->armed[0], armed[1] = of->armed[1];
    }
    dls_event_arm(e, i, armed);
  }
  dls_event_changed(e);
  e->settled = known && s->of == state_of(w);
  if (e->settled) e->next_dt = s->next_dt;
}

dls_status dls_event_world_reserve(dls_world *w, int n) {
  if (n <= w->event_contact_room) return DLS_OK;
  const size_t room = (size_t)n, old = (size_t)w->event_contact_room;
  dls_event_memory *now = dls_new(&w->alloc, room, sizeof *now),
                   *next = dls_new(&w->alloc, room, sizeof *next);
  if (now == NULL || next == NULL) {
    dls_free(&w->alloc, now, room, sizeof *now);
    dls_free(&w->alloc, next, room, sizeof *next);
    return DLS_NOMEM;
  }
  if (w->n_event_contacts > 0)
    memcpy(now, w->event_contacts, (size_t)w->n_event_contacts * sizeof *now);
  dls_free(&w->alloc, w->event_contacts, old, sizeof *now);
  dls_free(&w->alloc, w->event_contacts_next, old, sizeof *next);
  w->event_contacts = now, w->event_contacts_next = next, w->event_contact_room = n;
  return DLS_OK;
}

/* What the world kept, that of n gaps from now on, stays beside it until the step is told (go_back
** of world/step.c). */
static void turn_memory(dls_world *w, int n) {
  dls_event_memory *before = w->event_contacts;
  w->event_contacts = w->event_contacts_next, w->event_contacts_next = before;
  w->n_event_contacts = n;
}

/* The scheme -> what the world keeps, in place of what it kept. */
static void keep(dls_event_world *x, bool known) {
  dls_world *w = x->world;
  const dls_event_scheme *e = &x->scheme;
  for (int i = 0; i < x->n; i++) {
    const dls_event_contact *contact = &e->contacts[i];
    const int r = x->system.row[i], m = 1 + x->system.n_tangents[i];
    const int age = known ? w->event_contacts[i].age : 0;
    const bool closed = contact->mode != DLS_MODE_OPEN;
    dls_event_memory *of = &w->event_contacts_next[i];
    *of = (dls_event_memory){.mode = contact->mode, .held = contact->held, .level = contact->level,
                             .slip = {contact->slip[0], contact->slip[1]},
                             .last_impact = contact->last_impact, .flight = contact->flight,
                             .struck = contact->struck, .approach = contact->approach,
                             .n_brief = contact->n_brief, .limit = contact->limit};
    const bool was = known && w->event_contacts[i].mode != DLS_MODE_OPEN;
    of->age = closed && was ? (age < DLS_OLDEST ? age + 1 : age) : 0;
    memcpy(of->force, e->lambda + r, (size_t)m * sizeof(double));
    dls_event_armed(e, i, of->armed);
  }
  turn_memory(w, x->n);
  w->event_state =
      (dls_event_state){.speed = e->speed, .next_dt = e->next_dt, .friction = e->friction_power};
}

/* --- a step ----------------------------------------------------------------------------------- */

/* The bodies' arrays at the end of the step become the world's, those of its beginning the ones
** before. */
static void turn_over(dls_event_world *x) {
  dls_world *w = x->world;
  const size_t nq = (size_t)w->n_bodies * dls_nq_of(w), nu = (size_t)w->n_bodies * dls_nu_of(w);
  memcpy(w->q_next, w->q, nq * sizeof(double));
  memcpy(w->u_next, w->u, nu * sizeof(double));
  memcpy(w->q, x->q_start, nq * sizeof(double));
  memcpy(w->u, x->u_start, nu * sizeof(double));
  double *first = w->q_before, *u = w->u;
  w->q_before = w->q, w->q = w->q_next, w->q_next = first;
  w->u = w->u_next, w->u_next = u;
}

static dls_status failed(dls_event_world *x, dls_status status) {
  const dls_event_scheme *e = &x->scheme;
  if (status != DLS_STATE || e->failed < 0) return status;
  /* a state that begins with a negative gap */
  const dls_smooth_contact *contact = &x->contacts[e->failed];
  const bool limit = contact->joint >= 0;
  x->refusal = limit ? DLS_EVENTS_BEYOND : DLS_EVENTS_OVERLAP;
  x->a = limit ? contact->joint : contact->a, x->b = contact->b;
  return DLS_ARG;
}

static dls_status run(dls_event_world *x, double to) {
  const double *q = x->scheme.q, *u = x->scheme.u;
  x->placed = false;
  dls_status status = dls_account_begin(x);
  if (status == DLS_OK) status = dls_event_run(&x->scheme, to);
  if (status != DLS_OK) return failed(x, status);
  x->placed = false;
  status = dls_event_world_move(x, to, q, u);
  for (int i = 0; i < x->n && status == DLS_OK; i++) { /* compressions are asked for there */
    double gap;
    if (x->contacts[i].by_function && dls_smooth_complies(&x->contacts[i]))
      status = dls_function_gap(x, i, to, q, &gap);
  }
  return status;
}

/* Nothing moves freely: what is carried goes on all the same, and whoever carries it works. */
static dls_status carry_on(dls_event_world *x) {
  x->placed = false;
  dls_status status = dls_account_begin(x);
  if (status == DLS_OK) status = dls_account_carried(x, x->start, x->to);
  x->placed = false;
  return status == DLS_OK ? dls_event_world_move(x, x->to, x->q, x->u) : status;
}

/* The start comes to what joints admit. */
static dls_status admit(dls_event_world *x) {
  x->placed = false;
  const dls_status status = dls_holds_project(&x->holds, x->scheme.t, x->scheme.q, x->scheme.u);
  if (status == DLS_OK) dls_trees_keep(x->world);
  return status;
}

dls_status dls_event_world_begin(dls_world *w, double to, uint64_t model, bool *admitted) {
  dls_event_world *x = w->event_world;
  if (x == NULL) {
    x = w->event_world = dls_new(&w->alloc, 1, sizeof *x);
    if (x == NULL) return DLS_NOMEM;
    x->world = w, x->alloc = w->alloc;
  }
  const double next = w->time_origin + (double)(w->steps + 1 - w->steps_origin) * w->dt;
  x->n_told = 0, x->refusal = DLS_EVENTS_FINE, x->work = (dls_event_work){0};
  dls_status status = dls_trees_gather(w, w->q, w->u, w->q, w->u, w->time);
  const bool new_model = x->model != model || x->block == NULL;
  if (status == DLS_OK && new_model) status = make(x, model);
  if (status == DLS_OK) status = dls_event_world_reserve(w, x->n);
  if (status != DLS_OK) return status;
  const bool known =
      w->n_event_contacts == x->n && w->event_state.of != 0 && w->event_state.model == model;
  const size_t nq = (size_t)w->n_bodies * dls_nq_of(w), nu = (size_t)w->n_bodies * dls_nu_of(w);
  memcpy(x->q_start, w->q, nq * sizeof(double));
  memcpy(x->u_start, w->u, nu * sizeof(double));
  x->start = w->time;
  if (x->nu > 0) recall(x, known);
  x->known = known, x->cut = to < next, x->to = x->cut ? to : next;
  *admitted = x->holds.room > 0 && !x->scheme.settled;
  return *admitted ? admit(x) : DLS_OK;
}

dls_status dls_event_world_step(dls_world *w, int *n_contacts) {
  dls_event_world *x = w->event_world;
  const dls_status status = x->nu > 0 ? run(x, x->to) : carry_on(x);
  *n_contacts = status == DLS_OK && x->nu > 0 ? dls_event_world_count(x) : 0;
  return status;
}

dls_status dls_event_world_finish(dls_world *w) {
  dls_event_world *x = w->event_world;
  const uint64_t model = x->model;
  dls_status status = DLS_OK;
  if (x->nu > 0) status = dls_event_world_list(x);
  else if (dls_trees_used(w)) status = dls_event_world_react(x, NULL); /* welds carry all the same */
  if (status != DLS_OK) return status;
  dls_trees_keep(w);
  dls_trees_scatter(w, w->q, w->u, true);
  if (x->nu > 0) {
    if (x->holds.room > 0) dls_joints_keep(w);
    dls_penalties_follow(w);
    keep(x, x->known);
  } else turn_memory(w, 0);
  turn_over(x);
  w->steps++;
  w->event_state.span = x->cut ? x->to - x->start : w->dt;
  w->time = x->to;
  if (x->cut) w->time_origin = x->to, w->steps_origin = w->steps;
  w->event_state.of = state_of(w), w->event_state.model = model;
  return DLS_OK;
}
