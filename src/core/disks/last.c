/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/last.h"

/* Looks, as a multiple of the contacts, before it is given up; groups of which the errors are
** counted at once. */
enum { LAST_LOOKS = 4, LAST_SOME = 32 };

/* Begun where at most this share of contacts misses the limit; by a hair less than the limit, since
** the residual here is rounded otherwise. */
static const double LAST_SHARE = 0.04, HAIR = 0.9999;

/* The share of its change that a visit makes: a fifth fewer looks than with all of it; less than
** 0.7 does not always end. */
static const float RELAXATION = 0.75F;

enum { QUEUED = 1, COPIED = 2 };

/* A place's contacts are written in full where they have one of the first colours, as nearly all
** have. */
enum { FULL = DLS_DISK_FULL };

size_t dls_disk_last_bytes(size_t places, size_t lanes) {
  size_t total = dls_arena_bytes((FULL + 1) * (places + 1), sizeof(int));
  total = dls_bytes_add(total, dls_arena_bytes(2 * lanes, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(lanes + 1, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(lanes + 1, 1));
  total = dls_bytes_add(total, dls_arena_bytes(lanes, sizeof(dls_disk_single)));
  return dls_bytes_add(total, dls_arena_bytes(lanes, sizeof(float)));
}

bool dls_disk_last_take(const dls_disk_groups *G, dls_arena *tmp, dls_disk_last *X) {
  const size_t lanes = DLS_DISK_LANES * (size_t)G->bed.n, places = (size_t)G->n_bodies + 1;
  X->full = DLS_TAKE(tmp, int, (FULL + 1) * places);
  X->next = DLS_TAKE(tmp, int, 2 * lanes);
  X->ring = DLS_TAKE(tmp, int, lanes + 1);
  X->state = DLS_TAKE(tmp, unsigned char, lanes + 1);
  X->error = DLS_TAKE(tmp, float, lanes);
  X->contact = DLS_TAKE(tmp, dls_disk_single, lanes);
  if (!X->full || !X->next || !X->ring || !X->state || !X->error || !X->contact) return false;
  X->head = X->full + FULL * places;
  *X->state++ = QUEUED;
  memset(X->full, -1, (FULL + 1) * places * sizeof(int));
  return true;
}

/* The lanes of each body's contacts; none of what does not move. */
static void link_contacts(const dls_disk_groups *G, dls_disk_last *X) {
  X->linked = true;
  int *full = X->full, *head = X->head, *next = X->next;
  for (int k = 0, c = 0; k < G->bed.n; k++) {
    const dls_disk_pairs *g = &G->bed.pairs[k];
    while (c < FULL && k >= G->colour_end[c]) c++;
    for (int l = 0; l < DLS_DISK_LANES; l++) {
      const int at = DLS_DISK_LANES * k + l, a = g->i[l] / DLS_DISK_BODY,
                b = g->j[l] / DLS_DISK_BODY;
      if (c < FULL) {
        full[FULL * a + c] = full[FULL * b + c] = at;
      } else {
        next[2 * at] = head[a], head[a] = 2 * at;
        next[2 * at + 1] = head[b], head[b] = 2 * at + 1;
      }
    }
  }
  memset(full + FULL * G->n_bodies, -1, FULL * sizeof(int));
  head[G->n_bodies] = -1;
}

static inline void copy_contact(const dls_disk_groups *G, int at, dls_disk_single *c) {
  const int k = at / DLS_DISK_LANES, l = at % DLS_DISK_LANES;
  const dls_disk_group *g = &G->bed.group[k];
  const dls_disk_pairs *pairs = &G->bed.pairs[k];
  const dls_disk_law *law = &G->bed.law[G->bed.law_of[k]];
  const float *p = G->p + DLS_DISK_PARTS * DLS_DISK_LANES * k + l;
  c->nx = g->nx[l], c->ny = g->ny[l], c->ma = g->ma[l], c->mb = g->mb[l], c->ta = g->ta[l],
  c->tb = g->tb[l];
  c->s_n = g->s_n[l], c->s_t = law->s_t[l], c->mu = law->mu[l], c->inner = law->inner[l];
  const float w_n = c->ma + c->mb, w = law->tangential[l] * g->w_t[l];
  c->norm = sqrtf(w_n * w_n + w * w), c->w_t = g->w_t[l];
  c->p_n = p[0], c->p_t = p[DLS_DISK_LANES];
  c->i = pairs->i[l], c->j = pairs->j[l];
}

static inline float larger(float x, float y) { return x > y ? x : y; }
static inline float smaller(float x, float y) { return x < y ? x : y; }

/* max(x, 0) without a branch, which compilers would make and nothing predicts. */
static inline float positive(float x) { return 0.5F * (x + fabsf(x)); }

/* A visit of a contact, relaxed; p: its impulses in the groups. */
static inline void visit(dls_disk_single *c, float *u, float *p) {
  float *a = u + c->i, *b = u + c->j;
  const float p_n = c->p_n, p_t = c->p_t, vx = b[0] - a[0], vy = b[1] - a[1];
  const float v_n = c->s_n + (c->nx * vx + c->ny * vy);
  const float v_t = ((c->ta * a[2] + c->tb * b[2]) + c->s_t) + (c->ny * vx - c->nx * vy);
  const float q_n = positive(p_n - RELAXATION / (c->ma + c->mb) * v_n), bound = c->mu * q_n;
  const float q_t = larger(smaller(p_t - RELAXATION / c->w_t * v_t, bound), -bound),
              d_n = q_n - p_n, d_t = q_t - p_t;
  const float fx = c->nx * d_n + c->ny * d_t, fy = c->ny * d_n - c->nx * d_t;
  p[0] = c->p_n = q_n, p[DLS_DISK_LANES] = c->p_t = q_t;
  a[0] -= c->ma * fx, a[1] -= c->ma * fy, a[2] += c->ta * d_t;
  b[0] += c->mb * fx, b[1] += c->mb * fy, b[2] += c->tb * d_t;
}

/* Lane `at` behind the n that are queued, where it is not; answers how many are then. */
static inline int enqueue(const dls_disk_last *X, int n, int lanes, int at) {
  const int last = X->first + n, more = !(X->state[at] & QUEUED);
  X->ring[last <= lanes ? last : last - lanes - 1] = at;
  X->state[at] |= QUEUED;
  return n + more;
}

/* All contacts of a body's place, likewise. */
static inline int enqueue_around(const dls_disk_last *X, int n, int lanes, int place) {
  const int *full = X->full + FULL * place;
  for (int i = 0; i < FULL; i++) n = enqueue(X, n, lanes, full[i]);
  for (int i = X->head[place]; i >= 0; i = X->next[i]) n = enqueue(X, n, lanes, i / 2);
  return n;
}

/* Queues the contacts that miss the limit; false where they are more than `most`: mostly seen
** before all errors are formed. */
static bool gather(const dls_disk_groups *G, float limit, int most, dls_disk_last *X) {
  const int lanes = DLS_DISK_LANES * G->bed.n;
  for (int k = 0, missed = 0; k < G->bed.n; k += LAST_SOME) {
    const int some = G->bed.n - k < LAST_SOME ? G->bed.n - k : LAST_SOME;
    const float *error = X->error + DLS_DISK_LANES * k;
    G->lanes->errors(&G->bed, k, k + some, G->p, G->u, X->error);
    for (int l = 0; l < DLS_DISK_LANES * some; l++) missed += !(error[l] <= limit);
    if (missed > most) return false;
  }
  X->first = X->n = 0;
  for (int at = 0; at < lanes; at++) {
    X->state[at] = 0;
    if (!(X->error[at] <= limit)) X->n = enqueue(X, X->n, lanes, at);
  }
  return true;
}

/* Takes up to sixteen out of the queue, and forms their errors side by side, before any of them is
** visited: *n of them miss the limit now. Answers how many have been looked at. */
static int look_at_first(const dls_disk_groups *G, float limit, dls_disk_last *X, int *missed,
                         int *n) {
  const int lanes = DLS_DISK_LANES * G->bed.n,
            count = X->n < DLS_DISK_LANES ? X->n : DLS_DISK_LANES;
  int which[DLS_DISK_LANES];
  float squared[DLS_DISK_LANES];
  for (int q = 0; q < count; q++) {
    const int at = which[q] = X->ring[X->first];
    X->first = X->first < lanes ? X->first + 1 : 0;
    if (!(X->state[at] & COPIED)) copy_contact(G, at, &X->contact[at]);
    X->state[at] = COPIED;
  }
  for (int q = count; q < DLS_DISK_LANES; q++) which[q] = which[0];
  X->n -= count;
  G->lanes->look(X->contact, which, G->u, squared);
  *n = 0;
  for (int q = 0; q < count; q++) {
    missed[*n] = which[q];
    *n += !(squared[q] <= limit);
  }
  return count;
}

bool dls_disk_settle_last(const dls_disk_groups *G, double most_error, int n, dls_disk_last *X,
                          int *looks) {
  const int lanes = DLS_DISK_LANES * G->bed.n, most = LAST_LOOKS * n;
  const float limit = (float)(HAIR * most_error * most_error);
  int missed[DLS_DISK_LANES], n_missed;
  *looks = 0;
  if (!gather(G, limit, (int)(LAST_SHARE * n), X)) return false;
  if (X->n > 0 && !X->linked) link_contacts(G, X);
  while (X->n > 0 && *looks < most) {
    *looks += look_at_first(G, limit, X, missed, &n_missed);
    for (int q = 0; q < n_missed; q++) {
      const int at = missed[q], k = at / DLS_DISK_LANES, l = at % DLS_DISK_LANES;
      dls_disk_single *c = &X->contact[at];
      const unsigned char before = X->state[at];
      visit(c, G->u, G->p + DLS_DISK_PARTS * DLS_DISK_LANES * k + l);
      X->state[at] |= QUEUED; /* it does not queue itself */
      X->n = enqueue_around(X, X->n, lanes, c->i / DLS_DISK_BODY);
      X->n = enqueue_around(X, X->n, lanes, c->j / DLS_DISK_BODY);
      X->state[at] = before;
    }
  }
  return X->n == 0;
}
