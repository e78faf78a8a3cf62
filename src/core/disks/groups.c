/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/groups.h"

#include "core/disks/last.h"
#include "core/math/colour.h"
#include "core/sweeps/groups_2.h"
#include "core/rows/impulses.h"

/* Impulses of the last step are halved where no share of them is of use (usefulness). */
static const double STALE = 0;

/* Places of bodies: two a contact, and those that the last group of the first colour leaves
** empty. */
static size_t most_places(int n_blocks) { return 2 * ((size_t)n_blocks + DLS_DISK_LANES); }

static size_t bytes_of(int n_blocks, int n_bodies) {
  const size_t n = (size_t)n_blocks, g = n / DLS_DISK_LANES + DLS_COLOURS_2,
               places = most_places(n_blocks);
  size_t total = dls_arena_bytes((size_t)n_bodies, sizeof(int));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(dls_disk_member)));
  total = dls_bytes_add(total, dls_arena_bytes(places, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes((size_t)n_bodies, sizeof(uint64_t)));
  total = dls_bytes_add(total, dls_arena_bytes(n + 1, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_disk_group)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_disk_pairs)));
  total = dls_bytes_add(total, dls_arena_bytes(g + 1, sizeof(dls_disk_law)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(int)));
  total =
      dls_bytes_add(total, dls_arena_bytes(2 * DLS_DISK_PARTS * DLS_DISK_LANES * g, sizeof(float)));
  total = dls_bytes_add(total, dls_disk_last_bytes(places, DLS_DISK_LANES * g));
  return dls_bytes_add(total, dls_arena_bytes(3 * (DLS_DISK_BODY * places + 32), sizeof(float)));
}

/* What places hold of bodies that have none: yet, or because they do not move. */
enum { NOWHERE = -1, FIXED = -2 };

/* Reads who meets whom. place, taken: n_bodies. */
static void list_contacts(const dls_rows *rows, const int *blocks, int n, int *place,
                          uint64_t *taken, dls_disk_member *out) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    const int a = block->a, b = block->b;
    out[k] = (dls_disk_member){a, b, block->row, block->n, 0};
    place[a] = dls_moves(rows, a) ? NOWHERE : FIXED;
    place[b] = dls_moves(rows, b) ? NOWHERE : FIXED;
    taken[a] = taken[b] = 0;
  }
}

/* Colours the contacts, first fit: the lowest colour that neither body has yet, and not the first
** one beside a body that does not move (place_bodies). Fills at with the colours, the number of
** contacts of each, and `first` with those of the first; answers how many colours, DLS_COLOURS_2 +
** 1 where they do not suffice. */
static int colour(dls_disk_member *contacts, int n, const int *place, uint64_t *taken, int *first,
                  int *count) {
  int most = 1;
  count[0] = 0;
  for (int k = 0, n_first = 0; k < n; k++) {
    dls_disk_member *x = &contacts[k];
    uint64_t fixed = 1, *of_a = &taken[x->a], *of_b = &taken[x->b];
    if (place[x->a] == FIXED) of_a = &fixed;
    if (place[x->b] == FIXED) of_b = &fixed;
    const int c = dls_first_fit(of_a, of_b, DLS_COLOURS_2);
    if (c == DLS_COLOURS_2) return DLS_COLOURS_2 + 1;
    x->at = c;
    first[n_first] = k;
    n_first += c == 0;
    for (; most <= c; most++) count[most] = 0;
    count[c]++;
  }
  return most;
}

/* The n-th place for a body if it has none; answers how many are taken then. Half of them have one:
** no branch. */
static inline int place_body(int body, int *place, int *of, int n) {
  const int was = place[body], waits = was == NOWHERE;
  of[n] = body;
  place[body] = was ^ ((was ^ n) & -waits);
  return n + waits;
}

/* Numbers the bodies that move: those of the first colour's contacts in the places of their lanes,
** so that its groups, a third of all, have them side by side; then all others. */
static void place_bodies(const int *first, int n_first, int n, int *place, dls_disk_groups *G) {
  G->n_bodies = 2 * DLS_DISK_LANES * G->bed.n_near;
  for (int i = 0; i < G->n_bodies; i++) G->body[i] = -1;
  for (int next = 0; next < n_first; next++) {
    const dls_disk_member *x = &G->contact[first[next]];
    const int at = 2 * (next - next % DLS_DISK_LANES) + DLS_DISK_PLACE(next % DLS_DISK_LANES);
    G->body[place[x->a] = at] = x->a;
    G->body[place[x->b] = at + DLS_DISK_LANES] = x->b;
  }
  const dls_disk_member *contact = G->contact;
  int *of = G->body, taken = G->n_bodies;
  for (int k = 0; k < n; k++) {
    taken = place_body(contact[k].a, place, of, taken);
    taken = place_body(contact[k].b, place, of, taken);
  }
  G->n_bodies = taken;
}

/* Room of n groups. */
static bool take_groups(dls_disk_groups *G, int n, dls_arena *tmp) {
  const size_t numbers = DLS_DISK_PARTS * DLS_DISK_LANES * (size_t)n;
  dls_disk_bed *bed = &G->bed;
  bed->n = n;
  bed->n_u = (DLS_DISK_BODY * (G->n_bodies + 1) + 15) & ~15;
  bed->group = DLS_TAKE(tmp, dls_disk_group, n);
  bed->pairs = DLS_TAKE(tmp, dls_disk_pairs, n);
  bed->law = DLS_TAKE(tmp, dls_disk_law, n + 1);
  bed->law_of = DLS_TAKE(tmp, int, n);
  G->p = DLS_TAKE(tmp, float, 2 * numbers);
  G->u = DLS_TAKE(tmp, float, 3 * bed->n_u);
  if (!bed->group || !bed->pairs || !bed->law || !bed->law_of || !G->p || !G->u) return false;
  G->p_old = G->p + numbers;
  G->u_old = G->u + bed->n_u;
  G->root = G->u_old + bed->n_u;
  return true;
}

