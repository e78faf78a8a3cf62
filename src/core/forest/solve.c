/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/flat.h"
#include "core/forest/joint.h"
#include "core/forest/sides.h"

/* M^-1 by the factor: responses to wrenches and forces along joints, for many right sides, and from
** tips to roots and back by halves (respond.inc.h). */

typedef double real;
#define LANES 1
#define LANE(x, l) (*(&(x) + (l)))
#include "core/forest/respond.inc.h"

void dls_forest_respond_up(const dls_forest *forest, dls_forest_state *state, const double *f,
                           const double *wrench) {
  if (forest->flat) {
    dls_flat_respond_up(forest, state, f, wrench);
    return;
  }
  for (int i = 0; i < forest->n_nodes; i++) {
    double *p = state->scratch + 12 * (size_t)i;
    const dls_node *node = &forest->nodes[i];
    const dls_link_info *info = &forest->links[node->link];
    dls_spatial x = {{0, 0, 0}, {0, 0, 0}};
    if (wrench != NULL && info->node == i)
      x = dls_link_wrench(info, &state->node[i], wrench + 6 * (size_t)node->link);
    dls_sp_store(p, dls_sp_scale(-1, x));
  }
  sides_up(forest, state, f, state->scratch);
}

void dls_forest_respond_down(const dls_forest *forest, dls_forest_state *state, double *du,
                             double *V) {
  if (forest->flat) {
    dls_flat_respond_down(forest, state, du, V);
    return;
  }
  sides_down(forest, state, state->scratch, du);
  for (int k = 0; k < forest->n_links && V != NULL; k++) {
    const dls_link_info *info = &forest->links[k];
    const dls_spatial own = dls_sp_load(state->scratch + 12 * (size_t)info->node);
    dls_sp_store(V + 6 * (size_t)k, dls_link_motion(info, &state->node[info->node], own));
  }
}

void dls_forest_respond(const dls_forest *forest, dls_forest_state *state,
                        const double *f, const double *wrench, double *du) {
  dls_forest_respond_up(forest, state, f, wrench);
  dls_forest_respond_down(forest, state, du, NULL);
}

static double *y_of(const dls_forest *forest, const dls_forest_state *state, int node) {
  return state->scratch +
         (forest->flat ? DLS_FLAT_WAY * (size_t)node + DLS_FLAT_WAY / 2 : 12 * (size_t)node + 6);
}

void dls_forest_unpush(const dls_forest *forest, dls_forest_state *state) {
  for (int i = 0; i < forest->n_nodes; i++)
    memset(y_of(forest, state, i), 0, (size_t)forest->nodes[i].nu * sizeof(double));
}

double dls_forest_row_speed(const dls_forest *forest, const dls_forest_state *state,
                            const dls_row_entry *list, const dls_row_entry *end) {
  double sum = 0;
  for (; list < end; list++) {
    const double *y = y_of(forest, state, list->node);
    for (int k = 0; k < forest->nodes[list->node].nu; k++) sum += list->z[k] * y[k];
  }
  return sum;
}

void dls_forest_row_push(const dls_forest *forest, dls_forest_state *state,
                         const dls_row_entry *list, const dls_row_entry *end, double p) {
  for (; list < end; list++) {
    double *y = y_of(forest, state, list->node);
    for (int k = 0; k < forest->nodes[list->node].nu; k++) y[k] += list->y[k] * p;
  }
}

void dls_forest_solve(const dls_forest *forest, dls_forest_state *state, int k,
                      const double *B, double *X) {
  const size_t nu = (size_t)forest->nu;
  int j = 0;
  for (; j + 1 < k; j += 2)
    dls_forest_solve_pair(forest, state, B + (size_t)j * nu, X + (size_t)j * nu);
  if (j < k)
    dls_forest_respond(forest, state, B + (size_t)j * nu, NULL, X + (size_t)j * nu);
}

/* --- Delassus matrix -------------------------------------------------------------------------- */

/* W_rs = sum over common nodes of z_r' D^-1 z_s: each row needs the way from its links to the root
** alone. This many nodes with velocities stand on it. */
static size_t count_entries(const dls_forest *forest, const dls_forest_rows *rows,
                            int row) {
  int at[DLS_ROW_SIDES + 1] = {0}, n = 0;
  size_t count = 0;
  for (int k = rows->first[row]; k < rows->first[row + 1] && n < DLS_ROW_SIDES; k++) {
    const int node = forest->links[rows->sides[k].link].node;
    if (forest->nodes[node].kind != DLS_NODE_GIVEN) at[n++] = node; /* that feels nothing */
  }
  if (rows->u_of != NULL && rows->u_of[row] >= 0)
    at[n++] = forest->u_node[rows->u_of[row]];
  for (int i = at[0]; n == 1 && i >= 0; i = forest->nodes[i].up) count += forest->nodes[i].nu > 0;
  for (int way = next_way(at, n); n > 1 && at[way] >= 0; way = next_way(at, n)) {
    const int i = at[way];
    if (forest->nodes[i].nu > 0) count++;
    for (int k = 0; k < n; k++)
      if (at[k] == i) at[k] = -1;
    at[way] = forest->nodes[i].up;
  }
  return count;
}

