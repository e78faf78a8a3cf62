/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/dim.h"
#include "core/event_world/event_world.h"
#include "core/world/snapshot_check.h"
#include "core/world/state.h"

/* The state is listed once, here; saving, restoring, hashing and undoing are loops over it. */
#define SCALARS(X)                                                                            \
  X(time) X(time_origin) X(steps_origin) X(steps) X(impacts) X(n_unconverged) X(random)       \
  X(ledger) X(gravity) X(dt) X(theta) X(impact) X(solve.method) X(solve.tolerance)            \
  X(solve.max_iterations) X(factor) X(friction_corners) X(seed) X(log) X(strict)

/* How many there are of things whose number is state. */
#define COUNTS(X)                                                                             \
  X(n_contacts) X(n_events) X(broad.n) X(broad.n_pairs) X(broad.n_entries)

/* Arrays over places of the model, of which gaps have no state: array, size of what a place has,
** its model. */
#define PLACES(X)                                                                             \
  X(q, (size_t)DLS_NQ(w->dim) * sizeof(double), bodies)                                       \
  X(q_before, (size_t)DLS_NQ(w->dim) * sizeof(double), bodies)                                \
  X(u, (size_t)DLS_NU(w->dim) * sizeof(double), bodies)                                       \
  X(load, (size_t)DLS_NU(w->dim) * sizeof(double), bodies)                                    \
  X(joint_state, sizeof(dls_joint_state), joints)

/* Arrays: place, element, number. */
#define ARRAYS(X)                                                                             \
  X(contacts, dls_contact, (size_t)w->n_contacts)                                             \
  X(events, dls_event, (size_t)w->n_events)                                                   \
  X(broad.a, int, (size_t)w->broad.n_pairs)                                                   \
  X(broad.b, int, (size_t)w->broad.n_pairs)

typedef void (*visit)(void *ctx, void *place, size_t bytes);

static void each_count(dls_world *w, visit fn, void *ctx) {
#define COUNT(name) fn(ctx, &w->name, sizeof w->name);
  COUNTS(COUNT)
#undef COUNT
  if (!w->event_driven) return;
  fn(ctx, &w->n_event_contacts, sizeof w->n_event_contacts);
  fn(ctx, &w->event_state, sizeof w->event_state);
}

/* Runs of places that are no gaps, `size` bytes each, from `place` (NULL: only how many there are
** is asked). */
static void each_run(visit fn, void *ctx, void *place, size_t size, const void *model,
                     size_t stride, int n) {
  const unsigned char *at = model;
  for (int i = 0, first = 0; i <= n; i++) {
    if (i < n && *(const bool *)(const void *)(at + (size_t)i * stride)) continue;
    if (i > first)
      fn(ctx, place ? (unsigned char *)place + (size_t)first * size : NULL,
         (size_t)(i - first) * size);
    first = i + 1;
  }
}

/* The numbers of motors, which a run changes: kinds belong to the structure. */
static void each_motor(dls_world *w, visit fn, void *ctx) {
  for (int i = 0; i < w->n_joints; i++) {
    dls_motor *motor = &w->joints[i].motor;
    if (!w->joints[i].alive || motor->kind == DLS_MOTOR_NONE) continue;
    double *const numbers[] = {&motor->target, &motor->stiffness, &motor->damping, &motor->most};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
      fn(ctx, numbers[k], sizeof *numbers[k]);
  }
}

/* Whether the neighbour list has a box for every place of a body: those of gaps are empty, and no
** state. */
static bool has_boxes_of_places(const dls_world *w) {
  return w->dim == 2 && w->broad.n == w->n_bodies;
}

