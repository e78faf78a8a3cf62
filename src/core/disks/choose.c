/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/disks.h"

#include "core/model/remembered.h"

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

/* The contact of the last step of each of n pairs; -1: none. Both are in order: a walk along both,
** of which each turn waits for the one before. So four walks at once, each along its part. */
static void match(int n, const dls_near *pairs, const uint64_t *old, int first, int n_old,
                  int *was) {
  enum { WALKS = 4 };
  const int part = n / WALKS;
  int at[WALKS];
  for (int w = 0; w < WALKS && n > 0; w++)
    at[w] = first_from(old, first, n_old, dls_pair_word(pairs[w * part].a, pairs[w * part].b));
  for (int k = 0; k < part; k++)
    for (int w = 0; w < WALKS; w++)
      was[w * part + k] = match_next(old, &pairs[w * part + k], &at[w]);
  for (int k = WALKS * part; k < n; k++) was[k] = match_next(old, &pairs[k], &at[WALKS - 1]);
}

/* Whether the disks of pair k, which part, have touched on the way to q_c
** (contacts/first_met.h). */
static bool have_met(const dls_disk_stage *D, const dls_step_halves *step, int k) {
  const double closed = DLS_CLOSED * D->meets.size[k];
  if (!dls_law_may_have_met(step, D->meets.gap[k], D->meets.v_before[k], closed)) return false;
  const dls_spot2 *a = &D->spot[D->near[k].a], *b = &D->spot[D->near[k].b];
  const double *u_a = D->u_c + 3 * (size_t)D->near[k].a, *u_b = D->u_c + 3 * (size_t)D->near[k].b;
  return dls_came_within(b->x - a->x, b->y - a->y, u_b[0] - u_a[0], u_b[1] - u_a[1],
                         a->radius + b->radius, step->early);
}

/* The same as dls_gap_lanes.pick where some disks are not rigid: all pairs of theirs are looked
** at. */
static int pick_laws(const dls_disk_stage *D, const dls_step_halves *step, int n_near,
                     const int *was, int *picked) {
  const int *law = D->w->columns.law;
  int n = 0;
  for (int k = 0; k < n_near; k++) {
    const int x = law[D->near[k].a], y = law[D->near[k].b];
    picked[n] = k;
    const bool open = dls_stays_open(&D->meets, k, DLS_CLOSED, step->early, step->late);
    n += !((x > DLS_DISKS_LAW_ANY) & (y > DLS_DISKS_LAW_ANY) & open & (was[k] < 0));
  }
  return n;
}

int dls_disks_choose(dls_disk_stage *D, int n, dls_chosen *out, dls_status *status) {
  const dls_world *w = D->w;
  const dls_columns *c = &w->columns;
  const dls_gap_lanes *lanes = dls_gap_lanes_best();
  dls_arena *tmp = &D->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  int *was = DLS_TAKE(tmp, int, n), *picked = DLS_TAKE(tmp, int, n + 4);
  if (!was || !picked) {
    *status = DLS_FULL;
    return 0;
  }
  lanes->meet(n, &D->near->a, &D->near->b, 2, D->spot, D->u_c, D->u_ahead, &D->meets);
  static const uint64_t none = UINT64_MAX;
  const uint64_t *old = w->n_contacts > 0 ? w->warm.pair : &none; /* ends with what is after all */
  match(n, D->near, old, dls_count_user_contacts(w), w->n_contacts, was);
  const dls_step_halves step = {(1 - D->theta) * D->h, D->theta * D->h};
  const int chosen = c->rigid
                         ? lanes->pick(n, &D->meets, DLS_CLOSED, step.early, step.late, was, picked)
                         : pick_laws(D, &step, n, was, picked);
  for (int i = 0; i < chosen; i++) {
    const int k = picked[i], x = c->law[D->near[k].a], y = c->law[D->near[k].b];
    out[i].k = k, out[i].old = was[k], out[i].law = x == y ? x : DLS_DISKS_LAW_ANY;
    /* a contact as any other of two bodies */
    if (was[k] < 0 && have_met(D, &step, k)) out[i].law = DLS_DISKS_LAW_ANY;
  }
  dls_arena_release(tmp, mark);
  return chosen;
}
