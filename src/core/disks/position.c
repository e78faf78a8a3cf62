/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/disks.h"

#include <string.h>

#include "core/base/bits.h"
#include "core/disks/position_lanes.h"
#include "core/math/colour.h"
#include "core/math/momentum.h"

enum { LANES = DLS_POSITION_LANES };

/* Bound of beta, and the growth of |d|^2 over the least at which momentum starts again. */
static const double BETA_MAX = 0.95, RESTART_GROWTH = 4;

/* The start of pi for contacts that are to be closed, which may pull: so many of the widest gap of
** these. */
static const float PULL = 256;

typedef struct sweeping {
  const dls_position_lanes *lanes; /* the path of this processor */
  int n_groups, n_x;         /* groups of contacts; numbers of x */
  dls_position_group *group; /* n_groups                                                  */
  float *pi, *pi_old; /* LANES n_groups: after the last sweep and the one before          */
  float *x, *x_old;   /* n_x: shifts of bodies by their numbers, behind them one that stays */
  uint64_t *taken;    /* n_bodies: colours of its contacts                                */
  int *place;         /* n: colour of a contact, and its number among those of it         */
  int *order;         /* LANES n_groups: contact of each lane                             */
  float widest;       /* of the gaps that are to be closed                                */
} sweeping;

void dls_disks_find_gaps(int n, const dls_near *pairs, const dls_spot2 *spots,
                         const unsigned char *holds, const dls_position_sight *by,
                         dls_position_contact *out, int *general, dls_position_found *found) {
  dls_position_lanes_best()->disks(n, &pairs->a, spots, holds, by, out, general, found);
}

double dls_disks_worst(int n, const dls_near *pairs, const dls_spot2 *spots) {
  return dls_position_lanes_best()->worst(n, &pairs->a, spots);
}

size_t dls_disks_numbers(int n_bodies) {
  return (DLS_POSITION_BODY * ((size_t)n_bodies + 1) + LANES - 1) & ~(size_t)(LANES - 1);
}

