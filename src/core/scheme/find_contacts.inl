/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* From near pairs to contacts: which are looked at, and what becomes of each. */

/* Which near pairs are looked at: pairs of rigid disks that neither touch nor did in the last step are
** not (meet_disks). Without branches: what touches cannot be predicted. */
#if D == 2
typedef char rods_met; /* space only */

/* The first of old[from .. to - 1] that is not below a word; to: there is none. */
static int first_from(const uint64_t *old, int from, int to, uint64_t word) {
  while (from < to) {
    const int middle = from + (to - from) / 2;
    if (old[middle] < word) from = middle + 1;
    else to = middle;
  }
  return from;
}

static inline int match_next(const uint64_t *old, const candidate *pair, int *at) {
  const uint64_t word = dls_pair_word(pair->a, pair->b);
  *at += old[*at] < word;
  while (old[*at] < word) ++*at; /* seldom: a contact whose bodies are no longer near */
  return old[*at] == word ? *at : -1;
}

/* The contact of the last step of each of n pairs; -1: none. Both are in order: a walk along both, of which each turn
** waits for the one before. So four walks at once, each along its part. */
static void match(int n, const candidate *pairs, const uint64_t *old, int first, int n_old, int *was) {
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
static int pick_laws(const step *S, const dls_meets2 *meets, const int *was, int *picked) {
  const int *law = S->w->columns.law;
  int n = 0;
  for (int k = 0; k < S->n_near; k++) {
    const int x = law[S->near[k].a], y = law[S->near[k].b];
    picked[n] = k;
    n += !((x > LAW_ANY) & (y > LAW_ANY) & dls_stays_open(meets, k, CLOSED, S->theta * S->h) & (was[k] < 0));
  }
  return n;
}

/* Swift pairs are looked at in any case: out[0 .. n - 1] with them, in order. */
static int choose_swift(const step *S, int n, chosen *out) {
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
    out[to--] = (chosen){ways->pair[i].k, -1, LAW_ANY};
  }
  return total;
}

/* Answers how many; DLS_FULL in *status where there is no room. */
static int choose(step *S, const dls_meets2 *meets, chosen *out, dls_status *status) {
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
  match(S->n_near, S->near, old, count_tied(w), w->n_contacts, was);
  const int n = c->rigid ? dls_gap_lanes_best()->pick(S->n_near, meets, CLOSED, S->theta * S->h, was, picked)
                         : pick_laws(S, meets, was, picked);
  for (int i = 0; i < n; i++) {
    const int k = picked[i], x = c->law[S->near[k].a], y = c->law[S->near[k].b];
    out[i].k = k, out[i].old = was[k], out[i].law = x == y ? x : LAW_ANY;
  }
  dls_arena_release(tmp, mark);
  return S->ways.n > 0 ? choose_swift(S, n, out) : n;
}
#endif

/* One near pair; what the projection is not to look at leaves S->near (a = -1). */
static inline dls_status meet_pair(step *S, const chosen *of, laws *l, rods_met *met, int *at, int *left) {
  dls_world *w = S->w;
  const candidate pair = S->near[of->k];
  const ball of_a = ball_of(S, pair.a), of_b = ball_of(S, pair.b), *a = &of_a, *b = &of_b;
#if D == 3
  const dls_touch *touch = take_met(S, of->k, met);
#else
  (void)met;
#endif
  if (are_jointed(S, a->body, b->body)) {
    S->near[of->k].a = -1;
    ++*left;
    return DLS_OK;
  }
  const dls_material *m = laws_of(w, a, b, l);
  const bool sensor = a->sensor | b->sensor, rigid = !(m->stiffness < DLS_INF);
  const int first = S->rows.n_blocks;
  int n = 1;
  dls_status status;
  const dls_swift *swift = S->ways.n > 0 ? dls_ways_find(&S->ways, of->k) : NULL;
#if D == 2
  const bool disks = are_disks(a, b) & !sensor & !swift;
  if (swift) status = meet_swift(S, swift, a, b, m, at);
  else if (disks) status = meet_disks(S, a, b, m, at);
  else
#else
  const bool disks = false;
  if (swift) status = meet_swift(S, swift, a, b, m, at);
  else if (touch) status = add_met(S, a, b, m, met, touch, at, &n);
  else
#endif
    status = meet_shapes(S, a, b, m, at, &n);
  note_near(S, first, (disks & rigid) ? of->k - *left : -1);
  if (!((n > 0) | S->joined) | sensor | !rigid) {
    S->near[of->k].a = -1;
    ++*left;
  }
  return status;
}

