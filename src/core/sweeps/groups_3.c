/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/groups_3.h"

#include "core/math/colour.h"
#include "core/rows/coulomb.h"
#include "core/rows/impulses.h"
#include "core/sweeps/turns_3.h"

enum {
  GROUPED = 12 /* contacts from which on it is worth it */
};

/* mu |k| up to which the visit's equation has one solution; what of S counts as nothing. */
static const double MU_LIMIT = 0.9, FLAT = 1e-14;

static size_t colours_bytes(int n_blocks, int n_bodies) {
  const size_t n = (size_t)n_blocks;
  size_t total = dls_bytes_add(dls_arena_bytes((size_t)n_bodies, sizeof(int)),
                               dls_arena_bytes(2 * n, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(2 * n, sizeof(uint64_t)));
  return dls_bytes_add(total, dls_arena_bytes(n, sizeof(int)));
}

static size_t groups_bytes(int n_groups, int n_bodies, int n_others, bool turns) {
  const size_t g = (size_t)n_groups, u = DLS_SPACE_BODY * ((size_t)n_bodies + 1);
  size_t total = dls_arena_bytes(8 * (size_t)n_bodies, sizeof(double));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_space_group)));
  total = dls_bytes_add(total, dls_arena_bytes(8 * g, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(int)));
  const size_t n_p = DLS_GROUP_NUMBERS_3 * g + 6 * (size_t)n_others + 8;
  total = dls_bytes_add(total, dls_arena_bytes((size_t)n_others, sizeof(dls_lone_block)));
  total = dls_bytes_add(total, dls_arena_bytes(16 * g + 4 * n_p, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(2 * u, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_space_group32)));
  total = dls_bytes_add(total, dls_arena_bytes(4 * n_p + 3 * u, sizeof(float)));
  if (!turns) return total;
  total = dls_bytes_add(
      total, dls_arena_bytes(g, sizeof(dls_space_turn) + sizeof(dls_space_turn32)));
  total = dls_bytes_add(total, dls_arena_bytes(4 * DLS_GROUP_NUMBERS_3 * g,
                                               sizeof(double) + sizeof(float)));
  return dls_bytes_add(total, 256);
}

/* Whether a block is a contact with rolling friction, which turns the bodies alone. */
static bool turns_alone(const dls_rows *rows, const dls_block *block) {
  if (block->kind != DLS_ROW_ROLLING) return false;
  for (int i = block->row + 3; i < block->row + 6; i++) {
    const double *J = rows->J + (size_t)i * 12;
    if (J[0] != 0 || J[1] != 0 || J[2] != 0) return false;
  }
  return true;
}

/* Contacts whose law the lanes know. */
static bool is_plain_contact(const dls_rows *rows, const dls_block *block) {
  if (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_UNILATERAL && !turns_alone(rows, block))
    return false;
  for (int i = block->row; i < block->row + block->n; i++) {
    const double *J = rows->J + (size_t)i * 12;
    if (J[0] != -J[6] || J[1] != -J[7] || J[2] != -J[8]) return false;
  }
  const double *W = rows->W + (size_t)block->row * 6, a = W[0] + rows->gamma[block->row];
  if (!(a > 0) || block->kind == DLS_ROW_UNILATERAL) return a > 0;
  return block->mu[0] * sqrt(W[1] * W[1] + W[2] * W[2]) <= MU_LIMIT * a;
}

bool dls_suits_lanes_3(const dls_rows *rows, const int *blocks, int n) {
  int plain = 0;
  bool suits = false;
  for (int k = 0; k < n && !suits; k++) {
    plain += is_plain_contact(rows, &rows->block[blocks[k]]);
    suits = plain >= GROUPED && 2 * plain >= n;
  }
  return suits;
}