/* The boxes of the neighbour list stand one coordinate after another, each with room. */
static void each_box(dls_world *w, visit fn, void *ctx) {
  for (int d = 0; d < 2 * w->dim && w->broad.n > 0; d++) {
    double *row = w->broad.built + (size_t)d * (size_t)w->broad.n_room;
    if (has_boxes_of_places(w))
      each_run(fn, ctx, row, sizeof *row, w->bodies, sizeof *w->bodies, w->n_bodies);
    else fn(ctx, row, (size_t)w->broad.n * sizeof *row);
  }
}

/* Boxes of gaps: from infinity to minus infinity. */
static void empty_boxes(dls_world *w) {
  for (int d = 0; d < 4 && has_boxes_of_places(w); d++)
    for (int i = 0; i < w->n_bodies; i++)
      if (!w->bodies[i].alive)
        w->broad.built[(size_t)d * (size_t)w->broad.n_room + (size_t)i] =
            d < 2 ? DLS_INF : -DLS_INF;
}

static void each_value(dls_world *w, visit fn, void *ctx) {
#define SCALAR(name) fn(ctx, &w->name, sizeof w->name);
  SCALARS(SCALAR)
#undef SCALAR
#define PLACE(name, size, model) each_run(fn, ctx, w->name, size, w->model, sizeof *w->model, w->n_##model);
  PLACES(PLACE)
#undef PLACE
#define ARRAY(name, type, n)                                                                  \
  if ((n) > 0) fn(ctx, w->name, (n) * sizeof(type));
  ARRAYS(ARRAY)
#undef ARRAY
  each_motor(w, fn, ctx);
  if (w->event_driven && w->n_event_contacts > 0)
    fn(ctx, w->event_contacts, (size_t)w->n_event_contacts * sizeof *w->event_contacts);
  each_box(w, fn, ctx);
  for (int i = 0; i < w->n_user_contacts; i++)
    if (w->user_contacts[i].alive)
      fn(ctx, &w->user_contacts[i].active, sizeof w->user_contacts[i].active);
}

static void add_size(void *ctx, void *place, size_t bytes) {
  (void)place;
  *(size_t *)ctx += bytes;
}

static void write_bytes(void *ctx, void *place, size_t bytes) {
  unsigned char **at = ctx;
  memcpy(*at, place, bytes);
  *at += bytes;
}

static void read_bytes(void *ctx, void *place, size_t bytes) {
  const unsigned char **at = ctx;
  memcpy(place, *at, bytes);
  *at += bytes;
}

static void hash_bytes(void *ctx, void *place, size_t bytes) { dls_hash_bytes(ctx, place, bytes); }

/* Trees place their bodies before a step begins; what joints beside them do is asked for after one
** that failed, too. */
static void each_undone(dls_world *w, visit fn, void *ctx) {
  each_count(w, fn, ctx);
#define SCALAR(name) fn(ctx, &w->name, sizeof w->name);
  SCALARS(SCALAR)
#undef SCALAR
  if (w->n_joints > 0) {
    const size_t n = (size_t)w->n_joints;
    fn(ctx, w->joint_state, n * sizeof *w->joint_state);
    fn(ctx, w->joint_own, 6 * n * sizeof *w->joint_own);
    fn(ctx, w->joint_qdd, 6 * n * sizeof *w->joint_qdd);
    fn(ctx, &w->own_known, sizeof w->own_known);
    fn(ctx, &w->qdd_known, sizeof w->qdd_known);
  }
  if (!w->trees) return;
  fn(ctx, w->q, (size_t)w->n_bodies * (size_t)DLS_NQ(w->dim) * sizeof *w->q);
  fn(ctx, w->u, (size_t)w->n_bodies * (size_t)DLS_NU(w->dim) * sizeof *w->u);
}

typedef struct header {
  char magic[8];      /* "delassus"                        */
  uint64_t version;   /* of this layout                    */
  uint64_t structure; /* dls_world_structure               */
  uint64_t size;      /* of the whole                      */
} header;

static const char MAGIC[8] = {'d', 'e', 'l', 'a', 's', 's', 'u', 's'};
enum { VERSION = 6 };