size_t dls_disks_position_bytes(int n, int n_bodies) {
  const size_t groups = (size_t)n / LANES + DLS_COLOURS;
  size_t total = dls_arena_bytes((size_t)n_bodies, sizeof(uint64_t));
  total = dls_bytes_add(total, dls_arena_bytes((size_t)n, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(dls_disks_numbers(n_bodies), sizeof(float)));
  total = dls_bytes_add(total, dls_arena_bytes(LANES * groups, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(groups, sizeof(dls_position_group)));
  return dls_bytes_add(total, dls_arena_bytes(2 * LANES * groups, sizeof(float)));
}

/* Colours first fit: the lowest that neither body has yet. Counts those of each colour; answers how
** many colours, DLS_COLOURS + 1 where they do not suffice. Finds the widest of the gaps that are to
** be closed. */
static int colour(int n, const dls_position_contact *contact, const double *inv_mass, sweeping *X,
                  int *count) {
  uint64_t *taken = X->taken, all = 0;
  float widest = 0;
  memset(count, 0, DLS_COLOURS * sizeof *count);
  for (int k = 0; k < n; k++) {
    const int a = contact[k].a, b = contact[k].b;
    uint64_t none = 0, *of_a = inv_mass[a] > 0 ? &taken[a] : &none,
             *of_b = inv_mass[b] > 0 ? &taken[b] : &none;
    const int c = dls_first_fit(of_a, of_b, DLS_COLOURS);
    if (c == DLS_COLOURS) return DLS_COLOURS + 1;
    all |= (uint64_t)1 << c;
    widest = contact[k].start * contact[k].gap > widest ? contact[k].gap : widest;
    X->place[k] = c + DLS_COLOURS * count[c]++;
  }
  X->widest = widest;
  return all == 0 ? 0 : 1 + dls_highest_bit(all);
}

static dls_status make_groups(int n, dls_position_contact *contact, const double *inv_mass,
                              int n_bodies, dls_arena *tmp, sweeping *X) {
  int start[DLS_COLOURS], count[DLS_COLOURS], total = 0;
  const int colours = colour(n, contact, inv_mass, X, count);
  if (colours > DLS_COLOURS) return DLS_OK;
  for (int c = 0; c < colours; c++) {
    start[c] = LANES * total;
    total += (count[c] + LANES - 1) / LANES;
  }
  X->order = DLS_TAKE(tmp, int, LANES * (size_t)total);
  X->group = DLS_TAKE(tmp, dls_position_group, total);
  X->pi = DLS_TAKE(tmp, float, 2 * LANES * (size_t)total);
  if (!X->order || !X->group || !X->pi) return DLS_FULL;
  X->pi_old = X->pi + LANES * (size_t)total;
  X->n_groups = total;
  for (int k = 0; k < n; k++)
    X->order[start[X->place[k] % DLS_COLOURS] + X->place[k] / DLS_COLOURS] = k;
  /* lanes without a contact: an open one of the body that stays */
  contact[n] = (dls_position_contact){.gap = 1, .a = n_bodies, .b = n_bodies};
  for (int c = 0; c < colours; c++)
    for (; count[c] % LANES != 0; count[c]++) X->order[start[c] + count[c]] = n;
  X->lanes->fill(total, X->order, contact, PULL * X->widest, X->group, X->pi);
  memcpy(X->pi_old, X->pi, LANES * (size_t)total * sizeof *X->pi);
  return DLS_OK;
}

static void change_places(float **x, float **y) {
  float *kept = *x;
  *x = *y;
  *y = kept;
}

/* Nesterov's momentum, from nothing again where the sweeps turn against it. Answers whether all
** stayed numbers. */
static bool sweep(sweeping *X, double left, int most) {
  double t = 1, beta = 0, best = DLS_INF;
  for (int i = 0; i < most; i++) {
    const dls_position_change c =
        X->lanes->sweep(X->n_groups, X->group, (float)beta, X->pi, X->pi_old, X->x);
    change_places(&X->pi, &X->pi_old);
    if (!(c.dd < DLS_INF)) return false;
    if (c.most <= left * left || i == most - 1) break;
    if (c.restart_dot > 0 || c.dd > RESTART_GROWTH * best) t = 1;
    best = dls_min(best, c.dd);
    beta = dls_min(dls_momentum_share(&t), BETA_MAX);
    X->lanes->mix(X->n_x, (float)beta, X->x, X->x_old);
    change_places(&X->x, &X->x_old);
  }
  return true;
}

dls_status dls_disks_move_apart(int n, dls_position_contact *contact, int n_bodies,
                                const double *inv_mass, double left, int most, dls_arena *tmp,
                                float *dq, bool *done) {
  const size_t mark = dls_arena_mark(tmp);
  sweeping X = {
      .lanes = dls_position_lanes_best(), .n_x = (int)dls_disks_numbers(n_bodies), .x = dq};
  X.taken = DLS_TAKE(tmp, uint64_t, n_bodies);
  X.place = DLS_TAKE(tmp, int, n);
  X.x_old = DLS_TAKE(tmp, float, X.n_x);
  *done = false;
  if (!X.taken || !X.place || !X.x_old) return DLS_FULL;
  memset(X.taken, 0, (size_t)n_bodies * sizeof *X.taken);
  memset(X.x, 0, (size_t)X.n_x * sizeof *X.x);
  memset(X.x_old, 0, (size_t)X.n_x * sizeof *X.x);
  const dls_status status = make_groups(n, contact, inv_mass, n_bodies, tmp, &X);
  if (status == DLS_OK && X.n_groups > 0 && sweep(&X, left, most)) {
    if (X.x != dq) memcpy(dq, X.x, (size_t)X.n_x * sizeof *dq);
    *done = true;
  }
  dls_arena_release(tmp, mark);
  return status;
}