/* First fit: the lowest colour that neither body has yet. Fills the lane of each block, in order of
** its colour, -1 of those for none; contacts beyond the last colour, of bodies with many, have a
** group each; and the number of groups of each colour; answers how many groups. place: of moving
** bodies, -1 for others. *turns: whether a block in a lane has friction against turning. */
static int colour(const dls_rows *rows, const int *blocks, int n, const int *place, uint64_t *taken,
                  int *lane, int *runs, bool *turns) {
  int count[DLS_COLOURS] = {0}, total = 0, alone = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    uint64_t none = 0, *a = &none, *b = &none;
    lane[k] = -1;
    if (!is_plain_contact(rows, block)) continue;
    *turns |= block->n > 3;
    if (place[block->a] >= 0) a = &taken[place[block->a]];
    if (place[block->b] >= 0) b = &taken[place[block->b]];
    lane[k] = dls_first_fit(a, b, DLS_COLOURS);
    if (lane[k] < DLS_COLOURS) count[lane[k]]++;
  }
  for (int c = 0; c < DLS_COLOURS; c++) {
    runs[c] = (count[c] + DLS_SWEEP_LANES - 1) / DLS_SWEEP_LANES;
    count[c] = DLS_SWEEP_LANES * total;
    total += runs[c];
  }
  for (int k = 0; k < n; k++) {
    if (lane[k] < 0) continue;
    lane[k] = lane[k] < DLS_COLOURS ? count[lane[k]]++ : DLS_SWEEP_LANES * (total + alone++);
  }
  return total + alone;
}

static void clear_group(const dls_groups_3 *G, int k, dls_space_group *g) {
  memset(g, 0, sizeof *g);
  g->run = G->run[k];
  for (int l = 0; l < DLS_SWEEP_LANES; l++) {
    g->a[l] = g->inv_a[l] = g->d_s[l] = g->d_t[l] = g->inv_s[l] = g->inv_t[l] = 1;
    g->v_n[l] = 1; /* apart */
    g->i[l] = g->j[l] = DLS_SPACE_BODY * G->n_bodies;
  }
}

/* Room of n groups on G->n_bodies bodies, empty, and of so many others with their rows; false where
** there is none. */
static bool take_groups(dls_groups_3 *G, int n, bool turns, int n_others, int n_rows,
                        dls_arena *tmp) {
  const size_t own = (turns ? 2 : 1) * DLS_GROUP_NUMBERS_3 * (size_t)n;
  const size_t numbers = (own + (size_t)n_rows + 7) & ~(size_t)7;
  G->n = n;
  if (turns) {
    G->turn = DLS_TAKE(tmp, dls_space_turn, n);
    if (!G->turn) return false;
  }
  G->n_p = (int)numbers;
  G->other = DLS_TAKE(tmp, dls_lone_block, n_others);
  G->n_u = DLS_SPACE_BODY * (G->n_bodies + 1);
  G->root = DLS_TAKE(tmp, double, 8 * G->n_bodies);
  G->group = DLS_TAKE(tmp, dls_space_group, n);
  G->block = DLS_TAKE(tmp, int, DLS_SWEEP_LANES * n);
  G->run = DLS_TAKE(tmp, int, n);
  G->p = DLS_TAKE(tmp, double, 4 * numbers + 16 * (size_t)n);
  G->u = DLS_TAKE(tmp, double, 2 * G->n_u);
  if (!G->other || !G->root || !G->group || !G->block || !G->run || !G->p || !G->u) return false;
  G->was = G->p + numbers;
  G->f = G->was + numbers;
  G->p_old = G->f + numbers;
  G->axis = G->p_old + numbers;
  G->u_old = G->u + G->n_u;
  memset(G->p, 0, (4 * numbers + 16 * (size_t)n) * sizeof(double));
  memset(G->u, 0, 2 * (size_t)G->n_u * sizeof(double));
  for (int k = 0; k < DLS_SWEEP_LANES * n; k++) G->block[k] = -1;
  for (int k = 0; k < n; k++) G->run[k] = 1;
  return true;
}

/* L of M^-1 = L L': of the mass, then the lower triangle of the inertia, row by row. */
static void take_root(const dls_rows *rows, int body, double *L) {
  const double *I = rows->inv_inertia + 9 * (size_t)body;
  L[0] = sqrt(rows->inv_mass[body]);
  L[1] = I[0] > 0 ? sqrt(I[0]) : 0;
  const double inv_0 = L[1] > 0 ? 1 / L[1] : 0;
  L[2] = I[3] * inv_0;
  L[4] = I[6] * inv_0;
  const double d_1 = I[4] - L[2] * L[2];
  L[3] = d_1 > 0 ? sqrt(d_1) : 0;
  L[5] = L[3] > 0 ? (I[7] - L[4] * L[2]) / L[3] : 0;
  const double d_2 = I[8] - L[4] * L[4] - L[5] * L[5];
  L[6] = d_2 > 0 ? sqrt(d_2) : 0;
}

