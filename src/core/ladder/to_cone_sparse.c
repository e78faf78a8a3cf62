/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/to_cone.h"

#include "core/cone/newton.h"
#include "core/rows/coupling.h"
#include "core/graph/elimination.h"
#include "core/rows/impulses.h"
#include "core/rows/residual.h"
#include "core/ladder/path.h"
#include "core/ladder/rung.h"

/* Two blocks meet where they share a body that moves. What sweeps on bodies leave goes to "auto" of
** core/cone, whose sweeps mix more differences, and which has Newton's steps, the interior-point
** method and the smoothed law. */

enum {
  /* of all kinds */
  SPARSE_ITERATIONS = 4000,
  /* blocks of an island, DLS_SPARSE_MOST at most */
  SPARSE_LEAST = 20
};

typedef struct sparse_island {
  int m, n_groups, n_bodies; /* rows; groups; bodies that move */
  int *row;          /* n + 1: first row of each block                   */
  int *place;        /* rows->n_bodies: of the bodies that move          */
  int *body;         /* n_bodies                                         */
  int *first, *list; /* n_bodies + 1: blocks of each body, ascending     */
  int *mark, *near;  /* n each: last block that saw it; neighbours       */
  dls_sparse W;      /* of the arrays that follow */
  int *start, *col;  /* m + 1; start[m], ascending in a row */
  double *value;     /* start[m] */
  double *x;         /* eight vectors of m numbers                       */
  dls_cone_group *groups; /* n_groups */
} sparse_island;

static bool take_sparse(int n, int n_bodies, dls_arena *tmp, sparse_island *o) {
  o->row = DLS_TAKE(tmp, int, n + 1);
  o->body = DLS_TAKE(tmp, int, n_bodies);
  o->first = DLS_TAKE(tmp, int, n_bodies + 1);
  o->list = DLS_TAKE(tmp, int, 2 * n);
  o->mark = DLS_TAKE(tmp, int, n);
  o->near = DLS_TAKE(tmp, int, n);
  o->start = DLS_TAKE(tmp, int, o->m + 1);
  o->x = DLS_TAKE(tmp, double, 8 * (size_t)o->m);
  o->groups = DLS_TAKE(tmp, dls_cone_group, o->n_groups);
  return o->row && o->body && o->first && o->list && o->mark && o->near && o->start && o->x &&
         o->groups;
}

/* Blocks of each body, by place. */
static void list_blocks(const dls_rows *rows, const int *blocks, int n, sparse_island *o) {
  memset(o->first, 0, (size_t)(o->n_bodies + 1) * sizeof(int));
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 0; k < n; k++) {
      const dls_block *block = &rows->block[blocks[k]];
      const int pair[2] = {block->a, block->b};
      for (int i = 0; i < 2; i++) {
        if (!dls_moves(rows, pair[i]) || (i == 1 && pair[0] == pair[1])) continue;
        if (turn == 0) o->first[o->place[pair[i]] + 1]++;
        else o->list[o->first[o->place[pair[i]]]++] = k;
      }
    }
    if (turn == 0) {
      for (int i = 0; i < o->n_bodies; i++) o->first[i + 1] += o->first[i];
    } else {
      for (int i = o->n_bodies; i > 0; i--) o->first[i] = o->first[i - 1];
      o->first[0] = 0;
    }
  }
}

/* Blocks that block k meets, itself too, ascending; `seen` must differ from call to call. */
static int neighbours_of(const dls_rows *rows, const int *blocks, int k, int seen,
                         sparse_island *o) {
  const dls_block *block = &rows->block[blocks[k]];
  const int pair[2] = {block->a, block->b};
  int count = 1;
  o->near[0] = k;
  o->mark[k] = seen;
  for (int i = 0; i < 2; i++) {
    if (!dls_moves(rows, pair[i])) continue;
    for (int e = o->first[o->place[pair[i]]]; e < o->first[o->place[pair[i]] + 1]; e++) {
      if (o->mark[o->list[e]] == seen) continue;
      o->mark[o->list[e]] = seen;
      o->near[count++] = o->list[e];
    }
  }
  dls_sort_ints(o->near, count);
  return count;
}

static size_t count_entries(const dls_rows *rows, const int *blocks, int n, sparse_island *o) {
  size_t sum = 0;
  for (int k = 0; k < n; k++) o->mark[k] = -1;
  for (int k = 0; k < n; k++) {
    size_t width = 0;
    for (int e = neighbours_of(rows, blocks, k, k, o) - 1; e >= 0; e--)
      width += (size_t)rows->block[blocks[o->near[e]]].n;
    sum += width * (size_t)rows->block[blocks[k]].n;
  }
  return sum;
}

static void fill_sparse(const dls_rows *rows, const int *blocks, int n, sparse_island *o) {
  int at = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *x = &rows->block[blocks[k]];
    const int count = neighbours_of(rows, blocks, k, n + k, o);
    for (int i = 0; i < x->n; i++) {
      o->start[o->row[k] + i] = at;
      for (int e = 0; e < count; e++) {
        const dls_block *y = &rows->block[blocks[o->near[e]]];
        for (int j = 0; j < y->n; j++, at++) {
          o->col[at] = o->row[o->near[e]] + j;
          o->value[at] = dls_coupling(rows, x, i, y, j);
        }
      }
    }
  }
  o->start[o->m] = at;
  o->W = (dls_sparse){
      .n_rows = o->m, .n_cols = o->m, .start = o->start, .col = o->col, .value = o->value};
}

