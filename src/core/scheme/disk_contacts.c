/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/disk_contacts.h"

#include "core/disks/compact.h"
#include "core/scheme/contact_row.h"
#include "core/scheme/disk_columns.h"

/* --- pairs of disks, one by one ---------------------------------------------------------- */

static inline void fill_meeting(const dls_ball *a, const dls_ball *b, dls_meeting *meet) {
  const double gap = meet->gap, nx = meet->n.x, ny = meet->n.y;
  const double half = a->free && b->free ? 0.5 * gap : 0;
  const double at_a = a->radius + half, at_b = half + b->radius;
  meet->r_a = dls_v3(at_a * nx, at_a * ny, 0);
  meet->r_b = dls_v3(-at_b * nx, -at_b * ny, 0);
  meet->t1 = dls_v3(ny, -nx, 0);
  meet->t2 = dls_v3(0, 0, 1);
}

/* Whether disks that are open at q_c, (x, y) apart there, touch in the rest of the step (ways.h). */
static inline bool disks_meet(const dls_step *S, int a, int b, double x, double y, double r) {
  const double *u_a = DLS_U(S, S->u_ahead, a), *u_b = DLS_U(S, S->u_ahead, b);
  return dls_disks_meet(x, y, u_b[0] - u_a[0], u_b[1] - u_a[1], r, S->theta * S->h);
}

dls_status dls_add_disks(dls_step *S, const dls_ball *a, const dls_ball *b, const dls_material *m,
                                    int *at) {
  const double x = b->x - a->x, y = b->y - a->y, d = sqrt(x * x + y * y);
  const double nx = d > 0 ? x / d : 1, ny = d > 0 ? y / d : 0, gap = d - (a->radius + b->radius);
  const double size = dls_min(a->radius, b->radius);
  const double *f_a = DLS_U(S, S->u_ahead, a->body), *f_b = DLS_U(S, S->u_ahead, b->body);
  const double v_free = nx * (f_b[0] - f_a[0]) + ny * (f_b[1] - f_a[1]);
  const bool open = gap > DLS_CLOSED * size, closes = gap + S->theta * S->h * v_free <= 0;
  const dls_contact *before = dls_remembered(S->w, at, a->body, b->body, 0);
  const double *u_a = DLS_U(S, S->u_c, a->body), *u_b = DLS_U(S, S->u_c, b->body);
  const double v_before = nx * (u_b[0] - u_a[0]) + ny * (u_b[1] - u_a[1]);
  const dls_stride step = dls_stride_of(S);
  const bool held = before && before->held && dls_law_keeps_closed(&step, gap, v_before, DLS_CLOSED * size);
  const bool asleep = open & !closes & !(m->stiffness < DLS_INF) & !held, was = before && before->listed;
  if (asleep && !was) return DLS_OK;
  if (open && closes && !was && !(before && before->x > 0) &&
      !disks_meet(S, a->body, b->body, x, y, a->radius + b->radius + DLS_CLOSED * size))
    return DLS_OK;

  dls_meeting meet;
  meet.a = a->body, meet.b = b->body;
  meet.n = dls_v3(nx, ny, 0);
  meet.gap = gap, meet.size = size;
  meet.m = m;
  meet.before = before;
  meet.v_before = v_before;
  meet.asleep = asleep;
  meet.drift = meet.later = 0;
  meet.by_hand = meet.first = false;
  fill_meeting(a, b, &meet);
  double *J = dls_next_rows(S);
  J[0] = -nx, J[1] = -ny, J[2] = 0, J[3] = nx, J[4] = ny, J[5] = 0;
  dls_contact *contact = dls_list_contact(S, &meet, 0);
  if (!contact) return DLS_FULL;
  const dls_ball *owner = b->free ? b : a;
  const dls_vec3 r = b->free ? meet.r_b : meet.r_a;
  contact->point[0] = owner->x + r.x;
  contact->point[1] = owner->y + r.y;
  dls_status status = dls_make_block(S, contact, &meet);
  S->n_contacts += status == DLS_OK;
  return status;
}

/* --- free rigid disks with Coulomb friction, many at once ---------------------------------- */

/* As much as dls_keep_compressed() looks at. */
static inline void name_plain(dls_contact *c, int a, int b) {
  c->key = 0;
  c->a = a, c->b = b;
  c->tie = -1;
  c->state = 0;
  c->age = 0;
  c->listed = 1;
  c->mark = 0;
  c->held = 0;
}

/* Block k is not to be compact after all. */
static void write_plain_rows(dls_rows *rows, int k) {
  dls_disks_write(rows, k);
  rows->block[k].compact = rows->block[k].special = false;
}

void dls_note_plain(dls_step *S, int block, int n, int contact) {
  dls_plain_run *run = S->plain_run + S->n_plain_runs;
  if (n == 0) return;
  if (S->n_plain_runs > 0 && run[-1].block + run[-1].n == block && run[-1].contact + run[-1].n == contact) {
    run[-1].n += n;
    return;
  }
  *run = (dls_plain_run){block, n, contact};
  S->n_plain_runs++;
}

