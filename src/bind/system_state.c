/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/system.h"
#include "core/base/hash.h"
#include "core/events/event_parts.h"

/* Snapshots of systems: the header below, then q, u, lambda, contacts, armed, log. Functions are
** no part. */

typedef struct header {
  char magic[8]; /* what the bytes begin with */
  uint64_t seal; /* hash of all that follows it */
  int32_t n, n_contacts, n_rows, n_log; /* velocities, contacts, rows, entries of the log */
  /* s; s: where steps count from; m/s: fastest so far; s; W: dissipated */
  double t, origin, speed, next_dt, friction;
  int64_t counted; /* steps */
  int32_t spare, settled, stepped, time_stepping; /* 0; booleans */
  dls_event_stats stats; /* of the run so far */
} header;

static const char magic[8] = "dlssys4";

static size_t body_bytes(const dls_system *s, int n_log) {
  return (2 * (size_t)s->n + (size_t)s->n_rows) * sizeof(double) +
         (size_t)s->n_contacts * (sizeof(dls_event_contact) + 2) +
         (size_t)n_log * sizeof(dls_event_entry);
}

/* Copies one part and goes on; towards the string where `out`. */
static void part(char **at, void *data, size_t bytes, bool out) {
  if (bytes == 0) return; /* a log without events has no memory */
  if (out) memcpy(*at, data, bytes);
  else memcpy(data, *at, bytes);
  *at += bytes;
}

static void parts(dls_system_box *box, char *at, bool out) {
  const dls_system *s = &box->system;
  dls_event_scheme *e = &box->scheme;
  const size_t n = (size_t)s->n * sizeof(double), m = (size_t)s->n_rows * sizeof(double);
  part(&at, e->q, n, out);
  part(&at, e->u, n, out);
  part(&at, e->lambda, m, out);
  part(&at, e->contacts, (size_t)s->n_contacts * sizeof *e->contacts, out);
  part(&at, e->scratch->armed, 2 * (size_t)s->n_contacts, out);
  part(&at, e->log, (size_t)e->n_log * sizeof *e->log, out);
}

static header header_of(const dls_system_box *box) {
  const dls_event_scheme *e = &box->scheme;
  header h;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, magic, sizeof magic);
  h.n = box->system.n, h.n_contacts = box->system.n_contacts, h.n_rows = box->system.n_rows,
  h.n_log = e->n_log;
  h.t = e->t, h.origin = box->origin, h.counted = box->counted, h.speed = e->speed,
  h.next_dt = e->next_dt, h.friction = e->friction_power;
  h.settled = e->settled, h.stepped = e->stepped;
  h.time_stepping = box->time_stepping;
  h.stats = e->stats;
  return h;
}

static uint64_t seal_of(const char *bytes, size_t size) {
  const size_t from = offsetof(header, n);
  dls_hash hash = dls_hash_start();
  dls_hash_bytes(&hash, bytes + from, size - from);
  return dls_hash_digest(&hash);
}

/* Pushes a buffer with header and parts. */
static char *push_state(lua_State *L, dls_system_box *box, size_t *size) {
  header h = header_of(box);
  *size = sizeof h + body_bytes(&box->system, h.n_log);
  char *bytes = (char *)lua_newuserdatauv(L, *size, 0);
  memcpy(bytes, &h, sizeof h);
  parts(box, bytes + sizeof h, true);
  h.seal = seal_of(bytes, *size);
  memcpy(bytes, &h, sizeof h);
  return bytes;
}

int dls_system_snapshot_lua(lua_State *L) {
  dls_system_box *box = dls_check_system(L, "system:snapshot");
  size_t size;
  const char *bytes = push_state(L, box, &size);
  lua_pushlstring(L, bytes, size);
  return 1;
}

int dls_system_hash_lua(lua_State *L) {
  dls_system_box *box = dls_check_system(L, "system:hash");
  size_t size;
  const char *bytes = push_state(L, box, &size);
  char text[17];
  dls_hash_text(seal_of(bytes, size), text);
  lua_pushstring(L, text);
  return 1;
}

/* Counts of a run: far from where the next one overflows. */
static bool is_run_count(int64_t n) { return n >= 0 && n <= (int64_t)1 << 53; }

static bool stats_are_sound(const dls_event_stats *s) {
  const int64_t counts[] = {s->steps,  s->rejected, s->evaluations,
                            s->events, s->impacts,  s->problems};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (!is_run_count(counts[i])) return false;
  return s->inconsistent >= 0 && s->curbed >= 0;
}

