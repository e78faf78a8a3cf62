/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/compact.h"

/* What a normal impulse may turn, as a share of W_nn: nothing that single precision would see. */
static const double OFF_CENTRE = 1e-14;

/* By how much a normal's square may differ from 1. */
static const double OFF_UNIT = 1e-12;

/* Single precision serves where 1/W and W are far from its ends. */
static bool in_range(double x) { return x >= DLS_SINGLE_LEAST && x <= DLS_SINGLE_MOST; }

bool dls_disks_fit(const dls_rows *rows, const dls_block *block) {
  const int row = block->row;
  const double *J = rows->J + (size_t)row * 6, *W = rows->W + (size_t)row * 3;
  const double j_a = rows->inv_inertia[block->a], j_b = rows->inv_inertia[block->b];
  if (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_UNILATERAL) return false;
  if (J[0] != -J[3] || J[1] != -J[4] || rows->gamma[row] != 0 || !in_range(W[0])) return false;
  if (!(fabs(J[3] * J[3] + J[4] * J[4] - 1) <= OFF_UNIT)) return false;
  if (!(J[2] * J[2] * j_a + J[5] * J[5] * j_b <= OFF_CENTRE * W[0])) return false;
  return block->kind == DLS_ROW_UNILATERAL || (rows->gamma[row + 1] == 0 && in_range(W[4]));
}

void dls_disks_write(dls_rows *rows, int k) {
  const int row = rows->block[k].row;
  dls_disk_rows(&dls_disk_contacts(rows)[k], rows->J + (size_t)row * 6);
  rows->gamma[row] = rows->gamma[row + 1] = 0;
  rows->length[row] = rows->length[row + 1] = 1;
}

static inline void push(const dls_rows *rows, const dls_disk_contact *c, const double *p) {
  double *u_a = rows->u + (size_t)c->a * 3, *u_b = rows->u + (size_t)c->b * 3;
  const double x = c->nx * p[0] + c->ny * p[1], y = c->ny * p[0] - c->nx * p[1];
  const double m_a = rows->inv_mass[c->a], m_b = rows->inv_mass[c->b];
  u_a[0] -= m_a * x, u_a[1] -= m_a * y, u_a[2] += rows->inv_inertia[c->a] * (c->turn_a * p[1]);
  u_b[0] += m_b * x, u_b[1] += m_b * y, u_b[2] += rows->inv_inertia[c->b] * (c->turn_b * p[1]);
}

void dls_disks_push(const dls_rows *rows, int first, int end) {
  const dls_disk_contact *c = dls_disk_contacts(rows) + first, *const last =
                                                                   dls_disk_contacts(rows) + end;
  const double *p = rows->p + rows->block[first].row;
  if (end - first == 1) {
    push(rows, c, p);
    return;
  }
  const dls_rows own = *rows; /* what is written can be no part of it */
  for (; c < last; c++, p += 2) push(&own, c, p);
}