/* Whether the disks of a near pair touch in the rest of the step. */
static bool plain_meet(const dls_step *S, const dls_near *pair, double closed) {
  const dls_spot2 *a = &S->disk[pair->a], *b = &S->disk[pair->b];
  return disks_meet(S, pair->a, pair->b, b->x - a->x, b->y - a->y, a->radius + b->radius + closed);
}

static const dls_trace no_contact = {.was = -1};

/* In beds of more contacts a sleeper was in a chain that carries much: the others' impulses of the last step are of
** use with its own alone. */
enum { DEEP_BED = 4096 };

/* Nothing of a pair can be predicted, so there are hardly any branches. */
dls_status dls_meet_plain_disks(dls_step *S, const dls_chosen *of, int n, int left) {
  dls_rows *rows = &S->rows;
  const dls_material *m = &S->w->materials[of->law];
  const dls_trace *traces = S->w->brief.trace;
  const double mu = m->friction, e = m->restitution, e_t = m->tangential_restitution;
  const double way = S->theta * S->h, by_way = 1 / way, g[2] = {S->w->gravity[0], S->w->gravity[1]};
  const bool deep = S->w->n_contacts > DEEP_BED;
  const dls_stride step = dls_stride_of(S);
  const int bounces = e > 0 ? DLS_PLAIN_BOUNCES : 0;
  const dls_block models[2] = { /* awake, asleep */
      {.kind = DLS_ROW_CONE, .n = 2, .mu = {mu, 0, 0}, .compact = true, .special = true},
      {.kind = DLS_ROW_CONE, .n = 2, .mu = {mu, 0, 0}, .compact = true, .special = true, .asleep = true}};
  const int first = rows->n_blocks, first_made = S->n_contacts;
  int made = first_made, k_block = first, row = rows->n_rows, compact_from = first;
  dls_status status = DLS_OK;
  for (const dls_chosen *end = of + n; of < end; of++) {
    const int k = of->k;
    const dls_trace *before = of->old >= 0 ? &traces[of->old] : &no_contact;
    if (before->how & DLS_TRACE_KEYED) before = &no_contact;
    const double gap = S->meets[0][k], v_free = S->meets[3][k], v_before = S->meets[4][k];
    const double closed = DLS_CLOSED * S->meets[5][k];
    const bool held = ((before->how & DLS_TRACE_HELD) != 0) & dls_law_keeps_closed(&step, gap, v_before, closed);
    const bool open = gap > closed, asleep = open & (gap + way * v_free > 0) & !held;
    const bool was = before->how & DLS_TRACE_LISTED;
    if (open & !was && (asleep || !plain_meet(S, &S->near[k], closed))) continue;
    if (made >= S->room_contacts) {
      status = dls_want_contacts(S);
      break;
    }
    const dls_near pair = S->near[k];
    const int a = pair.a, b = pair.b;
    const double nx = S->meets[1][k], ny = S->meets[2][k];
    const dls_spot2 *at_b = &S->disk[pair.b];
    double *s = rows->s + row, *p = rows->p + row, point[3];
    int mark = 0;
    const double back = dls_rebound_at(S, e, gap, v_before, v_free, -e * v_before, &mark);
    const int known = before == &no_contact ? -1 : of->old;
    const int acted = before->how & DLS_TRACE_ACTS ? DLS_PLAIN_ACTED : 0;
    S->plain[k_block] = (dls_plain){known, k, k - left, was * (before->age + (before->age < DLS_OLDEST)),
                                (asleep ? DLS_PLAIN_ASLEEP : mark) | acted | bounces};
    S->sleeper[S->n_sleepers] = k_block;
    S->n_sleepers += asleep;
    if (S->compliant) name_plain(&S->w->contacts_next[made], a, b);
    dls_block *block = &rows->block[k_block];
    *block = models[asleep];
    block->a = a, block->b = b;
    block->row = row, block->source = made;
    dls_point_plain(at_b, nx, ny, gap, point);
    S->height[k_block] = -(g[0] * point[0] + g[1] * point[1]);
    dls_disk_contact *c = &dls_disk_contacts(rows)[k_block];
    c->nx = nx, c->ny = ny;
    c->turn_a = S->disk[pair.a].radius + 0.5 * gap, c->turn_b = at_b->radius + 0.5 * gap;
    c->mu = mu;
    c->a = a, c->b = b;
    if (!dls_disk_weigh(c, rows->inv_mass[a], rows->inv_mass[b], rows->inv_inertia[a],
                        rows->inv_inertia[b])) { /* hardly ever */
      dls_note_compact(rows, compact_from, k_block);
      write_plain_rows(rows, k_block);
      compact_from = k_block + 1;
    }
    s[0] = dls_choose(asleep, gap * by_way, back);
    s[1] = 0;
    if (e_t > 0 && v_before < 0 && !was) {
      double v[2];
      dls_disk_speeds(c, DLS_U(S, S->u_c, a), DLS_U(S, S->u_c, b), v);
      s[1] = e_t * v[1];
    }
    const double *old = (asleep & !deep) ? no_contact.push : before->push;
    p[0] = dls_max(0, nx * old[0] + ny * old[1]) + 0.0; /* from nothing, and not from -0 */
    p[1] = dls_clamp(ny * old[0] - nx * old[1], -mu * p[0], mu * p[0]) + 0.0;
    row += 2, k_block++, made++;
  }
  dls_note_compact(rows, compact_from, k_block);
  dls_note_plain(S, first, k_block - first, first_made);
  S->n_contacts = made, rows->n_blocks = k_block, rows->n_rows = row;
  return status;
}

