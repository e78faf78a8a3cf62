/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/contacts.h"

#include "core/contacts/contact_row.h"
#include "core/contacts/disks_met.h"
#include "core/contacts/first_met.h"
#include "core/contacts/floor.h"
#include "core/contacts/near.h"
#include "core/contacts/rods_met.h"
#include "core/contacts/touches.h"
#include "core/joints/trees.h"
#include "core/model/material.h"

/* What two bodies' materials are together, kept from one pair to the next: most pairs of a world
** are of the same two. */
typedef struct laws {
  int x, y;            /* materials; -1: none kept                    */
  dls_material kept;   /* what they are together, without any pairing */
  dls_material paired; /* where bodies or materials were paired       */
} laws;

static inline const dls_material *laws_of(const dls_world *w, const dls_ball *a, const dls_ball *b,
                                          laws *l) {
  if (w->n_pairings > 0) {
    l->paired = dls_world_material(w, a->body, b->body);
    return &l->paired;
  }
  const int x = a->material, y = b->material;
  if (x == y && !(w->materials[x].stiffness < DLS_INF)) return &w->materials[x];
  if (l->x != x || l->y != y) {
    l->kept = dls_world_material(w, a->body, b->body);
    l->x = x, l->y = y;
  }
  return &l->kept;
}

/* The touches of a pair of any shapes; answers their number in *n. */
static dls_status meet_shapes(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                              dls_disk_stage *disks, const dls_ball *a, const dls_ball *b,
                              const dls_material *m, int *at, int *n) {
  *n = dls_touches_of(S, N, a->body, b->body, dls_travel_between(S, N, a->body, b->body));
  if (*n == 0) return DLS_OK;
  if (*n > N->touch_room) return dls_want_touches(S, *n);
  const bool sensor = a->sensor || b->sensor;
  dls_status status = DLS_OK;
  for (int i = 0; i < *n && status == DLS_OK; i++)
    status = dls_add_touch(S, N, C, disks, a->body, b->body, &N->touch[i], m, sensor, at);
  return status;
}

static dls_status add_there(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks,
                            const dls_ways_place *place, int a, int b, const dls_touch *touch,
                            const dls_material *m, int *at) {
  const dls_contact *before = dls_remembered(S->w, at, a, b, touch->key);
  return dls_add_there(S, C, disks, place, a, b, touch, m, before);
}

/* The contacts of a pair that ways know of: its first touch, and what lasts, in the order of
** keys. */
static dls_status meet_swift(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                             dls_disk_stage *disks, const dls_swift *p, const dls_ball *a,
                             const dls_ball *b, const dls_material *m, int *at) {
  const bool sensor = a->sensor || b->sensor;
  const int n_first = p->first ? p->n : 0;
  const double margin = dls_travel_between(S, N, a->body, b->body);
  /* of a swift pair nothing is seen at q_c but what lasts */
  const bool seen = !p->swift || p->n_lasting > 0;
  int n = seen ? dls_touches_of(S, N, a->body, b->body, margin) : 0;
  if (n > N->touch_room) return dls_want_touches(S, n);
  const dls_ways_place first = {p->at, DLS_INF, p->x_a, p->x_b};
  dls_ways_place lasting;
  const bool rigid = !sensor && !(m->stiffness < DLS_INF),
             known = !(m->restitution > 0) && dls_remembers(S->w, at, a->body, b->body);
  dls_status status =
      dls_ways_sift(&N->ways, p, rigid, known, N->touch, N->touch_room, n, &n, &lasting);
  for (int i = 0, j = 0; status == DLS_OK && (i < n_first || j < n);) {
    if (j < n && !(i < n_first && p->touch[i].key < N->touch[j].key)) {
      const dls_touch touch = N->touch[j++];
      if (lasting.at < DLS_INF)
        status = add_there(S, C, disks, &lasting, a->body, b->body, &touch, m, at);
      else status = dls_add_touch(S, N, C, disks, a->body, b->body, &touch, m, sensor, at);
    } else if (sensor) {
      dls_touch touch = p->touch[i++];
      touch.gap = dls_min(touch.gap, 0);
      status = dls_add_touch(S, N, C, disks, a->body, b->body, &touch, m, true, at);
    } else {
      status = add_there(S, C, disks, &first, a->body, b->body, &p->touch[i++], m, at);
    }
  }
  return status;
}

