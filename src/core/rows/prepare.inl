/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* M^-1 J' and each block's own W; velocities from impulses. */

/* The other two bodies of a gear's row, and what they share with the first two. */
static void prepare_second(dls_rows *rows, const dls_block *block) {
  dls_second *s = second_of(rows, block);
  const int row = block->row;
  apply_inverse(rows, s->c, s->K, s->MK);
  apply_inverse(rows, s->d, s->K + NU, s->MK + NU);
  rows->v[row] = row_speed(rows, block, row, rows->u);
  rows->W[(size_t)row * NB] = coupling(rows, block, 0, block, 0);
}

static void prepare(dls_rows *rows) {
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    const double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
    for (int i = block->row; i < block->row + block->n; i++) {
      const double *J = rows->J + (size_t)i * 2 * NU;
      double *MJ = rows->MJ + (size_t)i * 2 * NU;
      apply_inverse(rows, block->a, J, MJ);
      apply_inverse(rows, block->b, J + NU, MJ + NU);
      rows->v[i] = row_velocity(J, u_a, u_b);
    }
    for (int i = 0; i < block->n; i++)
      for (int j = 0; j <= i; j++) {
        const double *J = rows->J + (size_t)(block->row + i) * 2 * NU;
        const double *MJ = rows->MJ + (size_t)(block->row + j) * 2 * NU;
        double w = row_velocity(J, MJ, MJ + NU);
        rows->W[(size_t)(block->row + i) * NB + j] = w;
        rows->W[(size_t)(block->row + j) * NB + i] = w;
      }
    if (block->second > 0) prepare_second(rows, block);
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

/* u = u_free + M^-1 J' p, blocks in order. */
static void apply_impulses(dls_rows *rows) {
  memcpy(rows->u, rows->u_free, (size_t)rows->n_bodies * NU * sizeof(double));
  for (int k = 0; k < rows->n_blocks; k++) push_block(rows, &rows->block[k]);
  if (rows->tree) apply_to_trees(rows);
}
