/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/support.h"

#include "core/base/fast.h"
#include "core/rows/island.h"
#include "core/rows/tree_rows.h"

dls_status dls_support_take(dls_rows *rows, dls_support *x, int n, int n_rows, dls_arena *tmp) {
  const size_t size = (size_t)n * (size_t)n_rows;
  x->n = n;
  x->at = DLS_TAKE(tmp, int, n);
  x->z = DLS_TAKE(tmp, double, 2 * size);
  x->y = x->z + size;
  return x->at && x->z ? DLS_OK : dls_want(rows, tmp, 64 * size);
}

/* The rows of all blocks as rows of the forest. */
static dls_status list_sides(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                             dls_forest_rows *list) {
  const int m = dls_count_rows(rows, blocks, n);
  int *first = DLS_TAKE(tmp, int, m + 1);
  dls_row_side *sides = DLS_TAKE(tmp, dls_row_side, 4 * m + 1);
  if (!first || !sides) return dls_want(rows, tmp, 4 * (size_t)m * sizeof *sides);
  int at = 0, n_sides = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) {
      dls_arm arms[4];
      const int n_arms = dls_arms_of(rows->nu, rows, block, i, arms);
      first[at++] = n_sides;
      for (int e = 0; e < n_arms; e++) {
        if (!dls_in_tree(rows, arms[e].body)) continue;
        dls_row_side *side = &sides[n_sides++];
        *side = (dls_row_side){.link = rows->link[arms[e].body]};
        dls_add_wrench(rows->nu, arms[e].J, 1, side->j);
      }
    }
  }
  first[m] = n_sides;
  *list = (dls_forest_rows){m, first, sides, NULL, NULL};
  return DLS_OK;
}

/* Numbers the nodes of the supports, ascending: base[node], of n_nodes. Answers how many
** numbers. */
static int number_nodes(const dls_forest *forest, const dls_row_entry *list, size_t n, int *base) {
  int lo = forest->n_nodes, hi = -1, count = 0;
  for (size_t e = 0; e < n; e++) {
    if (list[e].node < lo) lo = list[e].node;
    if (list[e].node > hi) hi = list[e].node;
  }
  for (int i = lo; i <= hi; i++) base[i] = -1;
  for (size_t e = 0; e < n; e++) base[list[e].node] = 0;
  for (int i = lo; i <= hi; i++) {
    if (base[i] < 0) continue;
    base[i] = count;
    count += forest->nodes[i].nu;
  }
  return count;
}

/* One block from the entries of its rows, which all go the same way to the root. */
static void fill_support(const dls_forest *forest, const dls_row_entry *list, const size_t *start,
                       int n_rows, const int *base, dls_support *x) {
  const size_t n_entries = start[1] - start[0];
  int l = 0;
  for (size_t e = n_entries; e-- > 0;) {
    const int node = list[start[0] + e].node;
    for (int k = 0; k < forest->nodes[node].nu; k++, l++) {
      x->at[l] = base[node] + k;
      for (int i = 0; i < n_rows; i++) {
        x->z[l * n_rows + i] = list[start[i] + e].z[k];
        x->y[l * n_rows + i] = list[start[i] + e].y[k];
      }
    }
  }
}

dls_status dls_supports_in_trees(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                                 dls_support *out, int *n_x) {
  for (int k = 0; k < n; k++) out[k] = (dls_support){0};
  *n_x = 0;
  if (!dls_island_in_tree(rows, blocks, n)) return DLS_OK;
  const dls_forest *forest = rows->forest;
  dls_forest_rows all;
  size_t *start;
  dls_row_entry *list;
  dls_status status = list_sides(rows, blocks, n, tmp, &all);
  if (status != DLS_OK) return status;
  status = dls_forest_walks(forest, rows->state, &all, tmp, &start, &list);
  if (status == DLS_FULL) return dls_want(rows, tmp, 2 * dls_forest_delassus_bytes(forest, &all));
  int *base = DLS_TAKE(tmp, int, forest->n_nodes);
  if (status != DLS_OK) return status;
  if (!base) return dls_want(rows, tmp, 0);
  *n_x = number_nodes(forest, list, start[all.n], base);
  for (int k = 0, at = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    int count = 0;
    for (size_t e = start[at]; e < start[at + 1]; e++) count += forest->nodes[list[e].node].nu;
    if (count > 0) {
      status = dls_support_take(rows, &out[k], count, block->n, tmp);
      if (status != DLS_OK) return status;
      fill_support(forest, list, start + at, block->n, base, &out[k]);
    }
    at += block->n;
  }
  return DLS_OK;
}

/* --- coupling of blocks ----------------------------------------------------------------------- */

/* W += J_x M^-1 J_y' over the bodies that both act on; W has n_y numbers a row. */
DLS_WITH_NU void couple_bodies(int nu, const dls_rows *rows, const dls_block *x, const dls_block *y,
                               double *W) {
  dls_arm a[4], b[4];
  const int n_a = dls_arms_of(nu, rows, x, 0, a), n_b = dls_arms_of(nu, rows, y, 0, b);
  for (int e = 0; e < n_a; e++)
    for (int f = 0; f < n_b; f++) {
      if (a[e].body != b[f].body || !(rows->inv_mass[a[e].body] > 0)) continue;
      for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++)
          W[i * y->n + j] += dls_dot_u(nu, a[e].J + (size_t)i * 2 * (size_t)nu,
                                       b[f].MJ + (size_t)j * 2 * (size_t)nu);
    }
}

/* W += z_x' y_y over common numbers; rows of W are ld numbers apart. */
static inline void couple_some(const dls_support *x, int n_x, const dls_support *y, int n_y, int ld,
                               double *W) {
  double sum[36];
  memset(sum, 0, (size_t)(n_x * n_y) * sizeof *sum);
  for (int k = 0, l = 0; k < x->n && l < y->n;) {
    if (x->at[k] < y->at[l]) {
      k++;
    } else if (x->at[k] > y->at[l]) {
      l++;
    } else {
      const double *z = x->z + k * n_x, *u = y->y + l * n_y;
      for (int i = 0; i < n_x; i++)
        for (int j = 0; j < n_y; j++) sum[i * n_y + j] += z[i] * u[j];
      k++, l++;
    }
  }
  for (int i = 0; i < n_x; i++)
    for (int j = 0; j < n_y; j++) W[i * ld + j] += sum[i * n_y + j];
}

void dls_couple_supports(const dls_support *x, int n_x, const dls_support *y, int n_y, int ld,
                         double *W) {
  if (n_x == 3 && n_y == 3) couple_some(x, 3, y, 3, ld, W);
  else if (n_x == 2 && n_y == 2) couple_some(x, 2, y, 2, ld, W);
  else if (n_x == 1 && n_y == 1) couple_some(x, 1, y, 1, ld, W);
  else couple_some(x, n_x, y, n_y, ld, W);
}

void dls_couple_bodies(const dls_rows *rows, const dls_block *x, const dls_block *y, double *W) {
  memset(W, 0, (size_t)(x->n * y->n) * sizeof *W);
  if (rows->nu == 3) couple_bodies(3, rows, x, y, W);
  else couple_bodies(6, rows, x, y, W);
}

void dls_couple(const dls_rows *rows, const dls_block *x, const dls_support *on_x,
                const dls_block *y, const dls_support *on_y, double *W) {
  dls_couple_bodies(rows, x, y, W);
  dls_couple_supports(on_x, x->n, on_y, y->n, y->n, W);
}