/* DLS_FULL: rows->need. */
static dls_status make_sparse(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                              sparse_island *o) {
  *o = (sparse_island){.m = dls_count_rows(rows, blocks, n),
                       .n_groups = dls_count_groups(rows, blocks, n)};
  rows->need = tmp->size + 64 * (size_t)n * sizeof(int) + (size_t)rows->n_bodies * sizeof(int);
  o->place = DLS_TAKE(tmp, int, rows->n_bodies);
  if (!o->place) return DLS_FULL;
  o->n_bodies = dls_number_bodies(rows, blocks, n, o->place, NULL);
  rows->need = tmp->size + (size_t)(o->m + o->n_bodies) * 96 + (size_t)n * 32 +
               (size_t)o->n_groups * sizeof(dls_cone_group) + 4096;
  if (!take_sparse(n, o->n_bodies, tmp, o)) return DLS_FULL;
  (void)dls_number_bodies(rows, blocks, n, o->place, o->body);
  o->row[0] = 0;
  for (int k = 0; k < n; k++) o->row[k + 1] = o->row[k] + rows->block[blocks[k]].n;
  list_blocks(rows, blocks, n, o);
  const size_t entries = count_entries(rows, blocks, n, o);
  rows->need = tmp->size + dls_bytes(entries, sizeof(int) + sizeof(double)) + 4096;
  o->col = DLS_TAKE(tmp, int, entries);
  o->value = DLS_TAKE(tmp, double, entries);
  if (!o->col || !o->value) return DLS_FULL;
  fill_sparse(rows, blocks, n, o);
  dls_fill_groups(rows, blocks, n, o->groups);
  return DLS_OK;
}

/* Impulses p of all rows, and the velocities of the island's bodies from them. */
static void accept_sparse(dls_rows *rows, const int *blocks, int n, const sparse_island *o,
                          const double *p) {
  const size_t nu = (size_t)rows->nu;
  for (int i = 0; i < o->n_bodies; i++)
    memcpy(rows->u + (size_t)o->body[i] * nu, rows->u_free + (size_t)o->body[i] * nu,
           nu * sizeof(double));
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] = p[o->row[k] + i];
    dls_push_block(rows, block);
  }
}

dls_status dls_solve_sparse(dls_rows *rows, const int *blocks, int n, double limit, double scale,
                            dls_budget *budget, dls_arena *tmp, int *iterations, bool *converged) {
  const int most = dls_budget_times(budget, 1, 1, SPARSE_ITERATIONS);
  *converged = false;
  if (most < 1 || !dls_budget_enter(budget, DLS_CONE_SETUP, 1)) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  sparse_island o;
  dls_cone_report report;
  dls_status status = make_sparse(rows, blocks, n, tmp, &o);
  if (status != DLS_OK) return status;
  const size_t m = (size_t)o.m;
  dls_cone_lists of;
  double *p = o.x + 5 * m;
  const double fastest = dls_fill_lists(rows, blocks, n, scale, m, o.x, &of);
  dls_cone_problem problem = {.n_rows = o.m, .n_groups = o.n_groups, .groups = o.groups, .S = &o.W,
                              .b = of.b, .compliance = of.gamma, .shift = of.s,
                              .length = of.length,
                              .scale = scale, .stop = rows->stop};
  const dls_cone_size size = dls_cone_measure(&problem);
  problem.size = &size;
  const dls_cone_opts opts = {.tolerance = limit / fastest, .max_iterations = most,
                              .start = of.start, .work = budget->left * budget->cone};
  const double before = dls_rows_residual_of(rows, blocks, n);
  rows->need = tmp->size + dls_cone_auto_bytes(&problem);
  status = dls_cone_auto(&problem, &opts, tmp, p, p + m, &report);
  if (status == DLS_OK) {
    *iterations += report.iterations;
    dls_pay_cone(budget, dls_cone_method_find("auto"), o.m, &report);
    accept_sparse(rows, blocks, n, &o, p);
    const double now = dls_rows_residual_of(rows, blocks, n);
    *converged = now <= limit;
    if (!*converged && !(now < before)) accept_sparse(rows, blocks, n, &o, of.start);
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* Blocks of a bed in the plane, beyond which this is not asked after a path: of what paths miss it
** solves 1 in 160 with 500 to 1,000 contacts, for 20 to 50 ms each, and half with 370. */
enum { SPARSE_PLANAR_MOST = 400 };

static bool suits(const dls_island *island) {
  const int most = dls_suits_path(island) ? SPARSE_PLANAR_MOST : DLS_SPARSE_MOST;
  return island->method == DLS_SOLVE_AUTO && !island->needs_matrix && !island->crowded &&
         island->scale > 0 && island->n >= SPARSE_LEAST && island->n <= most;
}

static dls_status run(dls_island *island, bool *done) {
  return dls_solve_sparse(island->rows, island->blocks, island->n, island->aim, island->scale,
                          &island->budget, island->tmp, &island->report->iterations, done);
}

const dls_rung dls_rung_sparse = {suits, run};
