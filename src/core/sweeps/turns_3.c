/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/turns_3.h"

enum { ROWS = 3 }; /* of a contact: spinning, two of rolling */

/* The impulses of the contact in lane k: its rows are DLS_SWEEP_LANES apart. */
static double *impulses_of(const dls_groups_3 *G, int k) {
  return G->p + dls_turns_at_3(G) + DLS_GROUP_NUMBERS_3 * (k / DLS_SWEEP_LANES) +
         k % DLS_SWEEP_LANES;
}

/* Row i of a block, times r: L' of its turning of a and of b, its velocity without impulses. */
typedef struct turn_row {
  double a[3], b[3], v; /* 1/sqrt(kg) each; m/s */
} turn_row;

static turn_row read_turn(const dls_rows *rows, const dls_groups_3 *G, const dls_block *block,
                          int row, double r) {
  static const double still[8] = {0};
  const int a = G->place[block->a], b = G->place[block->b];
  const double *J = rows->J + (size_t)row * 12;
  turn_row x;
  dls_root_turn(a >= 0 ? G->root + 8 * a : still, J + 3, x.a);
  dls_root_turn(b >= 0 ? G->root + 8 * b : still, J + 9, x.b);
  for (int i = 0; i < 3; i++) x.a[i] *= r, x.b[i] *= r;
  x.v = r * (dls_row_velocity(6, J, rows->u_free + (size_t)block->a * 6,
                              rows->u_free + (size_t)block->b * 6) +
             rows->s[row]);
  return x;
}

#define PUT_TURN(k, row)                                                                       \
  do {                                                                                         \
    const turn_row x = row;                                                                    \
    t->a##k##0[l] = x.a[0], t->a##k##1[l] = x.a[1], t->a##k##2[l] = x.a[2];                    \
    t->b##k##0[l] = x.b[0], t->b##k##1[l] = x.b[1], t->b##k##2[l] = x.b[2];                    \
    t->v_##k[l] = x.v;                                                                         \
  } while (0)

static void fill_turn(const dls_rows *rows, const dls_groups_3 *G, const dls_block *block,
                      dls_space_turn *t, int l, double *q) {
  const int row = block->row + 3;
  const double r = rows->length[row], *W = rows->W + (size_t)row * 6;
  PUT_TURN(w, read_turn(rows, G, block, row, r));
  PUT_TURN(p, read_turn(rows, G, block, row + 1, r));
  PUT_TURN(q, read_turn(rows, G, block, row + 2, r));
  for (int i = 0; i < ROWS; i++) q[i * DLS_SWEEP_LANES] = rows->p[row + i] / r;
  t->arm_w[l] = block->mu[1] / r;
  t->arm_r[l] = block->mu[2] / r;
  t->w_w[l] = W[3] * r * r;
  t->w_r[l] = dls_max(W[6 + 4], W[12 + 5]) * r * r;
  t->inv_w[l] = t->w_w[l] > 0 ? 1 / t->w_w[l] : 0;
  t->inv_r[l] = t->w_r[l] > 0 ? 1 / t->w_r[l] : 0;
}

void dls_fill_turns_3(const dls_rows *rows, dls_groups_3 *G, int k) {
  dls_space_turn *t = &G->turn[k];
  memset(t, 0, sizeof *t);
  for (int l = 0, at = DLS_SWEEP_LANES * k; l < DLS_SWEEP_LANES; l++, at++) {
    const dls_block *block = G->block[at] >= 0 ? &rows->block[G->block[at]] : NULL;
    if (block && block->kind == DLS_ROW_ROLLING)
      fill_turn(rows, G, block, t, l, impulses_of(G, at));
  }
}

bool dls_turns_fit_float_3(const dls_space_turn *t) {
  bool fits = true;
  for (int l = 0; l < DLS_SWEEP_LANES; l++) {
    const double least = dls_min(t->w_w[l], t->w_r[l]), most = dls_max(t->w_w[l], t->w_r[l]);
    fits &= most == 0 || (least >= DLS_SPACE_LEAST && most <= DLS_SPACE_MOST);
  }
  return fits;
}

void dls_push_turns_3(dls_groups_3 *G) {
  const double *q = G->p + dls_turns_at_3(G);
  for (int k = 0; k < G->n; k++, q += DLS_GROUP_NUMBERS_3)
    for (int l = 0; l < DLS_SWEEP_LANES; l++) {
      const dls_space_turn *t = &G->turn[k];
      const double w = q[l], p = q[DLS_SWEEP_LANES + l], r = q[2 * DLS_SWEEP_LANES + l];
      double *a = G->u + G->group[k].i[l], *b = G->u + G->group[k].j[l];
      a[3] += t->aw0[l] * w + t->ap0[l] * p + t->aq0[l] * r;
      a[4] += t->aw1[l] * w + t->ap1[l] * p + t->aq1[l] * r;
      a[5] += t->aw2[l] * w + t->ap2[l] * p + t->aq2[l] * r;
      b[3] += t->bw0[l] * w + t->bp0[l] * p + t->bq0[l] * r;
      b[4] += t->bw1[l] * w + t->bp1[l] * p + t->bq1[l] * r;
      b[5] += t->bw2[l] * w + t->bp2[l] * p + t->bq2[l] * r;
    }
}

void dls_give_turns_3(dls_rows *rows, const dls_groups_3 *G) {
  for (int k = 0; k < DLS_SWEEP_LANES * G->n; k++) {
    const dls_block *block = G->block[k] >= 0 ? &rows->block[G->block[k]] : NULL;
    if (!block || block->kind != DLS_ROW_ROLLING) continue;
    const double *q = impulses_of(G, k);
    for (int i = 0; i < ROWS; i++)
      rows->p[block->row + 3 + i] = q[i * DLS_SWEEP_LANES] * rows->length[block->row + 3 + i];
  }
}