/* Whole steps of dt lead from the origin to the time, to the bit: not where dt is another than
** that of the snapshot. */
static bool system_is_timely(const header *h, double dt) {
  return is_run_count(h->counted) && h->t == h->origin + (double)h->counted * dt;
}

/* Whether every number, index and kind of the parts at `at` is one that a system can have. */
static bool sound(const dls_system *s, const header *h, const char *at) {
  const size_t doubles = 2 * (size_t)s->n + (size_t)s->n_rows;
  for (size_t i = 0; i < doubles; i++, at += sizeof(double)) {
    double x;
    memcpy(&x, at, sizeof x);
    if (!dls_is_finite(x)) return false;
  }
  for (int i = 0; i < s->n_contacts; i++, at += sizeof(dls_event_contact)) {
    dls_event_contact c;
    memcpy(&c, at, sizeof c);
    if (c.mode < DLS_MODE_OPEN || c.mode > DLS_MODE_SATURATED || !dls_is_finite(c.held) ||
        !dls_is_finite(c.level) || c.level > 0)
      return false;
    if (!(dls_disk_length(2, c.slip) <= 1.0000001) || !(c.flight >= 0) ||
        !(c.last_impact <= h->t) || !(c.struck <= h->t) || !(c.approach >= 0) ||
        !(c.limit > -DLS_INF) || !dls_is_finite(c.approach) || c.n_brief < 0 ||
        (c.memory & ~(DLS_MEMORY_LISTED | DLS_MEMORY_HELD | DLS_MEMORY_RESTS)) != 0)
      return false;
  }
  for (int i = 0; i < 2 * s->n_contacts; i++, at++)
    if (*at != 0 && *at != 1) return false;
  for (int i = 0; i < h->n_log; i++, at += sizeof(dls_event_entry)) {
    dls_event_entry event;
    memcpy(&event, at, sizeof event);
    if (event.kind < DLS_EVENT_IMPACT || event.kind > DLS_EVENT_COLLAPSED ||
        event.kind == DLS_EVENT_STEP || event.contact < 0 || event.contact >= s->n_contacts ||
        event.mode < DLS_MODE_OPEN || event.mode > DLS_MODE_SATURATED)
      return false;
  }
  return dls_is_finite(h->t) && dls_is_finite(h->origin) && stats_are_sound(&h->stats) &&
         h->speed >= 0 && dls_is_finite(h->speed) && h->next_dt >= 0 && dls_is_finite(h->next_dt) &&
         dls_is_finite(h->friction) && (h->settled | 1) == 1 && (h->stepped | 1) == 1;
}

int dls_system_restore_lua(lua_State *L) {
  static const char name[] = "system:restore";
  dls_system_box *box = dls_check_system(L, name);
  const dls_at where = {name, NULL, 0, 0};
  const dls_system *s = &box->system;
  dls_event_scheme *e = &box->scheme;
  header h;
  size_t size;
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING) dls_bad(L, &where, "expected a snapshot", 2);
  const char *bytes = lua_tolstring(L, 2, &size);
  memset(&h, 0, sizeof h);
  if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
  const bool same = memcmp(h.magic, magic, sizeof magic) == 0 && h.n == s->n &&
                    h.n_contacts == s->n_contacts && h.n_rows == s->n_rows &&
                    h.time_stepping == (int)box->time_stepping && h.n_log >= 0 &&
                    (size_t)h.n_log <= size / sizeof(dls_event_entry) &&
                    size == sizeof h + body_bytes(s, h.n_log);
  if (!same)
    dls_raise(L, name, "this is no snapshot of a system with these coordinates and contacts");
  if (seal_of(bytes, size) != h.seal || !sound(s, &h, bytes + sizeof h))
    dls_raise(L, name, "the snapshot is damaged");
  if (h.n_log > e->n_log_room) {
    void *block = e->log;
    dls_check_status(
        L, dls_grow(&e->alloc, &block, (size_t)e->n_log_room, (size_t)h.n_log, sizeof *e->log),
        name);
    e->log = (dls_event_entry *)block, e->n_log_room = h.n_log;
  }
  e->n_log = h.n_log;
  union { const char *in; char *out; } text = {bytes + sizeof h};
  parts(box, text.out, false);
  const bool timely = system_is_timely(&h, e->opts.dt);
  e->t = h.t, box->origin = timely ? h.origin : h.t, box->counted = timely ? h.counted : 0;
  e->speed = h.speed, e->next_dt = h.next_dt, e->friction_power = h.friction;
  e->settled = h.settled != 0, e->stepped = h.stepped != 0;
  e->stats = h.stats;
  dls_system_forget(box);
  return 0;
}