/* U without impulses, and in u_old what the impulses at hand change of it; the energy of both: J' p
** is M (u - u_free). */
static void read_bodies(const dls_rows *rows, dls_disk_groups *G) {
  float *to = G->u, *change = G->u_old, *root = G->root;
  for (int k = 0; k < G->n_bodies;
       k++, to += DLS_DISK_BODY, change += DLS_DISK_BODY, root += DLS_DISK_BODY) {
    const int body = G->body[k] < 0 ? 0 : G->body[k];
    const double *u = rows->u + (size_t)body * 3, *free = rows->u_free + (size_t)body * 3;
    const float kept = G->body[k] < 0 ? 0 : 1, m = kept * (float)rows->inv_mass[body];
    for (int i = 0; i < 3; i++) {
      to[i] = kept * (float)free[i];
      change[i] = kept * (float)(u[i] - free[i]);
    }
    root[0] = root[1] = m;
    root[2] = kept * (float)rows->inv_inertia[body];
    to[3] = change[3] = root[3] = 0;
  }
  const size_t left = (size_t)(G->u + G->bed.n_u - to) * sizeof(float);
  memset(to, 0, left);
  memset(change, 0, left);
  memset(root, 0, left);
  const dls_disk_start start = G->lanes->begin(G->bed.n_u, G->root, G->u, G->u_old);
  G->slope = start.slope, G->bend = start.bend, G->fastest = start.fastest;
}

/* Where the energy (1/2) x^2 p . W p + x p . (J u_free + s) of the share x of the impulses is
** least. After strikes it is small: impulses of a strike say nothing about the next. */
static double usefulness(const dls_disk_groups *G) {
  return G->bend > 0 ? -G->slope / G->bend : 1;
}

dls_status dls_disk_groups_make(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                                dls_disk_groups *G) {
  *G = (dls_disk_groups){.lanes = dls_disk_lanes_best()};
  rows->need = bytes_of(n, rows->n_bodies);
  int *place = DLS_TAKE(tmp, int, rows->n_bodies);
  G->body = DLS_TAKE(tmp, int, most_places(n));
  uint64_t *taken = DLS_TAKE(tmp, uint64_t, rows->n_bodies);
  int *first = DLS_TAKE(tmp, int, n + 1);
  G->contact = DLS_TAKE(tmp, dls_disk_member, n);
  if (!place || !G->body || !taken || !first || !G->contact) return DLS_FULL;
  list_contacts(rows, blocks, n, place, taken, G->contact);
  int at[DLS_COLOURS_2 + 1], total = 0;
  const int n_colours = colour(G->contact, n, place, taken, first, at);
  if (n_colours > DLS_COLOURS_2) return DLS_OK;
  G->bed.n_near = (at[0] + DLS_DISK_LANES - 1) / DLS_DISK_LANES;
  place_bodies(first, at[0], n, place, G);
  for (int c = 0; c < n_colours; c++) {
    const int count = (at[c] + DLS_DISK_LANES - 1) / DLS_DISK_LANES;
    at[c] = DLS_DISK_LANES * total;
    total += count;
    if (c < DLS_DISK_FULL) G->colour_end[c] = total;
  }
  if (!take_groups(G, total, tmp)) return DLS_FULL;
  read_bodies(rows, G);
  dls_disk_begin_laws(&rows->block[blocks[n / 2]], G);
  for (int k = 0; k < n; k++) {
    dls_disk_member *x = &G->contact[k];
    x->at = at[x->at]++;
    dls_disk_fill_lane(rows, blocks[k], x, place, G);
  }
  for (int c = 0; c < n_colours; c++)
    while (at[c] % DLS_DISK_LANES != 0) dls_disk_leave_lane(G, at[c]++);
  const size_t numbers = DLS_DISK_PARTS * DLS_DISK_LANES * (size_t)total;
  const float share = usefulness(G) <= STALE ? 0.5F : 1;
  memcpy(G->p_old, G->p, numbers * sizeof(float));
  if (share < 1) G->lanes->carry((int)numbers, share - 1, G->p, G->p_old);
  G->lanes->carry(G->bed.n_u, share, G->u, G->u_old);
  return DLS_OK;
}

void dls_disk_groups_return(dls_rows *rows, const int *blocks, int n, const dls_disk_groups *G,
                            bool push) {
  for (int k = 0; k < G->n_bodies && push; k++) {
    if (G->body[k] < 0) continue;
    const size_t at = (size_t)G->body[k] * 3;
    memcpy(rows->u + at, rows->u_free + at, 3 * sizeof(double));
  }
  for (int k = 0; k < n; k++) {
    const dls_disk_member *x = &G->contact[k];
    const dls_block *block = &rows->block[blocks[k]];
    const int l = x->at % DLS_DISK_LANES, group = x->at / DLS_DISK_LANES;
    const float *of = G->p + DLS_DISK_PARTS * DLS_DISK_LANES * group + l;
    double *p = rows->p + x->row;
    p[0] = (double)of[0];
    if (x->n > 1)
      p[1] = dls_clamp((double)of[DLS_DISK_LANES], -block->mu[0] * p[0], block->mu[0] * p[0]);
    if (push) dls_push_block(rows, block);
  }
}