/* Visitors change nothing but where they read into: the world is const for all but restore. */
static dls_world *open_const(const dls_world *w) { return (dls_world *)(uintptr_t)w; }

size_t dls_state_size(const dls_world *world) {
  size_t size = 0;
  dls_contacts_drop_gone(world);
  each_count(open_const(world), add_size, &size);
  each_value(open_const(world), add_size, &size);
  return size;
}

void dls_state_save(const dls_world *world, unsigned char *out) {
  (void)dls_world_contacts(world);
  each_count(open_const(world), write_bytes, &out);
  each_value(open_const(world), write_bytes, &out);
}

void dls_state_load(dls_world *world, const unsigned char *bytes) {
  each_count(world, read_bytes, &bytes);
  empty_boxes(world);
  each_value(world, read_bytes, &bytes);
  dls_records_changed(world);
  dls_world_set_factor(world, world->factor); /* the trees keep it too */
}

size_t dls_undo_size(const dls_world *world) {
  size_t size = 0;
  each_undone(open_const(world), add_size, &size);
  return size;
}

void dls_undo_save(const dls_world *world, unsigned char *out) {
  each_undone(open_const(world), write_bytes, &out);
}

void dls_undo_load(dls_world *world, const unsigned char *bytes) {
  each_undone(world, read_bytes, &bytes);
  dls_world_set_factor(world, world->factor); /* the trees keep it too */
}

size_t dls_world_snapshot_size(const dls_world *world) {
  return sizeof(header) + dls_state_size(world);
}

void dls_world_snapshot(const dls_world *world, void *out) {
  header head = {.version = VERSION, .structure = dls_world_structure(world),
                 .size = dls_world_snapshot_size(world)};
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  unsigned char *at = out;
  write_bytes(&at, &head, sizeof head);
  dls_state_save(world, at);
}

/* Room for counts as they stand in w; what is larger stays. */
static dls_status make_room(dls_world *w, const dls_world *counts) {
  dls_status status = DLS_OK;
  if (counts->n_contacts > w->contact_room)
    status = dls_world_reserve_contacts(w, counts->n_contacts);
  if (status == DLS_OK && counts->n_events > w->event_room)
    status = dls_world_reserve_events(w, counts->n_events);
  if (status == DLS_OK) status = dls_event_world_reserve(w, counts->n_event_contacts);
  if (status == DLS_OK && counts->broad.n >= 0) {
    w->broad.need_pairs = counts->broad.n_pairs;
    status = dls_broad_reserve(&w->broad, &w->alloc, w->n_bodies, 1);
  }
  return status;
}

static bool counts_are_good(const dls_world *c, const dls_world *w) {
  return c->n_contacts >= 0 && c->n_events >= 0 && c->n_event_contacts >= 0 && c->broad.n >= -1 &&
         c->broad.n <= w->n_bodies && c->broad.n_pairs >= 0 && c->broad.n_entries >= 0;
}

