/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/press.h"

#include <string.h>

#include "core/rows/round.h"

enum { COLOURS = 64, LANES = DLS_ROUND_LANES, PARTS = DLS_ROUND_PARTS * LANES };

/* Momentum's bound, and the growth of |f|^2 over the least at which it starts again. */
static const double HASTE = 0.95, BLOWN = 4;

/* What a touch that is to be closed may pull: so many of the widest gap of these. */
static const double PULL = 256;

typedef struct work {
  const dls_round_lanes *lanes;
  int n_groups, n_u;
  dls_round_group *group; /* n_groups                                                   */
  float *p, *p_old;       /* PARTS n_groups: after the last sweep and the one before    */
  float *u, *u_old;       /* n_u: bodies by their numbers, behind them one that stays    */
  double *root;           /* n_bodies: (inverse mass / the largest)^(1/2)                */
  uint64_t *taken;        /* n_bodies: colours of its touches                            */
  unsigned char *colour;  /* n                                                          */
  double unit;            /* the least size, m: lengths are measured in it               */
  double pull;            /* the most that one may pull, in it                           */
} work;

static size_t numbers_of(int n_bodies) { return (DLS_ROUND_BODY * ((size_t)n_bodies + 1) + 15) & ~(size_t)15; }

size_t dls_press_bytes(int n, int n_bodies) {
  const size_t bodies = (size_t)n_bodies, groups = (size_t)n / LANES + COLOURS;
  size_t total = dls_arena_bytes(bodies, sizeof(double));
  total = dls_bytes_add(total, dls_arena_bytes(bodies, sizeof(uint64_t)));
  total = dls_bytes_add(total, dls_arena_bytes((size_t)n, 1));
  total = dls_bytes_add(total, dls_arena_bytes(2 * numbers_of(n_bodies), sizeof(float)));
  total = dls_bytes_add(total, dls_arena_bytes(groups, sizeof(dls_round_group)));
  return dls_bytes_add(total, dls_arena_bytes(2 * PARTS * groups, sizeof(float)));
}

/* Colours first fit: the lowest that neither body has yet. Counts those of each colour; answers how many colours,
** COLOURS + 1 where they do not suffice. */
static int colour(int n, const dls_press *touch, const double *inv_mass, work *X, int *count) {
  int most = 0;
  for (int k = 0; k < n; k++) {
    const int a = touch[k].a, b = touch[k].b;
    const bool moves_a = inv_mass[a] > 0, moves_b = inv_mass[b] > 0;
    const uint64_t both = (moves_a ? X->taken[a] : 0) | (moves_b ? X->taken[b] : 0);
    if (both == ~(uint64_t)0) return COLOURS + 1;
    const int c = __builtin_ctzll(~both);
    if (moves_a) X->taken[a] |= (uint64_t)1 << c;
    if (moves_b) X->taken[b] |= (uint64_t)1 << c;
    X->colour[k] = (unsigned char)c;
    for (; most <= c; most++) count[most] = 0;
    count[c]++;
  }
  return most;
}

/* Measured so that J M^-1 J' and masses are 1 (round.h), without friction. */
static void fill(const dls_press *c, int stays, const work *X, int at) {
  dls_round_group *g = &X->group[at / LANES];
  const int l = at % LANES;
  const double a = X->root[c->a], b = X->root[c->b], by = 1 / sqrt(a * a + b * b), length = by / X->unit;
  g->nx[l] = (float)c->nx, g->ny[l] = (float)c->ny;
  g->wa[l] = (float)(a * by), g->wb[l] = (float)(b * by);
  g->s_n[l] = (float)(c->gap * length);
  const double scale = 1 / (length * c->size); /* a change of P as a share of the size */
  g->w[l] = (float)(scale * scale);
  g->i[l] = DLS_ROUND_BODY * (a > 0 ? c->a : stays), g->j[l] = DLS_ROUND_BODY * (b > 0 ? c->b : stays);
  /* A sweep cuts P at zero and uses but its changes: what may pull starts from above. */
  X->p[PARTS * (at / LANES) + l] = c->both ? (float)(X->pull * by) : 0;
}

/* A lane without a touch: apart from everything. */
static void leave(int stays, const work *X, int at) {
  dls_round_group *g = &X->group[at / LANES];
  const int l = at % LANES;
  g->s_n[l] = 1;
  g->i[l] = g->j[l] = DLS_ROUND_BODY * stays;
}

