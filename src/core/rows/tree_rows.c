/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/tree_rows.h"

#include "core/forest/pinned.h"

bool dls_touches_tree(const dls_rows *rows, const dls_block *block) {
  const dls_second *s = dls_second_of(rows, block);
  if (s && (dls_in_tree(rows, s->c) || dls_in_tree(rows, s->d))) return true;
  return dls_in_tree(rows, block->a) || dls_in_tree(rows, block->b);
}

bool dls_island_in_tree(const dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; rows->tree && k < n; k++)
    if (dls_touches_tree(rows, &rows->block[blocks[k]])) return true;
  return false;
}

bool dls_is_soft_equation(const dls_rows *rows, const dls_block *block) {
  /* Of W. With 1 springs of 1e8 N/m among 150 disks are eliminated, and steps take 3.5 times as
  ** long; with 0 those of 1e11 N/m among 125 balls take ten times as long */
  static const double SOFT = 1e-4;
  if (block->kind != DLS_ROW_BILATERAL || block->n != 1 || block->second > 0 ||
      dls_touches_tree(rows, block))
    return false;
  return rows->gamma[block->row] >= SOFT * rows->W[(size_t)(block->row * rows->nb)];
}

bool dls_must_assemble(const dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; rows->second && k < n; k++)
    if (rows->block[blocks[k]].second > 0) return true;
  return dls_island_in_tree(rows, blocks, n);
}

void dls_add_wrench(int nu, const double *J, double p, double *out) {
  if (nu == 3) {
    out[2] += p * J[2];
    out[3] += p * J[0];
    out[4] += p * J[1];
    return;
  }
  for (int i = 0; i < 3; i++) {
    out[i] += p * J[3 + i];
    out[3 + i] += p * J[i];
  }
}

/* The rows' wrenches per unit of impulse on links; first: m + 1, sides: 4 m at most. */
static void list_sides(const dls_rows *rows, const int *blocks, int n, int *first,
                       dls_row_side *sides) {
  int at = 0, n_sides = 0;
  first[0] = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) {
      dls_arm arms[4];
      const int n_arms = dls_arms_of(rows->nu, rows, block, i, arms);
      for (int e = 0; e < n_arms; e++) {
        if (!dls_in_tree(rows, arms[e].body)) continue;
        dls_row_side *side = &sides[n_sides++];
        *side = (dls_row_side){.link = rows->link[arms[e].body]};
        dls_add_wrench(rows->nu, arms[e].J, 1, side->j);
      }
      first[++at] = n_sides;
    }
  }
}

