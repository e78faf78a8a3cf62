/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_newton.h"

#include "core/cone/points.h"
#include "core/contacts/contact_row.h"
#include "core/ladder/ladder.h"
#include "core/ladder/to_cone.h"
#include "core/rows/loops.h"
#include "core/rows/residual.h"
#include "core/rows/special.h"



/* The speed at which block k is thrown back, m/s; 0: it is not. */
static double thrown(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                     int k) {
  const dls_block *block = &S->rows.block[k];
  if (block->source < 0 || block->speculative) return 0;
  const double s = S->rows.s[block->row];
  if (dls_disks_has(disks, k)) return -s;
  if (S->rows.gamma[block->row] > 0 || !(C->bounce[block->row] > 0)) return 0;
  return C->drift[block->row] + dls_reads_more(S, C, block, block->row) - s;
}

/* Whether an island may be one: small, something in it is thrown back, two contacts slide. With
** rolling friction points take 100 to 200 steps each, and a quarter end without an answer: there
** impulses stay as they are. */
static bool may_be_open(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                        const int *blocks, int n) {
  int n_rows = 0, sliding = 0;
  bool any = false;
  if (n > DLS_POINTS_ROWS) return false;
  for (int i = 0; i < n; i++) {
    if (S->rows.block[blocks[i]].kind == DLS_ROW_ROLLING) return false;
    n_rows += S->rows.block[blocks[i]].n;
    any = any || (S->rows.p[S->rows.block[blocks[i]].row] > 0 &&
                  thrown(S, C, disks, blocks[i]) > C->noise);
  }
  for (int i = 0; any && i < n; i++) sliding += dls_rows_slide(&S->rows, blocks[i], C->noise);
  return sliding > 1 && n_rows <= DLS_POINTS_ROWS;
}

/* Blocks without impulses, those that there are in *x. */
static dls_status take(dls_points *N, dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                       double **x) {
  const int m = dls_count_rows(rows, blocks, n), n_groups = dls_count_groups(rows, blocks, n);
  const size_t room = dls_bytes_add(dls_points_bytes(m, n_groups),
                                    dls_arena_bytes((size_t)m, sizeof **x));
  rows->need = room;
  dls_status status = dls_points_take(N, m, n_groups, tmp);
  *x = DLS_TAKE(tmp, double, m);
  if (status == DLS_OK && *x == NULL) status = DLS_FULL;
  if (status != DLS_OK) return status;
  status = dls_fill_matrix(rows, blocks, n, m, tmp, N->W);
  if (status == DLS_FULL) rows->need = dls_bytes_add(rows->need, room);
  if (status != DLS_OK) return status;
  N->stop = rows->stop;
  dls_fill_groups(rows, blocks, n, N->group);
  for (int k = 0, at = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++) {
      N->v[at] = dls_row_speed(rows->nu, rows, block, i, rows->u_free) + rows->s[i];
      N->length[at] = rows->length[i];
      N->W[(size_t)at * (size_t)m + (size_t)at] += rows->gamma[i];
    }
  }
  dls_points_begin(N);
  dls_pack_impulses(rows, blocks, n, *x);
  return DLS_OK;
}

/* Whether what slides in an island depends on impulses that are open. */
static dls_status are_open(dls_rows *rows, const int *blocks, int n, double still, dls_arena *tmp,
                           bool *open) {
  const size_t mark = dls_arena_mark(tmp);
  int left[DLS_POINTS_ROWS];
  dls_points N;
  double *x;
  dls_write_out_blocks(rows, blocks, n);
  const int n_left = dls_rows_in_loops(rows, blocks, n, still, left);
  *open = false;
  if (n_left == 0) return DLS_OK;
  const dls_status status = take(&N, rows, left, n_left, tmp, &x);
  if (status == DLS_OK) *open = dls_points_are_open(&N, still, x);
  dls_arena_release(tmp, mark);
  return status;
}

/* One island; *shared: its impulses are, and rows->p follows. most, *cost: sweeps. */
static dls_status share(dls_rows *rows, const int *blocks, int n, double limit, double most,
                        dls_arena *tmp, bool *shared,
                        double *cost) {
  const size_t mark = dls_arena_mark(tmp);
  dls_points N;
  double *x;
  dls_status status = take(&N, rows, blocks, n, tmp, &x);
  if (status != DLS_OK) return status;
  status = dls_points_plan(&N, tmp);
  if (status == DLS_FULL) rows->need = dls_bytes_add(rows->need, dls_points_plan_bytes(&N));
  if (status != DLS_OK) return status;
  const double price = dls_work_dense(rows->dim, N.n) / n;
  *shared = dls_points_share(&N, limit, most / price, x);
  if (*shared) dls_unpack_impulses(rows, blocks, n, x);
  *cost = (N.steps + 1) * price;
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

dls_status dls_share_rebounds(dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                              const dls_solve_opts *opts, dls_solve_report *report) {
  dls_rows *rows = &S->rows;
  bool any = false;
  double most = 0;
  if (S->w->impact != DLS_IMPACT_NEWTON) return DLS_OK;
  for (int k = 0; k < rows->n_islands; k++) {
    const int *blocks = rows->island_block + rows->island_start[k],
        n = rows->island_start[k + 1] - rows->island_start[k];
    bool shared = false;
    double cost = 0;
    if (!may_be_open(S, C, disks, blocks, n)) continue;
    const double left = opts->bounded ? opts->max_iterations - report->work :
        0.5 * opts->max_iterations;
    const double limit = dls_island_tolerance(1, opts) * report->scale;
    dls_status status = are_open(rows, blocks, n, C->noise, &S->w->arena, &shared);
    if (status == DLS_OK && shared)
      status = share(rows, blocks, n, limit, left, &S->w->arena, &shared, &cost);
    if (status != DLS_OK) return status;
    any = any || shared, most = dls_max(most, cost);
  }
  report->work += most;
  if (any) report->residual = dls_rows_residual(rows) / report->scale;
  return DLS_OK;
}