/* --- which pairs are looked at ----------------------------------------------------------- */

/* The first of old[from .. to - 1] that is not below a word; to: there is none. */
static int first_from(const uint64_t *old, int from, int to, uint64_t word) {
  while (from < to) {
    const int middle = from + (to - from) / 2;
    if (old[middle] < word) from = middle + 1;
    else to = middle;
  }
  return from;
}

static inline int match_next(const uint64_t *old, const dls_near *pair, int *at) {
  const uint64_t word = dls_pair_word(pair->a, pair->b);
  *at += old[*at] < word;
  while (old[*at] < word) ++*at; /* seldom: a contact whose bodies are no longer near */
  return old[*at] == word ? *at : -1;
}

/* The contact of the last step of each of n pairs; -1: none. Both are in order: a walk along both, of which each turn
** waits for the one before. So four walks at once, each along its part. */
static void match(int n, const dls_near *pairs, const uint64_t *old, int first, int n_old, int *was) {
  enum { WALKS = 4 };
  const int part = n / WALKS;
  int at[WALKS];
  for (int w = 0; w < WALKS && n > 0; w++)
    at[w] = first_from(old, first, n_old, dls_pair_word(pairs[w * part].a, pairs[w * part].b));
  for (int k = 0; k < part; k++)
    for (int w = 0; w < WALKS; w++) was[w * part + k] = match_next(old, &pairs[w * part + k], &at[w]);
  for (int k = WALKS * part; k < n; k++) was[k] = match_next(old, &pairs[k], &at[WALKS - 1]);
}

/* The same as dls_gap_lanes.pick where some disks are not rigid: all pairs of theirs are looked at. */
static int pick_laws(const dls_step *S, const dls_meets2 *meets, const int *was, int *picked) {
  const int *law = S->w->columns.law;
  int n = 0;
  for (int k = 0; k < S->n_near; k++) {
    const int x = law[S->near[k].a], y = law[S->near[k].b];
    picked[n] = k;
    const bool open = dls_stays_open(meets, k, DLS_CLOSED, S->theta * S->h);
    n += !((x > DLS_LAW_ANY) & (y > DLS_LAW_ANY) & open & (was[k] < 0));
  }
  return n;
}

/* Swift pairs are looked at in any case: out[0 .. n - 1] with them, in order. */
static int choose_swift(const dls_step *S, int n, dls_chosen *out) {
  const dls_ways *ways = &S->ways;
  int more = 0;
  for (int i = 0, j = 0; i < ways->n; i++) {
    while (j < n && out[j].k < ways->pair[i].k) j++;
    more += !(j < n && out[j].k == ways->pair[i].k);
  }
  const int total = n + more;
  for (int i = ways->n - 1, j = n - 1, to = total - 1; i >= 0; i--) {
    for (; j >= 0 && out[j].k > ways->pair[i].k; j--) out[to--] = out[j];
    if (j >= 0 && out[j].k == ways->pair[i].k) j--;
    out[to--] = (dls_chosen){ways->pair[i].k, -1, DLS_LAW_ANY};
  }
  return total;
}

int dls_choose_disks(dls_step *S, const dls_meets2 *meets, dls_chosen *out, dls_status *status) {
  const dls_world *w = S->w;
  const dls_columns *c = &w->columns;
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  int *was = DLS_TAKE(tmp, int, S->n_near), *picked = DLS_TAKE(tmp, int, S->n_near + 4);
  if (!was || !picked) {
    *status = DLS_FULL;
    return 0;
  }
  static const uint64_t none = UINT64_MAX;
  const uint64_t *old = w->n_contacts > 0 ? w->brief.pair : &none; /* ends with what is after all */
  match(S->n_near, S->near, old, dls_count_tied(w), w->n_contacts, was);
  const int n = c->rigid ? dls_gap_lanes_best()->pick(S->n_near, meets, DLS_CLOSED, S->theta * S->h, was, picked)
                         : pick_laws(S, meets, was, picked);
  for (int i = 0; i < n; i++) {
    const int k = picked[i], x = c->law[S->near[k].a], y = c->law[S->near[k].b];
    out[i].k = k, out[i].old = was[k], out[i].law = x == y ? x : DLS_LAW_ANY;
  }
  dls_arena_release(tmp, mark);
  return S->ways.n > 0 ? choose_swift(S, n, out) : n;
}