/* Pairs of balls as pairs of bodies, without those that left, all of which stand before n; runs of those that stay
** move as one. */
static void close_ranks(step *S, int n) {
  candidate *near = S->near;
  int kept = 0;
  for (int k = 0, next; k < n; k = next + 1) {
    for (next = k; next < n && near[next].a >= 0;) next++;
    if (kept != k) memmove(near + kept, near + k, (size_t)(next - k) * sizeof *near);
    kept += next - k;
  }
  if (kept != n) memmove(near + kept, near + n, (size_t)(S->n_near - n) * sizeof *near);
  S->n_near -= n - kept;
#if D == 3
  for (int k = 0; k < S->n_near; k++) near[k] = (candidate){S->body_of[near[k].a], S->body_of[near[k].b]};
#endif
}

/* Whose shifts along normals are to agree with those of others (carried_by): what touched a free body. */
static void note_crowded(step *S) {
  const dls_world *w = S->w;
  memset(S->crowded, 0, (size_t)w->n_bodies);
#if D == 2
  const int n = w->brief.traced ? w->brief.n : 0;
#else
  const int n = w->n_contacts;
#endif
  for (int k = 0; k < n; k++) {
#if D == 2
    const int a = (int)(w->brief.pair[k] >> 32), b = (int)(w->brief.pair[k] & 0xffffffff);
    if (a == b) continue; /* made by hand */
#else
    const int a = w->contacts[k].a, b = w->contacts[k].b;
#endif
    const bool free = S->rows.inv_mass[a] > 0 && S->rows.inv_mass[b] > 0;
    if (free) S->crowded[a] = S->crowded[b] = 1;
  }
}

/* What the projection is to look at is left in S->near: rigid pairs that touch within reach; among joints,
** which may carry a body farther, all that are near. */
static dls_status find_contacts(step *S) {
  dls_world *w = S->w;
  S->joined = S->room_joints > 0 || dls_trees_used(w);
  int at = count_tied(w), left = 0, gone = 0; /* behind `gone` no pair left */
  dls_status status = dls_find_near(S);
  if (status == DLS_OK) status = dls_chase_swift(S);
  if (status != DLS_OK) return status;
  dls_note_beside(S);
  note_crowded(S);
#if D == 2
  const dls_meets2 meets = {S->meets[0], S->meets[1], S->meets[2], S->meets[3], S->meets[4], S->meets[5]};
  dls_gap_lanes_best()->meet(S->n_near, &S->near->a, &S->near->b, 2, S->disk, S->u_c, S->u_ahead, &meets);
#endif
  const size_t mark = dls_arena_mark(&w->arena);
  chosen *pairs = DLS_TAKE(&w->arena, chosen, S->n_near + 1);
  if (!pairs) return DLS_FULL;
#if D == 2
  rods_met met = 0;
  const int n = choose(S, &meets, pairs, &status);
#else
  rods_met met = {.touch = DLS_TAKE(&w->arena, dls_touch, 3 * RODS_AT_ONCE)};
  if (!met.touch) return DLS_FULL;
  const int n = S->n_near;
  for (int k = 0; k < n; k++) pairs[k] = (chosen){k, -1, -1};
#endif
  note_near(S, 0, -1);
  laws l;
  l.x = -1;
  for (int i = 0, next = 1; i < n && status == DLS_OK; i = next++) {
#if D == 2
    if (pairs[i].law >= 0) {
      while (next < n && pairs[next].law == pairs[i].law) next++;
      status = meet_plain_disks(S, &pairs[i], next - i, left);
      continue;
    }
#endif
    status = meet_pair(S, &pairs[i], &l, &met, &at, &left);
    if (S->near[pairs[i].k].a < 0) gone = pairs[i].k + 1;
  }
  if (status == DLS_OK) close_ranks(S, gone);
  dls_arena_release(&w->arena, mark);
  return status;
}
