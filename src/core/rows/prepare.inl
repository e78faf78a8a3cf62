/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* M^-1 J' and each block's own W; velocities from impulses. */

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
static const double COARSE_LEAST = 1e-12, COARSE_MOST = 1e12;

/* What a normal impulse may turn, as a share of W_nn: nothing that single precision would see. */
static const double OFF_CENTRE = 1e-14;

static bool in_range(double x) { return x >= COARSE_LEAST && x <= COARSE_MOST; }

/* Whether a block is one for rows/round.h. */
static bool is_round_contact(const dls_rows *rows, const dls_block *block) {
  const int row = block->row;
  const double *J = rows->J + (size_t)row * 2 * NU, *W = rows->W + (size_t)row * NB;
  const double j_a = rows->inv_inertia[block->a], j_b = rows->inv_inertia[block->b];
  if (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_UNILATERAL) return false;
  if (J[0] != -J[3] || J[1] != -J[4] || rows->gamma[row] != 0 || !in_range(W[0])) return false;
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

static void prepare(dls_rows *rows) {
  for (int k = 0; k < rows->n_blocks; k++) {
    dls_block *block = &rows->block[k];
    if (block->n == D) prepare_rows(rows, block, D); /* most blocks: of a length that is known */
    else prepare_rows(rows, block, block->n);
    if (block->second > 0) prepare_second(rows, block);
#if D == 2
    block->round = block->second == 0 && is_round_contact(rows, block);
#endif
  }
}

/* u += M^-1 J' p of one block. */
static void push_block(dls_rows *rows, const dls_block *block) {
  double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
  for (int i = block->row; i < block->row + block->n; i++) {
    const double *MJ = rows->MJ + (size_t)i * 2 * NU;
    add_u(u_a, rows->p[i], MJ);
    add_u(u_b, rows->p[i], MJ + NU);
  }
  const dls_second *s = second_of(rows, block);
  if (!s) return;
  add_u(rows->u + (size_t)s->c * NU, rows->p[block->row], s->MK);
  add_u(rows->u + (size_t)s->d * NU, rows->p[block->row], s->MK + NU);
}

/* u = u_free + M^-1 J' p, blocks in order. Most have D rows: those read and write each velocity once. */
static void apply_impulses(dls_rows *rows) {
  memcpy(rows->u, rows->u_free, (size_t)rows->n_bodies * NU * sizeof(double));
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (block->n != D || block->second > 0 || block->a == block->b) {
      push_block(rows, block);
      continue;
    }
    const double *MJ = rows->MJ + (size_t)block->row * 2 * NU, *p = rows->p + block->row;
    double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
    for (int i = 0; i < NU; i++) {
      double at_a = u_a[i], at_b = u_b[i];
      for (int j = 0; j < D; j++) {
        at_a += p[j] * MJ[j * 2 * NU + i];
        at_b += p[j] * MJ[j * 2 * NU + NU + i];
      }
      u_a[i] = at_a;
      u_b[i] = at_b;
    }
  }
  if (rows->tree) apply_to_trees(rows);
}
