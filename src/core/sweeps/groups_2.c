/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/groups_2.h"

#include "core/rows/special.h"
#include "core/math/colour.h"

/* Single precision serves where 1/W and W are far from its ends. */
static const double FLOAT_LEAST = DLS_SINGLE_LEAST, FLOAT_MOST = DLS_SINGLE_MOST;

static size_t groups_bytes(int n_blocks, int n_bodies, bool rolling) {
  size_t n = (size_t)n_blocks, g = n / DLS_SWEEP_LANES + DLS_COLOURS_2, u = 8 * (2 * n + 4),
         total = 0;
  total = dls_bytes_add(total, dls_arena_bytes((size_t)n_bodies, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(2 * n, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(2 * n, sizeof(uint64_t)));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(unsigned char)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_sweep_group)));
  total = dls_bytes_add(total, dls_arena_bytes(64 * g, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(8 * g, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(u, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_sweep_group32)));
  total = dls_bytes_add(total, dls_arena_bytes(64 * g + u, sizeof(float)));
  if (!rolling) return total;
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_sweep_turn)));
  total = dls_bytes_add(total, dls_arena_bytes(32 * g, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_sweep_turn32)));
  return dls_bytes_add(total, dls_arena_bytes(32 * g, sizeof(float)));
}

/* Rolling friction turns the bodies alone. */
static bool is_plain_turn(const double *J) {
  return J[0] == 0 && J[1] == 0 && J[3] == 0 && J[4] == 0;
}

/* Contacts whose law the lanes know. */
static bool is_plain_contact(const dls_rows *rows, const dls_block *block) {
  const double *J = rows->J + (size_t)block->row * 6;
  const bool rolls = block->kind == DLS_ROW_ROLLING;
  if (rolls && !is_plain_turn(J + 12)) return false;
  return (rolls || block->kind == DLS_ROW_CONE || block->kind == DLS_ROW_UNILATERAL) &&
         J[0] == -J[3] && J[1] == -J[4] &&
         rows->W[(size_t)block->row * 3] + rows->gamma[block->row] > 0;
}

bool dls_suits_lanes_2(const dls_rows *rows, const int *blocks, int n) {
  if (n < DLS_GROUPED) return false;
  for (int k = 0; k < n; k++)
    if (!is_plain_contact(rows, &rows->block[blocks[k]])) return false;
  return true;
}

/* Numbers all bodies of the island. */
static void place_bodies(const dls_rows *rows, const int *blocks, int n, int *place,
                         dls_groups_2 *G) {
  for (int k = 0; k < n; k++)
    place[rows->block[blocks[k]].a] = place[rows->block[blocks[k]].b] = -1;
  for (int k = 0; k < n; k++) {
    const int pair[2] = {rows->block[blocks[k]].a, rows->block[blocks[k]].b};
    for (int i = 0; i < 2; i++) {
      if (place[pair[i]] >= 0) continue;
      G->body[G->n_bodies] = pair[i];
      place[pair[i]] = G->n_bodies++;
    }
  }
}

/* First fit: the lowest colour that neither body has yet. Fills colours[] and the number of blocks
** of each; answers how many colours, DLS_COLOURS_2 + 1 where they do not suffice. */
static int colour(const dls_rows *rows, const int *blocks, int n, const int *place,
                  uint64_t *taken, unsigned char *colours, int *count) {
  int most = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    uint64_t none = 0, *a = &none, *b = &none;
    if (dls_moves(rows, block->a)) a = &taken[place[block->a]];
    if (dls_moves(rows, block->b)) b = &taken[place[block->b]];
    const int c = dls_first_fit(a, b, DLS_COLOURS_2);
    if (c == DLS_COLOURS_2) return DLS_COLOURS_2 + 1;
    colours[k] = (unsigned char)c;
    for (; most <= c; most++) count[most] = 0;
    count[c]++;
  }
  return most;
}

/* n groups of rolling friction, none acting. */
static bool take_turns(dls_groups_2 *G, int n, dls_arena *tmp) {
  G->turn = DLS_TAKE(tmp, dls_sweep_turn, n);
  if (G->turn) memset(G->turn, 0, (size_t)n * sizeof *G->turn);
  return G->turn;
}

static void clear_group(dls_groups_2 *G, int k) {
  dls_sweep_group *g = &G->group[k];
  memset(g, 0, sizeof *g);
  for (int l = 0; l < DLS_SWEEP_LANES; l++) {
    g->a[l] = g->b[l] = g->s_n[l] = 1; /* apart */
    g->i[l] = g->j[l] = DLS_SWEEP_BODY * G->n_bodies;
    G->block[DLS_SWEEP_LANES * k + l] = -1;
  }
}