dls_status dls_add_trees(dls_rows *rows, const int *blocks, int n, int m, dls_arena *tmp,
                         double *W) {
  const size_t mark = dls_arena_mark(tmp), size = (size_t)m * (size_t)m;
  int *first = DLS_TAKE(tmp, int, m + 1);
  dls_row_side *sides = DLS_TAKE(tmp, dls_row_side, 4 * m + 1);
  double *part = DLS_TAKE(tmp, double, size);
  const size_t own = dls_arena_bytes((size_t)m + 1, sizeof(int)) +
                     dls_arena_bytes(4 * (size_t)m + 1, sizeof(dls_row_side)) +
                     dls_arena_bytes(size, sizeof(double));
  rows->need = dls_bytes_add(rows->need, own);
  dls_status status = DLS_FULL;
  if (first && sides && part) {
    list_sides(rows, blocks, n, first, sides);
    const dls_forest_rows list = {m, first, sides, NULL, NULL};
    rows->need = dls_bytes_add(rows->need, dls_forest_delassus_bytes(rows->forest, &list));
    status = dls_forest_delassus(rows->forest, rows->state, &list, tmp, part);
  }
  for (size_t i = 0; status == DLS_OK && i < size; i++) W[i] += part[i];
  int at = 0;
  for (int k = 0; status == DLS_OK && k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++)
      for (int j = 0; j < block->n; j++)
        rows->W[(size_t)((block->row + i) * rows->nb + j)] =
            W[(size_t)(at + i) * (size_t)m + (size_t)(at + j)];
    at += block->n;
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* Of a side on a link: force^2 / m + moment^2 / J, J the trace of the link's inertia about its
** node; massless ones: 0. */
static double alone_on_link(const dls_forest *forest, int link, const double j[6]) {
  const dls_inertia *M = &forest->nodes[forest->links[link].node].M;
  const double turn = M->J[0] + M->J[3] + M->J[5];
  double sum = 0;
  if (turn > 0) sum += (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) / turn;
  if (M->m > 0) sum += (j[3] * j[3] + j[4] * j[4] + j[5] * j[5]) / M->m;
  return sum;
}

double dls_arm_alone(const dls_rows *rows, const dls_arm *arm) {
  if (!dls_in_tree(rows, arm->body)) return dls_dot_u(rows->nu, arm->J, arm->MJ);
  double j[6] = {0};
  dls_add_wrench(rows->nu, arm->J, 1, j);
  return alone_on_link(rows->forest, rows->link[arm->body], j);
}

double dls_row_alone(const dls_rows *rows, const dls_block *block, int i) {
  dls_arm arms[4];
  const int n = dls_arms_of(rows->nu, rows, block, i, arms);
  double sum = 0;
  for (int e = 0; e < n; e++) sum += dls_arm_alone(rows, &arms[e]);
  return sum;
}

bool dls_is_pinned(const dls_rows *rows, const double *J, int a, int b) {
  const int body[2] = {a, b};
  dls_row_side sides[2];
  int n = 0;
  if (!rows->tree || (!dls_in_tree(rows, a) && !dls_in_tree(rows, b))) return false;
  for (int e = 0; e < 2; e++) {
    /* those in trees have none (joints/tree_step.c) */
    if (rows->inv_mass[body[e]] > 0) return false;
    if (!dls_in_tree(rows, body[e])) continue;
    sides[n] = (dls_row_side){.link = rows->link[body[e]]};
    dls_add_wrench(rows->nu, J + e * rows->nu, 1, sides[n++].j);
  }
  return dls_forest_is_pinned(rows->forest, rows->state, n, sides);
}

/* u += the velocity (turning, moving) of a link. */
static void add_velocity(int nu, const double *v, double *u) {
  if (nu == 3) {
    u[0] += v[3], u[1] += v[4], u[2] += v[2];
    return;
  }
  for (int i = 0; i < 3; i++) u[i] += v[3 + i], u[3 + i] += v[i];
}

void dls_apply_to_trees(dls_rows *rows) {
  const dls_forest *forest = rows->forest;
  const int nu = rows->nu;
  bool any = false;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (!dls_touches_tree(rows, block)) continue;
    if (!any) memset(rows->wrench, 0, 6 * (size_t)forest->n_links * sizeof(double));
    any = true;
    for (int i = 0; i < block->n; i++) {
      dls_arm arms[4];
      const int n_arms = dls_arms_of(nu, rows, block, i, arms);
      for (int e = 0; e < n_arms; e++)
        if (dls_in_tree(rows, arms[e].body))
          dls_add_wrench(nu, arms[e].J, rows->p[block->row + i],
                         rows->wrench + 6 * (size_t)rows->link[arms[e].body]);
    }
  }
  rows->pushed = any;
  memcpy(rows->g, rows->g_free, (size_t)forest->nu * sizeof(double));
  if (!any) return;
  dls_forest_respond_up(forest, rows->state, NULL, rows->wrench);
  dls_forest_respond_down(forest, rows->state, rows->dg, rows->velocity);
  for (int i = 0; i < forest->nu; i++) rows->g[i] += rows->dg[i];
  for (int k = 0; k < forest->n_links; k++) {
    const int body = rows->link_body[k];
    if (dls_in_tree(rows, body))
      add_velocity(nu, rows->velocity + 6 * (size_t)k, rows->u + (size_t)(body * nu));
  }
}
