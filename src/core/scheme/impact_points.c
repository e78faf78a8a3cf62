/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_points.h"

#include "core/ladder/to_cone.h"
#include "core/rows/budget.h"

static void collect(dls_points *N, const dls_expansion *of) {
  for (int k = 0, n = 0, g = 0; k < of->n; k++) {
    const dls_block *block = &of->S->rows.block[of->blocks[k]];
    dls_expansion_speeds(of, block, N->v + n);
    for (int i = 0; i < block->n; i++, n++) {
      if (i == 0 || block->kind == DLS_ROW_BILATERAL)
        N->least[g++] = dls_expansion_least(of, block);
      N->length[n] = of->S->rows.length[block->row + i];
      N->x[n] = of->S->rows.p[block->row + i];
    }
  }
}

/* Where nothing moves by a row, or its law is a box's, it is set aside. */
static void weigh(dls_points *N) {
  dls_points_weigh(N);
  for (int i = 0; i < N->n; i++)
    if (N->group[N->of[i]].kind == DLS_CONE_BOX) N->most[i] = 0;
}

dls_status dls_impact_points_take(dls_points *N, const dls_expansion *of) {
  dls_rows *rows = &of->S->rows;
  dls_arena *tmp = &of->S->w->arena;
  const int n_groups = dls_count_groups(rows, of->blocks, of->n);
  rows->need = dls_points_bytes(of->n_rows, n_groups);
  dls_status status = dls_points_take(N, of->n_rows, n_groups, tmp);
  if (status != DLS_OK) return status;
  N->stop = rows->stop;
  dls_fill_groups(rows, of->blocks, of->n, N->group);
  collect(N, of);
  status = dls_fill_matrix(rows, of->blocks, of->n, of->n_rows, tmp, N->W);
  if (status == DLS_FULL)
    rows->need = dls_bytes_add(rows->need, dls_points_bytes(of->n_rows, n_groups));
  if (status != DLS_OK) return status;
  weigh(N);
  status = dls_points_plan(N, tmp);
  if (status == DLS_FULL)
    rows->need = dls_bytes_add(dls_points_bytes(of->n_rows, n_groups), dls_points_plan_bytes(N));
  return status;
}

/* Impulses of a block as its law has them: what does not press is round-off, and rubs nowhere. */
static void admit(const dls_block *block, const double *x, double *p) {
  memcpy(p, x, (size_t)block->n * sizeof *p);
  if (block->kind == DLS_ROW_BILATERAL || block->kind == DLS_ROW_BOX) return;
  if (!(p[0] > 0)) memset(p, 0, (size_t)block->n * sizeof *p);
}

void dls_impact_points_apply(const dls_points *N, const dls_expansion *of, const double *x) {
  dls_step *S = of->S;
  for (int l = 0, i = 0; l < of->n; l++) {
    const dls_block *block = &S->rows.block[of->blocks[l]];
    double p[DLS_NB(3)], dp[DLS_NB(3)] = {0};
    bool moves = false;
    admit(block, x + i, p);
    for (int k = 0; k < block->n; k++) {
      moves = moves || N->most[i + k] > 0;
      dp[k] = p[k] - S->rows.p[block->row + k];
      S->rows.p[block->row + k] = p[k];
    }
    if (moves) dls_strike(S, of->joints, block, dp, of->u);
    i += block->n;
  }
}

/* --- impulses of redundant contacts ---------------------------------------------------------- */

static const double ENOUGH = 1e-10; /* of the velocities: errors of an answer      */
/* m/s: of the velocities, so that squares of errors are numbers */
static const double LEAST = 1e-130;
/* times dls_expansion.limit: an error at most, and what is gone for */
static const double TOLERATED = 10, AIM = 5;

/* p_n = e p_C, all else 0. */
static void begin(dls_points *N, double *x) {
  memset(x, 0, (size_t)N->n * sizeof *x);
  for (int g = 0; g < N->n_groups; g++) {
    const int i = N->group[g].row;
    if (N->most[i] > 0 && N->group[g].kind != DLS_CONE_BILATERAL) x[i] = N->least[g];
  }
}

dls_status dls_share_impulses(const dls_expansion *of, bool *found, double *cost) {
  dls_arena *tmp = &of->S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  dls_points N;
  *found = false, *cost = 0;
  const dls_status status = dls_impact_points_take(&N, of);
  if (status != DLS_OK) return status;
  if (dls_points_soften(&N)) {
    double *x = N.kept;
    begin(&N, x);
    double scale = dls_points_scale(&N);
    dls_points_go(&N, x);
    scale = dls_max(scale, dls_points_scale(&N));
    const double target = dls_min(DLS_POINTS_FINEST * scale, AIM * of->limit);
    const double price = dls_work_dense(of->S->dim, N.n) / of->n, most = 0.5 * of->most / price;
    const double left = scale > LEAST ? dls_points_follow(&N, target, most, x) : DLS_INF;
    *found = left <= dls_min(ENOUGH * scale, TOLERATED * of->limit);
    if (*found || (!of->compresses && left <= ENOUGH * scale)) dls_impact_points_apply(&N, of, x);
    *cost = (N.steps + 1) * price;
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