/* One row in its lane: its direction, L' of its turning, its velocity without impulses. */
typedef struct lane_row {
  double d[3], a[3], b[3], v; /* unit; 1/sqrt(kg) each; m/s */
} lane_row;

static lane_row read_row(const dls_rows *rows, const dls_block *block, int i, const double *L_a,
                         const double *L_b) {
  lane_row x;
  const int row = block->row + i;
  const double *J = rows->J + (size_t)row * 12;
  memcpy(x.d, J + 6, sizeof x.d);
  dls_root_turn(L_a, J + 3, x.a);
  dls_root_turn(L_b, J + 9, x.b);
  x.v = dls_row_velocity(6, J, rows->u_free + (size_t)block->a * 6,
                         rows->u_free + (size_t)block->b * 6) +
        rows->s[row];
  return x;
}

/* e1 x + e2 y */
static lane_row mix_rows(double e1, const lane_row *x, double e2, const lane_row *y) {
  lane_row z;
  for (int i = 0; i < 3; i++) {
    z.d[i] = e1 * x->d[i] + e2 * y->d[i];
    z.a[i] = e1 * x->a[i] + e2 * y->a[i];
    z.b[i] = e1 * x->b[i] + e2 * y->b[i];
  }
  z.v = e1 * x->v + e2 * y->v;
  return z;
}

#define PUT_ROW(g, l, k, row)                                                                  \
  do {                                                                                         \
    (g)->k##x[l] = (row).d[0], (g)->k##y[l] = (row).d[1], (g)->k##z[l] = (row).d[2];           \
    (g)->a##k##0[l] = (row).a[0], (g)->a##k##1[l] = (row).a[1], (g)->a##k##2[l] = (row).a[2];  \
    (g)->b##k##0[l] = (row).b[0], (g)->b##k##1[l] = (row).b[1], (g)->b##k##2[l] = (row).b[2];  \
    (g)->v_##k[l] = (row).v;                                                                   \
  } while (0)

/* The tangents of a contact: S in its eigenframe e. */
static void fill_tangents(const dls_rows *rows, const dls_block *block, const double *L_a,
                          const double *L_b, dls_space_group *g, int l, double *e, double *p) {
  const double *W = rows->W + (size_t)block->row * 6, c1 = W[1], c2 = W[2], inv = g->inv_a[l];
  const double s11 = W[7] - c1 * c1 * inv, s12 = W[8] - c1 * c2 * inv;
  const double s22 = W[14] - c2 * c2 * inv;
  const double half = 0.5 * (s11 - s22), mean = 0.5 * (s11 + s22),
               radius = sqrt(half * half + s12 * s12);
  e[0] = 1;
  if (radius > 0) {
    const double x = half >= 0 ? half + radius : s12, y = half >= 0 ? s12 : radius - half;
    const double norm = sqrt(x * x + y * y);
    e[0] = x / norm;
    e[1] = y / norm;
  }
  const double least = FLAT * (mean + radius > 0 ? mean + radius : 1);
  g->d_s[l] = dls_max(mean + radius, least);
  g->d_t[l] = dls_max(mean - radius, least);
  g->inv_s[l] = 1 / g->d_s[l];
  g->inv_t[l] = 1 / g->d_t[l];
  g->k_s[l] = (e[0] * c1 + e[1] * c2) * inv;
  g->k_t[l] = (e[0] * c2 - e[1] * c1) * inv;
  g->mu[l] = block->mu[0];
  const lane_row x = read_row(rows, block, 1, L_a, L_b), y = read_row(rows, block, 2, L_a, L_b);
  const lane_row s = mix_rows(e[0], &x, e[1], &y), t = mix_rows(e[0], &y, -e[1], &x);
  PUT_ROW(g, l, s, s);
  PUT_ROW(g, l, t, t);
  const double p1 = rows->p[block->row + 1], p2 = rows->p[block->row + 2];
  p[DLS_SWEEP_LANES] = e[0] * p1 + e[1] * p2;
  p[2 * DLS_SWEEP_LANES] = e[0] * p2 - e[1] * p1;
}

