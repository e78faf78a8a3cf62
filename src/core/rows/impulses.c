/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/impulses.h"

#include "core/rows/coupling.h"
#include "core/rows/special.h"
#include "core/rows/tree_rows.h"

/* --- M^-1 J' and own W ------------------------------------------------------------------------ */

/* n rows of a block. */
DLS_WITH_NU void prepare_rows(int nu, int nb, dls_rows *rows, const dls_block *block, int n) {
  const double *J = rows->J + (size_t)block->row * 2 * (size_t)nu;
  double *MJ = rows->MJ + (size_t)block->row * 2 * (size_t)nu,
         *W = rows->W + (size_t)block->row * (size_t)nb;
  DLS_UNROLL
  for (int i = 0; i < n; i++) {
    dls_apply_inverse(nu, rows, block->a, J + i * 2 * nu, MJ + i * 2 * nu);
    dls_apply_inverse(nu, rows, block->b, J + i * 2 * nu + nu, MJ + i * 2 * nu + nu);
  }
  DLS_UNROLL
  for (int i = 0; i < n; i++)
    DLS_UNROLL
    for (int j = 0; j <= i; j++)
      W[i * nb + j] = W[j * nb + i] =
          dls_row_velocity(nu, J + i * 2 * nu, MJ + j * 2 * nu, MJ + j * 2 * nu + nu);
}

void dls_prepare_rows(dls_rows *rows, const dls_block *block, int n) {
  /* most blocks: of a length that is known */
  if (rows->nu == 3 && n == 2) prepare_rows(3, 3, rows, block, 2);
  else if (rows->nu == 3) prepare_rows(3, 3, rows, block, n);
  else if (n == 3) prepare_rows(6, 6, rows, block, 3);
  else prepare_rows(6, 6, rows, block, n);
}

/* The other two bodies of a gear's row, and what they share with the first two. */
static void prepare_second(dls_rows *rows, const dls_block *block) {
  dls_second *s = dls_second_of(rows, block);
  const int nu = rows->nu;
  dls_apply_inverse(nu, rows, s->c, s->K, s->MK);
  dls_apply_inverse(nu, rows, s->d, s->K + nu, s->MK + nu);
  rows->W[(size_t)(block->row * rows->nb)] = dls_coupling(rows, block, 0, block, 0);
}

static void prepare_block(dls_rows *rows, dls_block *block) {
  dls_prepare_rows(rows, block, block->n);
  if (block->second > 0) prepare_second(rows, block);
  block->special = rows->special && block->second == 0 && rows->special->fits(rows, block);
  rows->n_general += !block->special;
}

void dls_rows_prepare(dls_rows *rows, bool stay_compact) {
  rows->n_general = 0;
  for (int run = 0, k = 0;; k = dls_run_end(rows, run++)) {
    for (const int end = dls_whole_until(rows, run); k < end; k++)
      prepare_block(rows, &rows->block[k]);
    if (run == rows->n_compact) break;
  }
  if (!stay_compact) dls_write_out_all(rows);
}

/* --- velocities from impulses ----------------------------------------------------------------- */

DLS_WITH_NU void push_block(int nu, dls_rows *rows, const dls_block *block) {
  if (block->compact) {
    const int k = (int)(block - rows->block);
    rows->special->push(rows, k, k + 1);
    return;
  }
  double *u_a = rows->u + (size_t)block->a * (size_t)nu,
         *u_b = rows->u + (size_t)block->b * (size_t)nu;
  for (int i = block->row; i < block->row + block->n; i++) {
    const double *MJ = rows->MJ + (size_t)i * 2 * (size_t)nu;
    dls_add_u(nu, u_a, rows->p[i], MJ);
    dls_add_u(nu, u_b, rows->p[i], MJ + nu);
  }
  const dls_second *s = dls_second_of(rows, block);
  if (!s) return;
  dls_add_u(nu, rows->u + (size_t)s->c * (size_t)nu, rows->p[block->row], s->MK);
  dls_add_u(nu, rows->u + (size_t)s->d * (size_t)nu, rows->p[block->row], s->MK + nu);
}

void dls_push_block(dls_rows *rows, const dls_block *block) {
  if (rows->nu == 3) push_block(3, rows, block);
  else push_block(6, rows, block);
}

/* Most blocks have as many rows as there are dimensions, n: those read and write each velocity
** once. */
DLS_WITH_NU void push_whole(int nu, int n, dls_rows *rows, const dls_block *block) {
  if (block->n != n || block->second > 0 || block->a == block->b) {
    dls_push_block(rows, block);
    return;
  }
  const double *MJ = rows->MJ + (size_t)block->row * 2 * (size_t)nu, *p = rows->p + block->row;
  double *u_a = rows->u + (size_t)block->a * (size_t)nu,
         *u_b = rows->u + (size_t)block->b * (size_t)nu;
  for (int i = 0; i < nu; i++) {
    double at_a = u_a[i], at_b = u_b[i];
    DLS_UNROLL
    for (int j = 0; j < n; j++) {
      at_a += p[j] * MJ[j * 2 * nu + i];
      at_b += p[j] * MJ[j * 2 * nu + nu + i];
    }
    u_a[i] = at_a;
    u_b[i] = at_b;
  }
}

void dls_apply_impulses(dls_rows *rows) {
  const int nu = rows->nu;
  memcpy(rows->u, rows->u_free, (size_t)rows->n_bodies * (size_t)nu * sizeof(double));
  for (int run = 0, k = 0;; k = dls_run_end(rows, run++)) {
    const int end = dls_whole_until(rows, run);
    if (nu == 3) for (; k < end; k++) push_whole(3, 2, rows, &rows->block[k]);
    else for (; k < end; k++) push_whole(6, 3, rows, &rows->block[k]);
    if (run == rows->n_compact) break;
    rows->special->push(rows, rows->compact_run[2 * run], dls_run_end(rows, run));
  }
  if (rows->tree) dls_apply_to_trees(rows);
}

/* Contacts, of d rows, by whole columns. */
DLS_WITH_NU void push_island(int nu, int d, dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (block->n == d) {
      push_whole(nu, d, rows, block);
      continue;
    }
    double *u_a = rows->u + (size_t)block->a * (size_t)nu,
           *u_b = rows->u + (size_t)block->b * (size_t)nu;
    for (int i = block->row; i < block->row + block->n; i++) {
      dls_add_u(nu, u_a, rows->p[i], rows->MJ + (size_t)i * 2 * (size_t)nu);
      dls_add_u(nu, u_b, rows->p[i], rows->MJ + (size_t)i * 2 * (size_t)nu + nu);
    }
  }
}

void dls_push_island(dls_rows *rows, const int *blocks, int n, const int *body, int n_bodies) {
  const size_t nu = (size_t)rows->nu;
  for (int i = 0; i < n_bodies; i++)
    memcpy(rows->u + (size_t)body[i] * nu, rows->u_free + (size_t)body[i] * nu,
           nu * sizeof(double));
  if (nu == 3) push_island(3, 2, rows, blocks, n);
  else push_island(6, 3, rows, blocks, n);
}
