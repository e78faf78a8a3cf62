/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/to_cone.h"

#include "core/rows/coupling.h"
#include "core/rows/island.h"
#include "core/rows/tree_rows.h"

int dls_count_groups(const dls_rows *rows, const int *blocks, int n) {
  int sum = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    sum += block->kind == DLS_ROW_BILATERAL ? block->n : 1;
  }
  return sum;
}

/* W (m x m) over single bodies. */
static void fill_bodies(const dls_rows *rows, const int *blocks, int n, int m, double *W) {
  memset(W, 0, (size_t)m * (size_t)m * sizeof(double));
  int at = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *x = &rows->block[blocks[k]];
    int to = 0;
    for (int l = 0; l <= k; l++) {
      const dls_block *y = &rows->block[blocks[l]];
      for (int i = 0; dls_blocks_meet(x, y) && i < x->n; i++)
        for (int j = 0; j < (l == k ? i + 1 : y->n); j++) {
          double w = dls_coupling(rows, x, i, y, j);
          W[(size_t)(at + i) * (size_t)m + (size_t)(to + j)] = w;
          W[(size_t)(to + j) * (size_t)m + (size_t)(at + i)] = w;
        }
      to += y->n;
    }
    at += x->n;
  }
}

dls_status dls_fill_matrix(dls_rows *rows, const int *blocks, int n, int m, dls_arena *tmp,
                           double *W) {
  fill_bodies(rows, blocks, n, m, W);
  return dls_island_in_tree(rows, blocks, n) ? dls_add_trees(rows, blocks, n, m, tmp, W) : DLS_OK;
}

void dls_fill_groups(const dls_rows *rows, const int *blocks, int n, dls_cone_group *groups) {
  static const dls_cone_kind planar_kinds[] = {
      [DLS_ROW_BILATERAL] = DLS_CONE_BILATERAL,
      [DLS_ROW_UNILATERAL] = DLS_CONE_UNILATERAL,
      [DLS_ROW_BOX] = DLS_CONE_BOX,
      [DLS_ROW_CONE] = DLS_CONE_PLANAR,
      [DLS_ROW_ROLLING] = DLS_CONE_ROLLING_PLANAR,
  };
  static const dls_cone_kind spatial_kinds[] = {
      [DLS_ROW_BILATERAL] = DLS_CONE_BILATERAL,
      [DLS_ROW_UNILATERAL] = DLS_CONE_UNILATERAL,
      [DLS_ROW_BOX] = DLS_CONE_BOX,
      [DLS_ROW_CONE] = DLS_CONE_SPATIAL,
      [DLS_ROW_ROLLING] = DLS_CONE_ROLLING,
  };
  const dls_cone_kind *kinds = rows->dim == 2 ? planar_kinds : spatial_kinds;
  int row = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    int turns = block->kind == DLS_ROW_BILATERAL ? block->n : 1;
    for (int i = 0; i < turns; i++) {
      dls_cone_group *g = groups++;
      *g = (dls_cone_group){.kind = kinds[block->kind], .row = row + i};
      if (block->kind == DLS_ROW_BOX) g->lo = block->lo, g->hi = block->hi;
      else memcpy(g->mu, block->mu, sizeof block->mu);
    }
    row += block->n;
  }
}

double dls_fill_lists(const dls_rows *rows, const int *blocks, int n, double least, size_t m,
                      double *numbers, dls_cone_lists *of) {
  *of = (dls_cone_lists){numbers, numbers + m, numbers + 2 * m, numbers + 3 * m, numbers + 4 * m};
  double most = least;
  for (int k = 0, at = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++) {
      of->b[at] = dls_row_speed(rows->nu, rows, block, i, rows->u_free);
      of->gamma[at] = rows->gamma[i];
      of->s[at] = rows->s[i];
      of->length[at] = rows->length[i];
      of->start[at] = rows->p[i];
      most = dls_max(most, of->length[at] * fabs(of->b[at]));
    }
  }
  return most;
}

enum { VECTORS = 6 }; /* b, gamma, s, length, start, velocities: m numbers each */