/* The state in the bytes, read into arrays of its own in tmp, is looked at as a whole before the
** world takes it. */
static dls_status check(const dls_world *w, const dls_world *counts, const unsigned char *bytes,
                        dls_arena *tmp) {
  const size_t n = (size_t)w->n_bodies, nq = n * (size_t)DLS_NQ(w->dim),
               nu = n * (size_t)DLS_NU(w->dim);
  const size_t boxes = counts->broad.n > 0 ? (size_t)counts->broad.n : 0;
  dls_world read = *counts;
#define ROOM(X)                                                                                              \
  X(q, double, nq) X(q_before, double, nq) X(u, double, nu) X(load, double, nu)                              \
  X(joint_state, dls_joint_state, w->n_joints) X(joints, dls_joint, w->n_joints)                             \
  X(user_contacts, dls_user_contact, w->n_user_contacts)                                                     \
  X(contacts, dls_contact, read.n_contacts) X(events, dls_event, read.n_events)                              \
  X(event_contacts, dls_event_memory, read.n_event_contacts)                                                 \
  X(broad.a, int, read.broad.n_pairs) X(broad.b, int, read.broad.n_pairs)                                    \
  X(broad.built, double, 2 * (size_t)w->dim * boxes)
  size_t size = dls_arena_bytes(n, sizeof(int)) + DLS_ALIGN;
#define ADD(name, type, count) size = dls_bytes_add(size, dls_arena_bytes((size_t)(count), sizeof(type)));
  ROOM(ADD)
#undef ADD
  dls_status status = dls_arena_create(tmp, &w->alloc, size);
  if (status != DLS_OK) return status;
  int *room = DLS_TAKE(tmp, int, n);
  bool full = room == NULL;
#define TAKE(name, type, count) full = (read.name = DLS_TAKE(tmp, type, count)) == NULL || full;
  ROOM(TAKE)
#undef TAKE
#undef ROOM
  if (full) return DLS_NOMEM;
  if (w->n_user_contacts > 0)
    memcpy(read.user_contacts, w->user_contacts,
           (size_t)w->n_user_contacts * sizeof *w->user_contacts);
  if (w->n_joints > 0) memcpy(read.joints, w->joints, (size_t)w->n_joints * sizeof *w->joints);
  read.broad.n_room = (int)boxes;
  each_count(&read, read_bytes, &bytes);
  empty_boxes(&read);
  each_value(&read, read_bytes, &bytes);
  return dls_state_is_sound(w, &read, room) ? DLS_OK : DLS_ARG;
}

dls_status dls_world_restore(dls_world *w, const void *bytes, size_t size) {
  header head;
  dls_world counts = *w;
  const unsigned char *at = bytes;
  size_t whole = sizeof head;
  each_count(&counts, add_size, &whole);
  if (size < whole) return DLS_ARG;
  read_bytes(&at, &head, sizeof head);
  if (memcmp(head.magic, MAGIC, sizeof MAGIC) != 0 || head.version != VERSION ||
      head.size != size || head.structure != dls_world_structure(w))
    return DLS_ARG;
  const unsigned char *state = at;
  each_count(&counts, read_bytes, &at);
  if (!counts_are_good(&counts, w)) return DLS_ARG;
  each_value(&counts, add_size, &whole);
  if (whole != size) return DLS_ARG;
  dls_arena tmp = {0};
  dls_status status = check(w, &counts, state, &tmp);
  dls_arena_destroy(&tmp, &w->alloc);
  if (status == DLS_OK) status = make_room(w, &counts);
  if (status != DLS_OK) return status;
  dls_state_load(w, state);
  w->own_known = w->qdd_known = false;
  return DLS_OK;
}

void dls_snapshot_seal(const void *bytes, size_t size, unsigned char out[DLS_SEAL]) {
  dls_hash hash = dls_hash_start();
  dls_hash_bytes(&hash, bytes, size);
  const uint64_t digest = dls_hash_digest(&hash);
  for (int i = 0; i < DLS_SEAL; i++) out[i] = (unsigned char)(digest >> (8 * i) & 0xff);
}

bool dls_snapshot_sealed(const void *bytes, size_t size) {
  unsigned char seal[DLS_SEAL];
  if (size <= DLS_SEAL) return false;
  dls_snapshot_seal(bytes, size - DLS_SEAL, seal);
  return memcmp(seal, (const unsigned char *)bytes + size - DLS_SEAL, DLS_SEAL) == 0;
}

uint64_t dls_world_hash(const dls_world *world) {
  (void)dls_world_contacts(world);
  dls_hash hash = dls_hash_start();
  dls_hash_word(&hash, dls_world_structure(world));
  each_count(open_const(world), hash_bytes, &hash);
  each_value(open_const(world), hash_bytes, &hash);
  return dls_hash_digest(&hash);
}