static dls_status take_room(int n, int n_bodies, dls_arena *tmp, work *X) {
  X->root = DLS_TAKE(tmp, double, n_bodies);
  X->taken = DLS_TAKE(tmp, uint64_t, n_bodies);
  X->colour = DLS_TAKE(tmp, unsigned char, n);
  X->n_u = (int)numbers_of(n_bodies);
  X->u = DLS_TAKE(tmp, float, 2 * (size_t)X->n_u);
  if (!X->root || !X->taken || !X->colour || !X->u) return DLS_FULL;
  X->u_old = X->u + X->n_u;
  memset(X->taken, 0, (size_t)n_bodies * sizeof *X->taken);
  memset(X->u, 0, 2 * (size_t)X->n_u * sizeof *X->u);
  return DLS_OK;
}

/* What lengths and masses are measured in. */
static void measure(int n, const dls_press *touch, int n_bodies, const double *inv_mass, work *X) {
  double most = 0, widest = 0;
  X->unit = DLS_INF;
  for (int i = 0; i < n_bodies; i++) most = dls_max(most, inv_mass[i]);
  for (int i = 0; i < n_bodies; i++) X->root[i] = sqrt(inv_mass[i] / most);
  for (int k = 0; k < n; k++) {
    X->unit = dls_min(X->unit, touch[k].size);
    if (touch[k].both) widest = dls_max(widest, fabs(touch[k].gap));
  }
  X->pull = PULL * widest / X->unit;
}

static dls_status make_groups(int n, const dls_press *touch, const double *inv_mass, int n_bodies, dls_arena *tmp,
                              work *X) {
  int at[COLOURS + 1], total = 0;
  const int colours = colour(n, touch, inv_mass, X, at);
  if (colours > COLOURS) return DLS_OK;
  for (int c = 0; c < colours; c++) {
    const int count = (at[c] + LANES - 1) / LANES;
    at[c] = LANES * total;
    total += count;
  }
  X->group = DLS_TAKE(tmp, dls_round_group, total);
  X->p = DLS_TAKE(tmp, float, 2 * PARTS * (size_t)total);
  if (!X->group || !X->p) return DLS_FULL;
  X->p_old = X->p + PARTS * (size_t)total;
  memset(X->group, 0, (size_t)total * sizeof *X->group);
  memset(X->p, 0, PARTS * (size_t)total * sizeof *X->p);
  for (int k = 0; k < n; k++) fill(&touch[k], n_bodies, X, at[X->colour[k]]++);
  for (int c = 0; c < colours; c++)
    while (at[c] % LANES != 0) leave(n_bodies, X, at[c]++);
  X->n_groups = total;
  memcpy(X->p_old, X->p, PARTS * (size_t)total * sizeof *X->p);
  return DLS_OK;
}

/* Nesterov's momentum, from nothing again where the sweeps turn against it. Answers whether all stayed numbers. */
static bool sweep(work *X, double left, int most) {
  double t = 1, beta = 0, best = DLS_INF;
  for (int i = 0; i < most; i++) {
    const dls_round_change c =
        X->lanes->sweep(X->n_groups, 0, X->group, (float)beta, X->p, X->p_old, X->u);
    dls_round_change_places(&X->p, &X->p_old);
    if (!(c.ff < DLS_INF)) return false;
    if (c.most <= left * left || i == most - 1) break;
    if (c.turn > 0 || c.ff > BLOWN * best) t = 1;
    best = dls_min(best, c.ff);
    const double next = 0.5 * (1 + sqrt(1 + 4 * t * t));
    beta = dls_min((t - 1) / next, HASTE);
    t = next;
    X->lanes->mix(X->n_u, (float)beta, X->u, X->u_old);
    dls_round_change_places(&X->u, &X->u_old);
  }
  return true;
}

dls_status dls_press_apart(int n, const dls_press *touch, int n_bodies, const double *inv_mass, double left,
                           int most, dls_arena *tmp, double *dq, bool *done) {
  const size_t mark = dls_arena_mark(tmp);
  work X = {.lanes = dls_round_lanes_best()};
  *done = false;
  dls_status status = take_room(n, n_bodies, tmp, &X);
  if (status != DLS_OK) return status;
  measure(n, touch, n_bodies, inv_mass, &X);
  status = make_groups(n, touch, inv_mass, n_bodies, tmp, &X);
  if (status == DLS_OK && X.n_groups > 0 && sweep(&X, left, most)) {
    for (int i = 0; i < n_bodies; i++)
      for (int k = 0; k < 2; k++) dq[2 * i + k] = X.unit * X.root[i] * (double)X.u[DLS_ROUND_BODY * i + k];
    *done = true;
  }
  dls_arena_release(tmp, mark);
  return status;
}
