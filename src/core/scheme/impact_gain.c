/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_gain.h"

#include "core/rows/mass.h"

/* Rows of a contact by what opposes them, after the normal: friction, spinning, rolling. */
static int parts_of(int dim, int n, int from[4]) {
  from[0] = 1, from[1] = dim, from[2] = dim + 1, from[3] = n;
  return n <= dim ? n > 1 : dim;
}

bool dls_block_charge(const dls_step *S, const dls_contact_stage *C, int k, dls_impact_sum *sum) {
  const dls_rows *rows = &S->rows;
  const dls_block *block = &rows->block[k];
  const bool contact = block->source >= 0;
  double work[DLS_NB(3)] = {0};
  if (contact ? rows->gamma[block->row] > 0 : block->kind != DLS_ROW_UNILATERAL) return false;
  for (int i = block->row; i < block->row + block->n; i++) {
    const double drift = i == block->row || !contact ? C->drift[i] : 0, was = sum->all.work;
    const double before = dls_row_speed(S->nu, rows, block, i, S->u_c) + drift;
    const double free = dls_row_speed(S->nu, rows, block, i, S->u_unstruck) + drift;
    dls_impact_strike(sum, rows->p[i], before, free, rows->v[i] + drift);
    work[i - block->row] = sum->all.work - was;
  }
  int from[4];
  for (int part = 0, n = contact ? parts_of(S->dim, block->n, from) : 0; part < n; part++) {
    double along = 0;
    for (int i = from[part]; i < from[part + 1]; i++) along += work[i];
    sum->thrown += dls_max(along, 0);
  }
  if (!contact || !(S->w->contacts_next[block->source].before < 0)) return false;
  return C->bounce[block->row] > 0 || C->tangential[block->row] > 0;
}

/* --- what impulses join ------------------------------------------------------------------------- */

static int root_of(int *root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static bool moves(const dls_rows *rows, int body) {
  return rows->inv_mass[body] > 0 || (rows->tree && rows->tree[body] >= 0);
}

static void join(const dls_rows *rows, int *root, int a, int b) {
  if (!moves(rows, a) || !moves(rows, b)) return;
  const int i = root_of(root, a), j = root_of(root, b);
  root[i > j ? i : j] = i > j ? j : i;
}

/* Whether a contact does nothing; joints join in any case. */
static bool is_idle(const dls_rows *rows, const dls_block *block) {
  bool idle = block->source >= 0;
  for (int i = block->row; i < block->row + block->n; i++) idle = idle && rows->p[i] == 0;
  return idle;
}

static void join_all(const dls_rows *rows, int *root) {
  for (int i = 0; i < rows->n_bodies; i++) root[i] = i;
  for (int i = 0; rows->tree && i < rows->n_bodies; i++)
    if (rows->tree[i] >= 0) join(rows, root, i, rows->tree[i]);
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (is_idle(rows, block)) continue;
    const int own = moves(rows, block->a) ? block->a : block->b;
    const dls_second *s = dls_second_of(rows, block);
    join(rows, root, own, block->b);
    if (s) join(rows, root, own, s->c), join(rows, root, own, s->d);
  }
}

double dls_impact_gain(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                       const dls_account_stage *A, double share) {
  const dls_rows *rows = &S->rows;
  join_all(rows, A->root);
  for (int i = 0; i < rows->n_bodies; i++) A->struck[i] = (dls_impact_sum){0};
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (is_idle(rows, block)) continue;
    dls_impact_sum *sum = &A->struck[root_of(A->root, moves(rows, block->a) ? block->a : block->b)];
    sum->rebounds |= dls_disks_has(disks, k) ? dls_disks_charge(disks, k, S->u_unstruck, sum)
                                             : dls_block_charge(S, C, k, sum);
  }
  double given = 0;
  for (int i = 0; i < rows->n_bodies; i++)
    if (A->struck[i].rebounds) given += dls_impact_told(&A->struck[i], share);
  return given;
}
