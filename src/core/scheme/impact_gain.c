/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_gain.h"

#include "core/base/union_find.h"
#include "core/model/rebounds.h"
#include "core/rows/mass.h"

bool dls_block_rebounds(const dls_step *S, const dls_contact_stage *C, const dls_block *block) {
  if (block->source < 0 || S->rows.gamma[block->row] > 0) return false;
  return S->w->contacts_next[block->source].before < 0 &&
         (C->bounce[block->row] > 0 || C->tangential[block->row] > 0);
}

/* Work of a block that is no disk contact (disks/disks.h), added to *sum where it strikes: a rigid
** contact, a limit of a joint. Rows of a contact after the normal by what opposes them: friction,
** spinning, rolling. */
static void charge(const dls_step *S, const dls_contact_stage *C, const dls_block *block,
                   const double *more, double fallen, dls_impact_sum *sum) {
  const dls_rows *rows = &S->rows;
  const bool contact = block->source >= 0;
  const int last[] = {S->dim - 1, S->dim, block->n - 1}; /* rows of the parts */
  double along = 0;
  if (contact ? rows->gamma[block->row] > 0 : block->kind != DLS_ROW_UNILATERAL) return;
  for (int i = block->row, part = 0; i < block->row + block->n; i++) {
    const double drift = i == block->row || !contact ? C->drift[i] : 0, was = sum->all.work;
    const double before = dls_row_speed(S->nu, rows, block, i, S->u_c) + drift;
    const double free = dls_row_speed(S->nu, rows, block, i, S->u_unstruck) + drift;
    dls_impact_strike(sum, rows->p[i] + (more ? more[i] : 0), before, free, rows->v[i] + drift,
                      fallen);
    if (i == block->row) continue;
    along += sum->all.work - was;
    if (i - block->row < last[part]) continue;
    sum->thrown += dls_max(along, 0);
    along = 0, part++;
  }
  sum->rebounds |= dls_block_rebounds(S, C, block);
}

/* --- what impulses join ----------------------------------------------------------------------- */

static bool moves(const dls_rows *rows, int body) {
  return rows->inv_mass[body] > 0 || (rows->tree && rows->tree[body] >= 0);
}

static void join(const dls_rows *rows, int *root, int a, int b) {
  if (moves(rows, a) && moves(rows, b)) dls_unite(root, a, b);
}

/* Whether a contact does nothing; joints join in any case. */
static bool is_idle(const dls_rows *rows, const dls_block *block, const double *more) {
  bool idle = block->source >= 0;
  for (int i = block->row; i < block->row + block->n; i++)
    idle = idle && rows->p[i] == 0 && !(more && more[i] != 0);
  return idle;
}

static void join_all(const dls_rows *rows, const double *more, int *root) {
  for (int i = 0; i < rows->n_bodies; i++) root[i] = i;
  for (int i = 0; rows->tree && i < rows->n_bodies; i++)
    if (rows->tree[i] >= 0) join(rows, root, i, rows->tree[i]);
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (is_idle(rows, block, more)) continue;
    const int own = moves(rows, block->a) ? block->a : block->b;
    const dls_second *s = dls_second_of(rows, block);
    join(rows, root, own, block->b);
    if (s) join(rows, root, own, s->c), join(rows, root, own, s->d);
  }
}

static dls_impact_sum *sum_at(const dls_rows *rows, const dls_account_stage *A,
                              const dls_block *block) {
  return &A->struck[dls_root_of(A->root, moves(rows, block->a) ? block->a : block->b)];
}

/* Work by what impulses join, those of rows and `more`, by row; NULL: no more. */
static void charge_all(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                       const dls_account_stage *A, const double *more, double fallen) {
  const dls_rows *rows = &S->rows;
  join_all(rows, more, A->root);
  for (int i = 0; i < rows->n_bodies; i++) A->struck[i] = (dls_impact_sum){0};
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (is_idle(rows, block, more)) continue;
    dls_impact_sum *sum = sum_at(rows, A, block);
    if (dls_disks_has(disks, k)) sum->rebounds |= dls_disks_charge(disks, k, S->u_unstruck, sum);
    else charge(S, C, block, more, fallen, sum);
  }
}

double dls_impact_gain(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                       const dls_account_stage *A, double share) {
  charge_all(S, C, disks, A, NULL, dls_impact_fallen(S->w->gravity, S->h));
  double given = 0;
  for (int i = 0; i < S->rows.n_bodies; i++)
    if (A->struck[i].rebounds) given += dls_impact_told(&A->struck[i], share);
  return given;
}

bool dls_impact_gains(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                      const dls_account_stage *A, double share) {
  bool any = false;
  charge_all(S, C, disks, A, C->p_impact, dls_impact_fallen(S->w->gravity, S->h) + C->noise);
  for (int i = 0; i < S->rows.n_bodies && !any; i++) any = dls_rebounds_gain(&A->struck[i], share);
  return any;
}

bool dls_impact_gains_at(const dls_step *S, const dls_account_stage *A, const dls_block *block,
                         double share) {
  return dls_rebounds_gain(sum_at(&S->rows, A, block), share);
}
