/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_COUPLING_H
#define DLS_ROWS_COUPLING_H

#include "core/rows/mass.h"

/* Where a row acts: a body, J and M^-1 J' there, nu numbers each. */
typedef struct dls_arm {
  int body; /* -1: none */
  const double *J, *MJ; /* nu: the row there; its answer */
} dls_arm;

/* Those of row i of a block: two, or four of a gear's. Answers how many. */
static inline int dls_arms_of(int nu, const dls_rows *rows, const dls_block *block, int i,
                              dls_arm out[4]) {
  const size_t at = (size_t)(block->row + i) * 2 * (size_t)nu;
  out[0] = (dls_arm){block->a, rows->J + at, rows->MJ + at};
  out[1] = (dls_arm){block->b, rows->J + at + nu, rows->MJ + at + nu};
  const dls_second *s = dls_second_of(rows, block);
  if (!s) return 2;
  out[2] = (dls_arm){s->c, s->K, s->MK};
  out[3] = (dls_arm){s->d, s->K + nu, s->MK + nu};
  return 4;
}

/* W_ij of row i of block x and row j of block y: the sum over the bodies that both act on. */
double dls_coupling(const dls_rows *rows, const dls_block *x, int i, const dls_block *y, int j);

/* Whether blocks may share a body. */
static inline bool dls_blocks_meet(const dls_block *x, const dls_block *y) {
  if (x->second > 0 || y->second > 0) return true;
  return x->a == y->a || x->a == y->b || x->b == y->a || x->b == y->b;
}

#endif