/* Room of n groups on G->n_bodies bodies, empty; false where there is none. */
static bool take_groups(dls_groups_2 *G, int n, bool rolling, dls_arena *tmp) {
  const size_t numbers = (rolling ? 3 : 2) * DLS_SWEEP_LANES * (size_t)n;
  G->n = n;
  G->n_p = (int)numbers;
  if (rolling && !take_turns(G, n, tmp)) return false;
  G->n_u = (DLS_SWEEP_BODY * (G->n_bodies + 1) + 7) & ~7;
  G->group = DLS_TAKE(tmp, dls_sweep_group, n);
  G->block = DLS_TAKE(tmp, int, DLS_SWEEP_LANES * n);
  G->p = DLS_TAKE(tmp, double, 4 * numbers);
  G->u = DLS_TAKE(tmp, double, 2 * G->n_u);
  if (!G->group || !G->block || !G->p || !G->u) return false;
  G->was = G->p + numbers;
  G->f = G->was + numbers;
  G->p_old = G->f + numbers;
  G->u_old = G->u + G->n_u;
  memset(G->p, 0, 4 * numbers * sizeof(double));
  memset(G->u, 0, 2 * (size_t)G->n_u * sizeof(double));
  for (int k = 0; k < n; k++) clear_group(G, k);
  return true;
}

static double *turn_impulses(const dls_groups_2 *G) { return G->p + 2 * DLS_SWEEP_LANES * G->n; }

/* The rolling friction of the contact in lane `at`. */
static void fill_turn(const dls_rows *rows, const dls_block *block, dls_groups_2 *G, int at) {
  const int l = at % DLS_SWEEP_LANES, row = block->row + 2;
  dls_sweep_turn *t = &G->turn[at / DLS_SWEEP_LANES];
  const double *J = rows->J + (size_t)row * 6, r = rows->length[row],
               w = rows->W[(size_t)row * 3 + 2] * r * r;
  if (!(w > 0)) return;
  t->qa[l] = J[2] * r;
  t->qb[l] = J[5] * r;
  t->arm[l] = block->mu[1] / r;
  t->w[l] = w;
  t->inv[l] = 1 / w;
  t->s_r[l] = rows->s[row] * r;
  turn_impulses(G)[at] = rows->p[row] / r;
}

static void fill_lane(const dls_rows *rows, int number, const int *place, dls_groups_2 *G, int at) {
  const dls_block *block = &rows->block[number];
  const int l = at % DLS_SWEEP_LANES, k = at / DLS_SWEEP_LANES, row = block->row;
  dls_sweep_group *g = &G->group[k];
  const double *J = rows->J + (size_t)row * 6, *W = rows->W + (size_t)row * 3;
  double *p = G->p + 2 * DLS_SWEEP_LANES * k + l;
  g->nx[l] = J[3];
  g->ny[l] = J[4];
  g->na[l] = J[2];
  g->nb[l] = J[5];
  g->ma[l] = rows->inv_mass[block->a];
  g->mb[l] = rows->inv_mass[block->b];
  g->ja[l] = rows->inv_inertia[block->a];
  g->jb[l] = rows->inv_inertia[block->b];
  g->hard[l] = W[0];
  g->a[l] = W[0] + rows->gamma[row];
  g->s_n[l] = rows->s[row];
  p[0] = rows->p[row];
  if (block->kind != DLS_ROW_UNILATERAL) {
    g->ta[l] = J[8];
    g->tb[l] = J[11];
    g->c[l] = W[1];
    g->b[l] = W[4];
    g->s_t[l] = rows->s[row + 1];
    g->mu[l] = block->mu[0];
    p[DLS_SWEEP_LANES] = rows->p[row + 1];
  }
  g->i[l] = DLS_SWEEP_BODY * place[block->a];
  g->j[l] = DLS_SWEEP_BODY * place[block->b];
  if (block->kind == DLS_ROW_ROLLING) fill_turn(rows, block, G, at);
  G->block[at] = number;
}

/* The divisions of all lanes. */
static void fill_inverses(dls_groups_2 *G) {
  double least = DLS_INF, most = 0;
  for (int k = 0; k < G->n; k++) {
    dls_sweep_group *g = &G->group[k];
    for (int l = 0; l < DLS_SWEEP_LANES; l++) {
      const double a = g->a[l], b = g->b[l], c = g->c[l], det = a * b - c * c;
      const double right = a + g->mu[l] * c, left = a - g->mu[l] * c;
      g->inv_det[l] = det > 1e-14 * a * b ? 1 / det : 0;
      g->inv_right[l] = right > 0 ? 1 / right : 0;
      g->inv_left[l] = left > 0 ? 1 / left : 0;
      least = dls_min(least, dls_min(a, b));
      most = dls_max(most, dls_max(a, b));
    }
  }
  for (int k = 0; k < G->n && G->turn; k++)
    for (int l = 0; l < DLS_SWEEP_LANES; l++) {
      const double w = G->turn[k].w[l];
      if (w > 0) least = dls_min(least, w), most = dls_max(most, w);
    }
  G->fits_float = least >= FLOAT_LEAST && most <= FLOAT_MOST;
}