/* Blocks from `first` on are of pair k in near: noted where that is one of disks. */
static inline void note_near(dls_step *S, dls_contact_stage *C, int first, int k) {
  for (; first < S->rows.n_blocks; first++) C->near_of[first] = k;
}

/* One near pair; what the projection is not to look at leaves near (a = -1). */
static dls_status meet_pair(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                            dls_disk_stage *disks, const dls_chosen *of, laws *l, dls_rods_met *met,
                            int *at, int *left) {
  const dls_near pair = N->near[of->k];
  const dls_ball of_a = dls_ball_of(S, N, disks, pair.a), of_b = dls_ball_of(S, N, disks, pair.b);
  const dls_ball *a = &of_a, *b = &of_b;
  const dls_touch *touch = S->dim == 3 ? dls_take_met(S, N, of->k, met) : NULL;
  if (dls_are_jointed(S, a->body, b->body)) {
    N->near[of->k].a = -1;
    ++*left;
    return DLS_OK;
  }
  const dls_material *m = laws_of(S->w, a, b, l);
  const bool sensor = a->sensor | b->sensor, rigid = !(m->stiffness < DLS_INF);
  const int first = S->rows.n_blocks;
  int n = 1;
  dls_status status;
  const dls_swift *swift = N->ways.n > 0 ? dls_ways_find(&N->ways, of->k) : NULL;
  C->known = swift != NULL;
  const bool lone = (S->dim == 2) & dls_are_disks(a, b) & !sensor & !swift;
  if (swift || lone) C->open = -DLS_INF;
  if (swift) status = meet_swift(S, N, C, disks, swift, a, b, m, at);
  else if (lone) status = dls_add_disks(S, N, C, disks, a, b, m, at);
  else if (touch) status = dls_add_met(S, N, C, disks, a, b, m, met, touch, at, &n);
  else status = meet_shapes(S, N, C, disks, a, b, m, at, &n);
  note_near(S, C, first, (lone & rigid) ? of->k - *left : -1);
  if (!((n > 0) | S->joined) | sensor | !rigid) {
    N->near[of->k].a = -1;
    ++*left;
  }
  return status;
}

/* Pairs of balls as pairs of bodies, without those that left, all of which stand before n; runs of
** those that stay move as one. */
static void close_ranks(dls_step *S, dls_near_stage *N, int n) {
  dls_near *near = N->near;
  int kept = 0;
  for (int k = 0, next; k < n; k = next + 1) {
    for (next = k; next < n && near[next].a >= 0;) next++;
    if (kept != k) memmove(near + kept, near + k, (size_t)(next - k) * sizeof *near);
    kept += next - k;
  }
  if (kept != n) memmove(near + kept, near + n, (size_t)(N->n_near - n) * sizeof *near);
  N->n_near -= n - kept;
  N->n_ordered = N->n_near;
  for (int k = 0; S->dim == 3 && k < N->n_near; k++)
    near[k] = (dls_near){N->body_of[near[k].a], N->body_of[near[k].b]};
}

void dls_note_crowded(const dls_step *S, dls_contact_stage *C) {
  const dls_world *w = S->w;
  memset(C->crowded, 0, (size_t)w->n_bodies);
  const int n = S->dim == 3 ? w->n_contacts : w->warm.known ? w->warm.n : 0;
  for (int k = 0; k < n; k++) {
    const int a = S->dim == 3 ? w->contacts[k].a : (int)(w->warm.pair[k] >> 32);
    const int b = S->dim == 3 ? w->contacts[k].b : (int)(w->warm.pair[k] & 0xffffffff);
    if (S->dim == 2 && a == b) continue; /* made by hand */
    if (S->rows.inv_mass[a] > 0 && S->rows.inv_mass[b] > 0) C->crowded[a] = C->crowded[b] = 1;
  }
}