/* "auto" and "newton" count their multiplications. */
static bool counts(const dls_cone_method *method) {
  return method == dls_cone_method_find("auto") || method == dls_cone_method_find("newton");
}

/* Sweeps that a sweep, a step or a pivot of another method costs: it looks at all of W, in
** lanes. */
static double price_of(const dls_budget *budget, int m) {
  static const double IN_LANES = 16;
  return budget->bounded ? dls_max(1, (double)m * m / (IN_LANES * budget->cone)) : 1;
}

void dls_limit_cone(dls_budget *budget, const dls_cone_method *method, double share, int m,
                    dls_cone_opts *opts) {
  opts->max_iterations =
      dls_budget_times(budget, share, counts(method) ? 1 : price_of(budget, m), INT32_MAX);
  if (opts->max_iterations < 1) opts->max_iterations = 1; /* 0 is the method's own */
  opts->work = share * budget->left * budget->cone;
}

void dls_pay_cone(dls_budget *budget, const dls_cone_method *method, int m,
                  const dls_cone_report *report) {
  const double each = counts(method) ? 1 : price_of(budget, m);
  const double work = budget->cone > 0 ? report->work / budget->cone : 0;
  dls_budget_pay(budget, dls_max(work, each * report->iterations));
}

dls_status dls_solve_dense(dls_rows *rows, const int *blocks, int n, const dls_cone_method *method,
                           double tolerance, double scale, dls_budget *budget, double share,
                           dls_arena *tmp, dls_cone_report *report) {
  int m = dls_count_rows(rows, blocks, n), n_groups = dls_count_groups(rows, blocks, n);
  if (dls_budget_times(budget, share, 1, 1) < 1 || !dls_budget_enter(budget, DLS_CONE_SETUP, 1)) {
    /* the impulses stay as they are */
    *report = (dls_cone_report){.outcome = DLS_LIMIT, .residual = DLS_INF};
    return DLS_OK;
  }
  size_t mark = dls_arena_mark(tmp);
  double *W = DLS_TAKE(tmp, double, (size_t)m * (size_t)m);
  double *x = DLS_TAKE(tmp, double, (size_t)(VECTORS + 1) * (size_t)m);
  dls_cone_group *groups = DLS_TAKE(tmp, dls_cone_group, n_groups);
  dls_status status = DLS_FULL;
  size_t own = dls_arena_bytes((size_t)m * (size_t)m + 8 * (size_t)m, sizeof(double)) +
               dls_arena_bytes((size_t)n_groups, sizeof(dls_cone_group)) + 256;
  rows->need = own + 64 * (size_t)m * (size_t)m;
  if (W && x && groups) {
    dls_cone_lists of;
    double *p = x + 5 * m, *v = x + 6 * m;
    status = dls_fill_matrix(rows, blocks, n, m, tmp, W);
    if (status != DLS_OK) {
      dls_arena_release(tmp, mark);
      return status;
    }
    dls_fill_groups(rows, blocks, n, groups);
    const double most = dls_fill_lists(rows, blocks, n, scale, (size_t)m, x, &of);
    dls_cone_problem problem = {.n_rows = m, .n_groups = n_groups, .groups = groups, .W = W,
                                .b = of.b, .compliance = of.gamma, .shift = of.s,
                                .length = of.length,
                                .scale = scale, .stop = rows->stop};
    const dls_cone_size size = dls_cone_measure(&problem);
    problem.size = &size;
    dls_cone_opts opts = dls_cone_opts_default();
    opts.tolerance = scale > 0 ? tolerance * (scale / most) : tolerance;
    dls_limit_cone(budget, method, share, m, &opts);
    opts.start = of.start;
    rows->need = dls_bytes_add(own, method->bytes(&problem));
    status = method->run(&problem, &opts, tmp, p, v, report);
    if (status == DLS_OK) dls_pay_cone(budget, method, m, report);
    if (status == DLS_OK) dls_unpack_impulses(rows, blocks, n, p);
  }
  dls_arena_release(tmp, mark);
  return status;
}