dls_status dls_group_2(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, dls_groups_2 *G) {
  *G = (dls_groups_2){.lanes = dls_sweep_lanes_best()};
  if (!dls_suits_lanes_2(rows, blocks, n)) return DLS_OK;
  bool rolling = false;
  for (int k = 0; k < n && !rolling; k++) rolling = rows->block[blocks[k]].kind == DLS_ROW_ROLLING;
  rows->need = groups_bytes(n, rows->n_bodies, rolling);
  int *place = DLS_TAKE(tmp, int, rows->n_bodies);
  G->body = DLS_TAKE(tmp, int, 2 * n);
  uint64_t *taken = DLS_TAKE(tmp, uint64_t, 2 * n);
  unsigned char *colours = DLS_TAKE(tmp, unsigned char, n);
  if (!place || !G->body || !taken || !colours) return DLS_FULL;
  place_bodies(rows, blocks, n, place, G);
  memset(taken, 0, (size_t)G->n_bodies * sizeof *taken);
  int at[DLS_COLOURS_2 + 1], total = 0;
  const int n_colours = colour(rows, blocks, n, place, taken, colours, at);
  if (n_colours > DLS_COLOURS_2) return DLS_OK;
  for (int c = 0; c < n_colours; c++) {
    const int count = (at[c] + DLS_SWEEP_LANES - 1) / DLS_SWEEP_LANES;
    at[c] = DLS_SWEEP_LANES * total;
    total += count;
  }
  if (!take_groups(G, total, rolling, tmp)) return DLS_FULL;
  for (int k = 0; k < n; k++) fill_lane(rows, blocks[k], place, G, at[colours[k]]++);
  fill_inverses(G);
  for (int k = 0; k < G->n_bodies; k++)
    memcpy(G->u + DLS_SWEEP_BODY * k, rows->u + (size_t)G->body[k] * 3, 3 * sizeof(double));
  return DLS_OK;
}

void dls_ungroup_2(dls_rows *rows, const dls_groups_2 *G) {
  for (int k = 0; k < DLS_SWEEP_LANES * G->n; k++) {
    if (G->block[k] < 0) continue;
    const dls_block *block = &rows->block[G->block[k]];
    const double *p = G->p + 2 * DLS_SWEEP_LANES * (k / DLS_SWEEP_LANES) + k % DLS_SWEEP_LANES;
    rows->p[block->row] = p[0];
    if (block->n > 1) rows->p[block->row + 1] = p[DLS_SWEEP_LANES];
    if (block->n > 2) rows->p[block->row + 2] = turn_impulses(G)[k] * rows->length[block->row + 2];
  }
  for (int k = 0; k < G->n_bodies; k++)
    memcpy(rows->u + (size_t)G->body[k] * 3, G->u + DLS_SWEEP_BODY * k, 3 * sizeof(double));
}

static void push_turns(dls_groups_2 *G) {
  const double *q = turn_impulses(G);
  for (int k = 0; k < G->n; k++, q += DLS_SWEEP_LANES) {
    const dls_sweep_group *g = &G->group[k];
    const dls_sweep_turn *t = &G->turn[k];
    for (int l = 0; l < DLS_SWEEP_LANES; l++) {
      G->u[g->i[l] + 2] += g->ja[l] * (t->qa[l] * q[l]);
      G->u[g->j[l] + 2] += g->jb[l] * (t->qb[l] * q[l]);
    }
  }
}

void dls_push_groups_2(const dls_rows *rows, dls_groups_2 *G) {
  for (int k = 0; k < G->n_bodies; k++)
    memcpy(G->u + DLS_SWEEP_BODY * k, rows->u_free + (size_t)G->body[k] * 3, 3 * sizeof(double));
  for (int k = 0; k < G->n; k++) {
    const dls_sweep_group *g = &G->group[k];
    const double *p = G->p + 2 * DLS_SWEEP_LANES * k;
    for (int l = 0; l < DLS_SWEEP_LANES; l++, p++) {
      const double p_n = p[0], p_t = p[DLS_SWEEP_LANES];
      const double fx = g->nx[l] * p_n + g->ny[l] * p_t, fy = g->ny[l] * p_n - g->nx[l] * p_t;
      double *a = G->u + g->i[l], *b = G->u + g->j[l];
      a[0] -= g->ma[l] * fx;
      a[1] -= g->ma[l] * fy;
      a[2] += g->ja[l] * (g->na[l] * p_n + g->ta[l] * p_t);
      b[0] += g->mb[l] * fx;
      b[1] += g->mb[l] * fy;
      b[2] += g->jb[l] * (g->nb[l] * p_n + g->tb[l] * p_t);
    }
  }
  if (G->turn) push_turns(G);
}