/* Swift pairs are looked at in any case: out[0 .. n - 1] with them, in order. */
static int choose_swift(const dls_near_stage *N, int n, dls_chosen *out) {
  const dls_ways *ways = &N->ways;
  int more = 0;
  for (int i = 0, j = 0; i < ways->n; i++) {
    while (j < n && out[j].k < ways->pair[i].k) j++;
    more += !(j < n && out[j].k == ways->pair[i].k);
  }
  const int total = n + more;
  for (int i = ways->n - 1, j = n - 1, to = total - 1; i >= 0; i--) {
    for (; j >= 0 && out[j].k > ways->pair[i].k; j--) out[to--] = out[j];
    if (j >= 0 && out[j].k == ways->pair[i].k) j--;
    out[to--] = (dls_chosen){ways->pair[i].k, -1, DLS_DISKS_LAW_ANY};
  }
  return total;
}

/* The pairs to look at, n of them: in space all near ones. */
static dls_status choose_pairs(dls_step *S, const dls_near_stage *N, dls_disk_stage *disks,
                               dls_chosen *pairs, dls_rods_met *met, int *n) {
  dls_status status = DLS_OK;
  if (S->dim == 2) {
    *n = dls_disks_choose(disks, N->n_near, pairs, &status);
    if (status == DLS_OK && N->ways.n > 0) *n = choose_swift(N, *n, pairs);
    return status;
  }
  met->touch = DLS_TAKE(&S->w->arena, dls_touch, 3 * DLS_RODS_AT_ONCE);
  if (!met->touch) return DLS_FULL;
  *n = N->n_near;
  for (int k = 0; k < *n; k++) pairs[k] = (dls_chosen){k, -1, -1};
  return DLS_OK;
}

/* All chosen pairs, and in *gone how far pairs left near. */
static dls_status meet_pairs(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                             dls_disk_stage *disks, const dls_chosen *pairs, int n,
                             dls_rods_met *met, int *gone) {
  int at = dls_count_user_contacts(S->w), left = 0;
  dls_status status = DLS_OK;
  laws l;
  l.x = -1;
  for (int i = 0, next = 1; i < n && status == DLS_OK; i = next++) {
    if (S->dim == 2 && pairs[i].law >= 0) {
      while (next < n && pairs[next].law == pairs[i].law) next++;
      C->open = -DLS_INF;
      status = dls_disks_add(disks, &pairs[i], next - i, left, &C->n_contacts, S->room_contacts);
      if (status == DLS_FULL) status = dls_want_contacts(S);
      continue;
    }
    status = meet_pair(S, N, C, disks, &pairs[i], &l, met, &at, &left);
    if (N->near[pairs[i].k].a < 0) *gone = pairs[i].k + 1;
  }
  return status;
}

dls_status dls_find_contacts(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                             dls_disk_stage *disks) {
  dls_world *w = S->w;
  int n = 0, gone = 0; /* behind `gone` no pair left */
  dls_status status = dls_find_near(S, N);
  if (status != DLS_OK) return status;
  dls_note_beside(S, N);
  status = dls_chase_swift(S, N);
  if (status != DLS_OK) return status;
  C->swift = disks->swift = N->ways.n > 0;
  const size_t mark = dls_arena_mark(&w->arena);
  dls_chosen *pairs = DLS_TAKE(&w->arena, dls_chosen, N->n_near + 1);
  if (!pairs) return DLS_FULL;
  dls_rods_met met = {.stop = 0};
  status = choose_pairs(S, N, disks, pairs, &met, &n);
  note_near(S, C, 0, -1);
  C->grazed.a = -1;
  C->open = w->n_user_contacts > 0 || N->ways.n > 0 ? -DLS_INF : DLS_INF;
  if (status == DLS_OK) status = meet_pairs(S, N, C, disks, pairs, n, &met, &gone);
  if (status == DLS_OK) close_ranks(S, N, gone);
  dls_arena_release(&w->arena, mark);
  return status;
}