/* The contact in lane l of g; p: its impulses. */
static void fill_lane(const dls_rows *rows, const dls_groups_3 *G, int number, dls_space_group *g,
                      int l, double *axis, double *p) {
  static const double still[8] = {0};
  const dls_block *block = &rows->block[number];
  const int row = block->row, a = G->place[block->a], b = G->place[block->b];
  const double *L_a = a >= 0 ? G->root + 8 * a : still, *L_b = b >= 0 ? G->root + 8 * b : still;
  const lane_row n = read_row(rows, block, 0, L_a, L_b);
  PUT_ROW(g, l, n, n);
  g->ra[l] = L_a[0];
  g->rb[l] = L_b[0];
  g->gamma[l] = rows->gamma[row];
  g->a[l] = rows->W[(size_t)row * 6] + rows->gamma[row];
  g->inv_a[l] = 1 / g->a[l];
  p[0] = rows->p[row];
  if (block->kind != DLS_ROW_UNILATERAL && block->mu[0] > 0)
    fill_tangents(rows, block, L_a, L_b, g, l, axis, p);
  if (a >= 0) g->i[l] = DLS_SPACE_BODY * a;
  if (b >= 0) g->j[l] = DLS_SPACE_BODY * b;
}

void dls_fill_group_3(const dls_rows *rows, const dls_groups_3 *G, int k, dls_space_group *g,
                      double *p) {
  clear_group(G, k, g);
  for (int l = 0, at = DLS_SWEEP_LANES * k; l < DLS_SWEEP_LANES; l++, at++)
    if (G->block[at] >= 0) fill_lane(rows, G, G->block[at], g, l, G->axis + 2 * at, p + l);
}

bool dls_fits_float_3(const dls_space_group *g) {
  double least = DLS_INF, most = 0;
  for (int l = 0; l < DLS_SWEEP_LANES; l++) {
    least = dls_min(least, dls_min(g->a[l], dls_min(g->d_s[l], g->d_t[l])));
    most = dls_max(most, dls_max(g->a[l], dls_max(g->d_s[l], g->d_t[l])));
  }
  return least >= DLS_SPACE_LEAST && most <= DLS_SPACE_MOST;
}

static void fill_other(const dls_rows *rows, int number, dls_groups_3 *G, int at) {
  static const double still[8] = {0};
  const dls_block *block = &rows->block[number];
  const int *place = G->place;
  const int a = place[block->a], b = place[block->b], none = DLS_SPACE_BODY * G->n_bodies;
  const double *L_a = a >= 0 ? G->root + 8 * a : still, *L_b = b >= 0 ? G->root + 8 * b : still;
  dls_lone_block *o = &G->other[G->n_others++];
  *o = (dls_lone_block){
      number, a >= 0 ? DLS_SPACE_BODY * a : none, b >= 0 ? DLS_SPACE_BODY * b : none, at, {0},
      {{0}}};
  for (int i = 0; i < block->n; i++) {
    const int row = block->row + i;
    const double *J = rows->J + (size_t)row * 12;
    for (int k = 0; k < 3; k++) {
      o->X[i][k] = L_a[0] * J[k];
      o->X[i][6 + k] = L_b[0] * J[6 + k];
    }
    dls_root_turn(L_a, J + 3, o->X[i] + 3);
    dls_root_turn(L_b, J + 9, o->X[i] + 9);
    o->v[i] = dls_row_velocity(6, J, rows->u_free + (size_t)block->a * 6,
                               rows->u_free + (size_t)block->b * 6) +
              rows->s[row];
    G->p[at + i] = rows->p[row];
  }
}

/* Visits a block by itself; x: the numbers of its two bodies, moved along. As sweep_block. */
static double visit_other(const dls_rows *rows, const dls_lone_block *o, double *p, double *x) {
  const dls_block *block = &rows->block[o->block];
  const double *W = rows->W + (size_t)block->row * 6, *gamma = rows->gamma + block->row;
  double now[6] = {0}, v[6] = {0}, most = 0;
  for (int i = 0; i < block->n; i++) {
    now[i] = p[i];
    v[i] = dls_row_velocity(6, o->X[i], x, x + 6) + o->v[i] + gamma[i] * p[i];
  }
  dls_visit_block(6, block, W, gamma, now, v);
  for (int i = 0; i < block->n; i++) {
    const double change = now[i] - p[i];
    if (change == 0) continue;
    p[i] = now[i];
    most = dls_max(most, fabs(change) * W[i * 6 + i] * rows->length[block->row + i]);
    for (int k = 0; k < 12; k++) x[k] += change * o->X[i][k];
  }
  return most;
}

