/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* M^-1 J' and the own W of a block that is written out. */

/* The other two bodies of a gear's row, and what they share with the first two. */
static void prepare_second(dls_rows *rows, const dls_block *block) {
  dls_second *s = second_of(rows, block);
  const int row = block->row;
  apply_inverse(rows, s->c, s->K, s->MK);
  apply_inverse(rows, s->d, s->K + NU, s->MK + NU);
  rows->W[(size_t)row * NB] = coupling(rows, block, 0, block, 0);
}

#if D == 2
/* Single precision serves where 1/W and W are far from its ends. */
static const double COARSE_LEAST = DLS_LEAN_LEAST, COARSE_MOST = DLS_LEAN_MOST;

/* What a normal impulse may turn, as a share of W_nn: nothing that single precision would see. */
static const double OFF_CENTRE = 1e-14;

/* By how much a normal's square may differ from 1. */
static const double OFF_UNIT = 1e-12;

static bool in_range(double x) { return x >= COARSE_LEAST && x <= COARSE_MOST; }

/* Whether a block is one for rows/round.h. */
static bool is_round_contact(const dls_rows *rows, const dls_block *block) {
  const int row = block->row;
  const double *J = rows->J + (size_t)row * 2 * NU, *W = rows->W + (size_t)row * NB;
  const double j_a = rows->inv_inertia[block->a], j_b = rows->inv_inertia[block->b];
  if (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_UNILATERAL) return false;
  if (J[0] != -J[3] || J[1] != -J[4] || rows->gamma[row] != 0 || !in_range(W[0])) return false;
  if (!(fabs(J[3] * J[3] + J[4] * J[4] - 1) <= OFF_UNIT)) return false;
  if (!(J[2] * J[2] * j_a + J[5] * J[5] * j_b <= OFF_CENTRE * W[0])) return false;
  return block->kind == DLS_ROW_UNILATERAL || (rows->gamma[row + 1] == 0 && in_range(W[NB + 1]));
}
#endif

/* n rows of a block. */
static inline void prepare_rows(dls_rows *rows, const dls_block *block, int n) {
  const double *J = rows->J + (size_t)block->row * 2 * NU;
  double *MJ = rows->MJ + (size_t)block->row * 2 * NU, *W = rows->W + (size_t)block->row * NB;
  for (int i = 0; i < n; i++) {
    apply_inverse(rows, block->a, J + i * 2 * NU, MJ + i * 2 * NU);
    apply_inverse(rows, block->b, J + i * 2 * NU + NU, MJ + i * 2 * NU + NU);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      W[i * NB + j] = W[j * NB + i] =
          row_velocity(J + i * 2 * NU, MJ + j * 2 * NU, MJ + j * 2 * NU + NU);
}

static void prepare_block(dls_rows *rows, dls_block *block) {
  if (block->n == D) prepare_rows(rows, block, D); /* most blocks: of a length that is known */
  else prepare_rows(rows, block, block->n);
  if (block->second > 0) prepare_second(rows, block);
#if D == 2
  block->round = block->second == 0 && is_round_contact(rows, block);
#endif
  rows->n_odd += !block->round;
}