size_t dls_forest_delassus_bytes(const dls_forest *forest, const dls_forest_rows *rows) {
  size_t total = 0;
  for (int i = 0; i < rows->n; i++) total += count_entries(forest, rows, i);
  return dls_bytes_add(dls_arena_bytes(total, sizeof(dls_row_entry)),
                       dls_arena_bytes((size_t)rows->n + 1, sizeof(size_t)));
}

/* Do rows a and b act on the same links and the same velocity? */
static bool alike(const dls_forest_rows *rows, int a, int b) {
  const int n = rows->first[a + 1] - rows->first[a];
  if (rows->first[b + 1] - rows->first[b] != n) return false;
  for (int k = 0; k < n; k++)
    if (rows->sides[rows->first[a] + k].link != rows->sides[rows->first[b] + k].link)
      return false;
  return rows->u_of == NULL || rows->u_of[a] == rows->u_of[b];
}

static double product(const dls_forest *forest, const dls_row_entry *a,
                      const dls_row_entry *a_end, const dls_row_entry *b,
                      const dls_row_entry *b_end) {
  double sum = 0;
  while (a < a_end && b < b_end) {
    if (a->node == b->node) {
      const int nu = forest->nodes[a->node].nu;
      sum += a->z[0] * b->y[0];
      if (nu == 3) sum = sum + a->z[1] * b->y[1] + a->z[2] * b->y[2];
      else
        for (int k = 1; k < nu; k++) sum += a->z[k] * b->y[k];
      a++, b++;
    } else if (a->node > b->node) {
      a++;
    } else {
      b++;
    }
  }
  return sum;
}

dls_status dls_forest_walks(const dls_forest *forest, const dls_forest_state *state,
                            const dls_forest_rows *rows, dls_arena *tmp, size_t **start,
                            dls_row_entry **list) {
  const size_t mark = dls_arena_mark(tmp), n = (size_t)rows->n;
  for (int i = 0; i < rows->n; i++)
    if (rows->first[i + 1] - rows->first[i] > DLS_ROW_SIDES) return DLS_ARG;
  size_t *from = DLS_TAKE(tmp, size_t, n + 1);
  if (from == NULL) return DLS_FULL;
  from[0] = 0;
  for (int i = 0; i < rows->n; i++)
    from[i + 1] = from[i] + (i > 0 && alike(rows, i - 1, i) ? from[i] - from[i - 1]
                                                            : count_entries(forest, rows, i));
  dls_row_entry *to = DLS_TAKE(tmp, dls_row_entry, from[n]);
  if (to == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  for (int i = 0; i < rows->n; i++) {
    const int n_entries = (int)(from[i + 1] - from[i]);
    if (forest->flat)
      dls_flat_walk(forest, state, rows, i, to + from[i]);
    else if (i + 1 < rows->n && alike(rows, i, i + 1))
      dls_forest_walk_pair(forest, state, rows, i, to + from[i], n_entries), i++;
    else
      walk_rows(forest, state, rows, i, to + from[i], n_entries);
  }
  *start = from;
  *list = to;
  return DLS_OK;
}

void dls_forest_products(const dls_forest *forest, int n_rows, const int *which,
                         const size_t *start, const dls_row_entry *list, double *W) {
  const size_t n = (size_t)n_rows;
  for (size_t i = 0; i < n; i++) {
    const size_t *of_i = start + (which ? (size_t)which[i] : i);
    for (size_t j = 0; j <= i; j++) {
      const size_t *of_j = start + (which ? (size_t)which[j] : j);
      W[i * n + j] = W[j * n + i] =
          product(forest, list + of_i[0], list + of_i[1], list + of_j[0], list + of_j[1]);
    }
  }
}

dls_status dls_forest_delassus(const dls_forest *forest, const dls_forest_state *state,
                               const dls_forest_rows *rows, dls_arena *tmp, double *W) {
  const size_t mark = dls_arena_mark(tmp);
  size_t *start;
  dls_row_entry *list;
  dls_status status = dls_forest_walks(forest, state, rows, tmp, &start, &list);
  if (status != DLS_OK) return status;
  dls_forest_products(forest, rows->n, NULL, start, list, W);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