#define VISIT_OTHERS(name, real)                                                               \
  double name(const dls_rows *rows, const dls_groups_3 *G, real *p, real *u) {                \
    double most = 0;                                                                           \
    for (int k = 0; k < G->n_others; k++) {                                                    \
      const dls_lone_block *o = &G->other[k];                                                           \
      const int n = rows->block[o->block].n;                                                   \
      double x[12], own[6];                                                               \
      for (int i = 0; i < 6; i++) x[i] = (double)u[o->i + i], x[6 + i] = (double)u[o->j + i];  \
      for (int i = 0; i < n; i++) own[i] = (double)p[o->p + i];                                \
      most = dls_max(most, visit_other(rows, o, own, x));                                      \
      for (int i = 0; i < 6; i++) u[o->i + i] = (real)x[i], u[o->j + i] = (real)x[6 + i];    \
      for (int i = 0; i < n; i++) p[o->p + i] = (real)own[i];                                  \
    }                                                                                          \
    return most;                                                                               \
  }
VISIT_OTHERS(dls_visit_others, double)
VISIT_OTHERS(dls_visit_others_coarsely, float)

static void push_others(const dls_rows *rows, dls_groups_3 *G) {
  for (int k = 0; k < G->n_others; k++) {
    const dls_lone_block *o = &G->other[k];
    for (int r = 0; r < rows->block[o->block].n; r++)
      for (int i = 0; i < 6; i++) {
        G->u[o->i + i] += G->p[o->p + r] * o->X[r][i];
        G->u[o->j + i] += G->p[o->p + r] * o->X[r][6 + i];
      }
  }
}

void dls_push_groups_3(const dls_rows *rows, dls_groups_3 *G) {
  memset(G->u, 0, (size_t)G->n_u * sizeof(double));
  push_others(rows, G);
  if (G->turn) dls_push_turns_3(G);
  for (int k = 0; k < G->n; k++) {
    const dls_space_group *g = &G->group[k];
    const double *p = G->p + DLS_GROUP_NUMBERS_3 * k;
    for (int l = 0; l < DLS_SWEEP_LANES; l++, p++) {
      const double n = p[0], s = p[DLS_SWEEP_LANES], t = p[2 * DLS_SWEEP_LANES];
      const double fx = g->nx[l] * n + g->sx[l] * s + g->tx[l] * t;
      const double fy = g->ny[l] * n + g->sy[l] * s + g->ty[l] * t;
      const double fz = g->nz[l] * n + g->sz[l] * s + g->tz[l] * t;
      double *a = G->u + g->i[l], *b = G->u + g->j[l];
      a[0] -= g->ra[l] * fx;
      a[1] -= g->ra[l] * fy;
      a[2] -= g->ra[l] * fz;
      a[3] += g->an0[l] * n + g->as0[l] * s + g->at0[l] * t;
      a[4] += g->an1[l] * n + g->as1[l] * s + g->at1[l] * t;
      a[5] += g->an2[l] * n + g->as2[l] * s + g->at2[l] * t;
      b[0] += g->rb[l] * fx;
      b[1] += g->rb[l] * fy;
      b[2] += g->rb[l] * fz;
      b[3] += g->bn0[l] * n + g->bs0[l] * s + g->bt0[l] * t;
      b[4] += g->bn1[l] * n + g->bs1[l] * s + g->bt1[l] * t;
      b[5] += g->bn2[l] * n + g->bs2[l] * s + g->bt2[l] * t;
    }
  }
}

dls_status dls_group_3(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, dls_groups_3 *G) {
  *G = (dls_groups_3){.lanes = dls_space_lanes_best()};
  if (!dls_suits_lanes_3(rows, blocks, n)) return DLS_OK;
  rows->need =
      dls_bytes_add(colours_bytes(n, rows->n_bodies),
                    groups_bytes(n / DLS_SWEEP_LANES + DLS_COLOURS, rows->n_bodies, n, true));
  int *place = DLS_TAKE(tmp, int, rows->n_bodies);
  G->body = DLS_TAKE(tmp, int, 2 * n);
  uint64_t *taken = DLS_TAKE(tmp, uint64_t, 2 * n);
  int *lane = DLS_TAKE(tmp, int, n), runs[DLS_COLOURS];
  if (!place || !G->body || !taken || !lane) return DLS_FULL;
  G->n_bodies = dls_number_bodies(rows, blocks, n, place, G->body);
  G->place = place;
  memset(taken, 0, (size_t)G->n_bodies * sizeof *taken);
  bool turns = false;
  const int total = colour(rows, blocks, n, place, taken, lane, runs, &turns);
  int n_others = 0, n_rows = 0;
  for (int k = 0; k < n; k++)
    if (lane[k] < 0) n_others++, n_rows += rows->block[blocks[k]].n;
  rows->need = dls_bytes_add(colours_bytes(n, rows->n_bodies),
                             groups_bytes(total, G->n_bodies, n_others, turns));
  if (!take_groups(G, total, turns, n_others, n_rows, tmp)) return DLS_FULL;
  for (int c = 0, k = 0; c < DLS_COLOURS; c++)
    for (int left = runs[c]; left > 0; left--) G->run[k++] = left;
  for (int k = 0; k < G->n_bodies; k++) take_root(rows, G->body[k], G->root + 8 * k);
  for (int k = 0, at = (turns ? 2 : 1) * DLS_GROUP_NUMBERS_3 * G->n; k < n; k++) {
    if (lane[k] >= 0) {
      G->block[lane[k]] = blocks[k];
    } else {
      fill_other(rows, blocks[k], G, at);
      at += rows->block[blocks[k]].n;
    }
  }
  return DLS_OK;
}

void dls_fill_all_groups_3(const dls_rows *rows, dls_groups_3 *G, bool new) {
  for (int k = 0; k < G->n && !G->filled; k++) {
    double kept[DLS_GROUP_NUMBERS_3] = {0};
    dls_fill_group_3(rows, G, k, &G->group[k], kept);
    if (new) memcpy(G->p + DLS_GROUP_NUMBERS_3 * k, kept, sizeof kept);
  }
  for (int k = 0; k < G->n && G->turn && !G->filled; k++) dls_fill_turns_3(rows, G, k);
  G->filled = true;
  dls_push_groups_3(rows, G);
}

void dls_give_impulses_3(dls_rows *rows, const dls_groups_3 *G) {
  for (int k = 0; k < DLS_SWEEP_LANES * G->n; k++) {
    if (G->block[k] < 0) continue;
    const dls_block *block = &rows->block[G->block[k]];
    const double *p = G->p + DLS_GROUP_NUMBERS_3 * (k / DLS_SWEEP_LANES) + k % DLS_SWEEP_LANES;
    const double s = p[DLS_SWEEP_LANES], t = p[2 * DLS_SWEEP_LANES], *e = G->axis + 2 * k;
    rows->p[block->row] = p[0];
    if (block->n == 1) continue;
    rows->p[block->row + 1] = e[0] * s - e[1] * t;
    rows->p[block->row + 2] = e[1] * s + e[0] * t;
  }
  if (G->turn) dls_give_turns_3(rows, G);
  for (int k = 0; k < G->n_others; k++) {
    const dls_block *block = &rows->block[G->other[k].block];
    memcpy(rows->p + block->row, G->p + G->other[k].p, (size_t)block->n * sizeof(double));
  }
}

void dls_ungroup_3(dls_rows *rows, const dls_groups_3 *G) {
  dls_give_impulses_3(rows, G);
  for (int k = 0; k < G->n_bodies; k++) {
    const size_t at = (size_t)G->body[k] * 6;
    memcpy(rows->u + at, rows->u_free + at, 6 * sizeof(double));
  }
  for (int k = 0; k < DLS_SWEEP_LANES * G->n; k++)
    if (G->block[k] >= 0) dls_push_block(rows, &rows->block[G->block[k]]);
  for (int k = 0; k < G->n_others; k++) dls_push_block(rows, &rows->block[G->other[k].block]);
}
