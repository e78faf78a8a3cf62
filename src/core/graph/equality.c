/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/equality.h"

#include "core/math/sparse_order.h"
#include "core/graph/elimination.h"
#include "core/rows/island.h"
#include "core/rows/tree_rows.h"

/* Below this share of its own a row's pivot is round-off: it depends on others; and below this one
** of what its bodies would do by themselves: the trees' joints give way to nothing of it (a weld in
** a tree and beside it leaves 1e-33 m/s per N s; from 1e-28 to 1e-12 nothing changes). */
static const double DEPENDENT = 1e-10, STIFF = 1e-15;

/* --- order and pattern ------------------------------------------------------------------------ */

/* Which bilateral blocks meet which: start (n + 1), col. */
static dls_status meeting_pattern(dls_rows *rows, const dls_block_graph *graph, dls_arena *tmp,
                                  int **start_out, int **col_out) {
  const int n = graph->n_equal;
  int *start = DLS_TAKE(tmp, int, n + 1), *mark = DLS_TAKE(tmp, int, graph->n);
  int *list = DLS_TAKE(tmp, int, graph->n);
  if (!start || !mark || !list) return dls_want(rows, tmp, 3 * (size_t)graph->n * sizeof(int));
  for (int k = 0; k < graph->n; k++) mark[k] = -1;
  start[0] = 0;
  for (int k = 0; k < n; k++)
    start[k + 1] = start[k] + dls_block_graph_meeting(graph, k, 0, n, mark, list);
  int *col = DLS_TAKE(tmp, int, start[n]);
  if (!col) return dls_want(rows, tmp, (size_t)start[n] * sizeof(int));
  for (int k = 0; k < graph->n; k++) mark[k] = -1;
  for (int k = 0; k < n; k++) dls_block_graph_meeting(graph, k, 0, n, mark, col + start[k]);
  *start_out = start;
  *col_out = col;
  return DLS_OK;
}

dls_status dls_equality_plan(dls_rows *rows, const dls_block_graph *graph, dls_arena *tmp,
                             dls_equality *E) {
  const size_t square = (size_t)(rows->nb * rows->nb);
  const int n = graph->n_equal;
  int *start = NULL, *col = NULL;
  *E = (dls_equality){.n = n};
  dls_status status = meeting_pattern(rows, graph, tmp, &start, &col);
  if (status != DLS_OK) return status;
  E->which = DLS_TAKE(tmp, int, n);
  E->place = DLS_TAKE(tmp, int, n);
  E->start = DLS_TAKE(tmp, int, n + 1);
  E->rank = DLS_TAKE(tmp, int, n);
  E->white = DLS_TAKE(tmp, int, n + 1);
  E->F = DLS_TAKE(tmp, double, (size_t)n * square);
  int *more = DLS_TAKE(tmp, int, 3 * (size_t)n);
  if (!E->which || !E->place || !E->start || !E->rank || !E->white || !E->F || !more)
    return dls_want(rows, tmp, (size_t)n * square * 16);
  const dls_sparse A = {.n_rows = n, .n_cols = n, .start = start, .col = col};
  status = dls_sparse_order(&A, E->which, tmp);
  if (status != DLS_OK)
    return dls_want(rows, tmp, dls_sparse_order_bytes((size_t)n, (size_t)start[n]));
  for (int k = 0; k < n; k++) E->place[E->which[k]] = k;
  const size_t left = tmp->size - tmp->used;
  const int room = left > 4096 ? (int)dls_min((double)(left - 4096) / sizeof(int), 1e9) : 0;
  const size_t mark = dls_arena_mark(tmp);
  E->col = DLS_TAKE(tmp, int, room);
  const int fill =
      E->col ? dls_elimination_patterns(&A, E->which, E->place, E->start, E->col, room, more) : -1;
  if (fill < 0) return dls_want(rows, tmp, tmp->size);
  dls_arena_cut(tmp, mark, (size_t)fill, sizeof(int));
  E->first = DLS_TAKE(tmp, size_t, (size_t)fill + 1);
  if (!E->first) return dls_want(rows, tmp, (size_t)fill * 16);
  size_t size = 0;
  for (int k = 0; k < n; k++)
    for (int e = E->start[k]; e < E->start[k + 1]; e++) {
      E->first[e] = size;
      size += (size_t)(rows->block[graph->block[E->which[k]]].n *
                       rows->block[graph->block[E->which[E->col[e]]]].n);
    }
  E->first[fill] = size;
  E->B = DLS_TAKE(tmp, double, size);
  return E->B ? DLS_OK : dls_want(rows, tmp, size * sizeof(double));
}

/* --- numbers ---------------------------------------------------------------------------------- */

static inline int size_at(const dls_rows *rows, const dls_block_graph *graph, const dls_equality *E,
                          int k) {
  return rows->block[graph->block[E->which[k]]].n;
}

/* F (rank x d) of A (d x d, lost) by Cholesky with the largest share of `own` as the next pivot;
** answers the rank. */
static int whiten(int d, double *A, const double *own, double *F) {
  /* unit combinations of rows that are independent so far */
  double C[DLS_MOST_ROWS * DLS_MOST_ROWS];
  bool taken[DLS_MOST_ROWS] = {false};
  int rank = 0;
  memset(C, 0, (size_t)(d * d) * sizeof *C);
  for (int i = 0; i < d; i++) C[i * d + i] = 1;
  for (; rank < d; rank++) {
    int best = -1;
    double most = DEPENDENT;
    for (int i = 0; i < d; i++) {
      const double share = own[i] > 0 && !taken[i] ? A[i * d + i] / own[i] : 0;
      if (share > most) most = share, best = i;
    }
    if (best < 0) break;
    taken[best] = true;
    const double scale = 1 / sqrt(A[best * d + best]);
    double *row = F + rank * d, a[DLS_MOST_ROWS];
    for (int j = 0; j < d; j++) {
      row[j] = scale * C[best * d + j];
      a[j] = scale * A[best * d + j];
    }
    for (int i = 0; i < d; i++) {
      if (taken[i]) continue;
      const double c = a[i];
      for (int j = 0; j < d; j++) {
        C[i * d + j] -= c * row[j];
        A[i * d + j] -= c * a[j];
      }
    }
  }
  return rank;
}

/* B = A F', d_i x d_k, in place. */
static void right_times(int d_i, int d_k, int rank, const double *F, double *A) {
  for (int i = 0; i < d_i; i++) {
    double was[DLS_MOST_ROWS];
    memcpy(was, A + i * d_k, (size_t)d_k * sizeof *was);
    for (int r = 0; r < d_k; r++) {
      double sum = 0;
      for (int j = 0; j < d_k && r < rank; j++) sum += was[j] * F[r * d_k + j];
      A[i * d_k + r] = sum;
    }
  }
}

/* C -= X Y', X d_i x d_k, Y d_j x d_k, of which rank columns count. */
static inline void subtract_some(int d_i, int d_j, int d_k, int rank, const double *X,
                                 const double *Y, double *C) {
  DLS_UNROLL
  for (int i = 0; i < d_i; i++) {
    DLS_UNROLL
    for (int j = 0; j < d_j; j++) {
      double sum = 0;
      DLS_UNROLL
      for (int r = 0; r < rank; r++) sum += X[i * d_k + r] * Y[j * d_k + r];
      C[i * d_j + j] -= sum;
    }
  }
}

/* Most blocks are of three rows: points of joints in space. Columns beyond the rank are zero. */
static void subtract_outer(int d_i, int d_j, int d_k, int rank, const double *X, const double *Y,
                           double *C) {
  if (d_i == 3 && d_j == 3 && d_k == 3) subtract_some(3, 3, 3, 3, X, Y, C);
  else subtract_some(d_i, d_j, d_k, rank, X, Y, C);
}

static void write_matrix(const dls_rows *rows, const dls_block_graph *graph, const dls_equality *E,
                         double *diag, double *own) {
  const int nb = rows->nb;
  for (int k = 0; k < E->n; k++) {
    const int which = E->which[k];
    const dls_block *block = &rows->block[graph->block[which]];
    double *A = diag + (size_t)(k * nb * nb);
    dls_couple(rows, block, &graph->on[which], block, &graph->on[which], A);
    for (int i = 0; i < block->n; i++) {
      A[i * block->n + i] += rows->gamma[block->row + i];
      const double d = A[i * block->n + i];
      const bool gives = graph->on[which].n == 0 || d > STIFF * dls_row_alone(rows, block, i);
      own[k * nb + i] = gives ? d : 0;
    }
    for (int e = E->start[k]; e < E->start[k + 1]; e++) {
      const int other = E->which[E->col[e]];
      dls_couple(rows, &rows->block[graph->block[other]], &graph->on[other], block,
                 &graph->on[which], E->B + E->first[e]);
    }
  }
}

void dls_equality_factor(const dls_rows *rows, const dls_block_graph *graph, dls_equality *E,
                         double *diag, double *own) {
  const int nb = rows->nb;
  write_matrix(rows, graph, E, diag, own);
  E->white[0] = 0;
  for (int k = 0; k < E->n; k++) {
    const int d = size_at(rows, graph, E, k), last = E->start[k + 1];
    double *F = E->F + (size_t)(k * nb * nb);
    const int rank = E->rank[k] = whiten(d, diag + (size_t)(k * nb * nb), own + k * nb, F);
    E->white[k + 1] = E->white[k] + rank;
    for (int e = E->start[k]; e < last; e++)
      right_times(size_at(rows, graph, E, E->col[e]), d, rank, F, E->B + E->first[e]);
    for (int e = E->start[k]; e < last; e++) {
      const int i = E->col[e], d_i = size_at(rows, graph, E, i);
      const double *X = E->B + E->first[e];
      subtract_outer(d_i, d_i, d, rank, X, X, diag + (size_t)(i * nb * nb));
      for (int f = e + 1, at = E->start[i]; f < last; f++, at++) {
        while (E->col[at] != E->col[f]) at++;
        subtract_outer(size_at(rows, graph, E, E->col[f]), d_i, d, rank, E->B + E->first[f], X,
                       E->B + E->first[at]);
      }
    }
  }
}

bool dls_equality_is_independent(const dls_rows *rows, const dls_block_graph *graph,
                                 const dls_equality *E, int k, int i) {
  const int d = size_at(rows, graph, E, k);
  const double *F = E->F + (size_t)(k * rows->nb * rows->nb);
  for (int r = 0; r < E->rank[k]; r++)
    if (F[r * d + i] != 0) return true;
  return false;
}

void dls_equality_forward(const dls_rows *rows, const dls_block_graph *graph, const dls_equality *E,
                          double *r, double *t) {
  const int nb = rows->nb;
  for (int k = 0; k < E->n; k++) {
    const int d = size_at(rows, graph, E, k), rank = E->rank[k];
    const double *F = E->F + (size_t)(k * nb * nb);
    double *own = t + E->white[k];
    for (int i = 0; i < rank; i++) {
      own[i] = 0;
      for (int j = 0; j < d; j++) own[i] += F[i * d + j] * r[k * nb + j];
    }
    for (int e = E->start[k]; e < E->start[k + 1]; e++) {
      const int i = E->col[e], d_i = size_at(rows, graph, E, i);
      const double *B = E->B + E->first[e];
      for (int a = 0; a < d_i; a++)
        for (int j = 0; j < rank; j++) r[i * nb + a] -= B[a * d + j] * own[j];
    }
  }
}

void dls_equality_backward(const dls_rows *rows, const dls_block_graph *graph,
                           const dls_equality *E, double *t, double *p) {
  const int nb = rows->nb;
  for (int k = E->n - 1; k >= 0; k--) {
    const int d = size_at(rows, graph, E, k), rank = E->rank[k];
    const double *F = E->F + (size_t)(k * nb * nb);
    double *own = t + E->white[k];
    for (int e = E->start[k]; e < E->start[k + 1]; e++) {
      const int i = E->col[e], d_i = size_at(rows, graph, E, i);
      const double *B = E->B + E->first[e];
      for (int a = 0; a < d_i; a++)
        for (int j = 0; j < rank; j++) own[j] -= B[a * d + j] * p[i * nb + a];
    }
    for (int j = 0; j < d; j++) {
      p[k * nb + j] = 0;
      for (int i = 0; i < rank; i++) p[k * nb + j] += F[i * d + j] * own[i];
    }
  }
}

/* --- supports of others in it ----------------------------------------------------------------- */

dls_status dls_equality_walk_take(dls_rows *rows, const dls_block_graph *graph,
                                  const dls_equality *E, dls_arena *tmp, dls_equality_walk *c) {
  const int nb = rows->nb;
  c->mark = DLS_TAKE(tmp, int, 3 * (size_t)E->n + 2 * (size_t)graph->n);
  c->work = DLS_TAKE(tmp, double, (size_t)(E->n * nb * nb));
  if (!c->mark || !c->work) return dls_want(rows, tmp, (size_t)(graph->n + E->n * nb * nb) * 16);
  c->way = c->mark + E->n;
  c->spot = c->way + E->n;
  c->met = c->spot + E->n;
  c->seen = c->met + graph->n;
  for (int k = 0; k < E->n; k++) c->mark[k] = -1;
  for (int k = 0; k < graph->n; k++) c->seen[k] = -1;
  return DLS_OK;
}

dls_status dls_equality_support(dls_rows *rows, dls_block_graph *graph, const dls_equality *E,
                                int c, dls_equality_walk *w, dls_arena *tmp) {
  const int nb = rows->nb;
  const int n_met = dls_block_graph_meeting(graph, c, 0, graph->n_equal, w->seen, w->met);
  if (n_met == 0) return DLS_OK;
  const dls_block *block = &rows->block[graph->block[c]];
  const int d = block->n;
  int n = 0, numbers = graph->on[c].n;
  for (int m = 0; m < n_met; m++)
    for (int k = E->place[w->met[m]]; w->mark[k] != c; k = E->col[E->start[k]]) {
      w->mark[k] = c;
      w->way[n++] = k;
      numbers += E->rank[k];
      if (E->start[k] == E->start[k + 1]) break;
    }
  dls_sort_ints(w->way, n);
  memset(w->work, 0, (size_t)(n * nb * nb) * sizeof *w->work);
  for (int i = 0; i < n; i++) w->spot[w->way[i]] = i;
  for (int m = 0; m < n_met; m++)
    dls_couple(rows, &rows->block[graph->block[w->met[m]]], &graph->on[w->met[m]], block,
               &graph->on[c], w->work + (size_t)(w->spot[E->place[w->met[m]]] * nb * nb));
  const dls_support tree = graph->on[c];
  dls_support out;
  dls_status status = dls_support_take(rows, &out, numbers, d, tmp);
  if (status != DLS_OK) return status;
  if (tree.n > 0) {
    memcpy(out.at, tree.at, (size_t)tree.n * sizeof(int));
    memcpy(out.z, tree.z, (size_t)(tree.n * d) * sizeof(double));
    memcpy(out.y, tree.y, (size_t)(tree.n * d) * sizeof(double));
  }
  int l = tree.n;
  for (int s = 0; s < n; s++) {
    const int k = w->way[s], d_k = size_at(rows, graph, E, k), rank = E->rank[k];
    const double *F = E->F + (size_t)(k * nb * nb), *r = w->work + (size_t)(s * nb * nb);
    const double *t = out.y + l * d;
    for (int i = 0; i < rank; i++, l++) {
      out.at[l] = graph->n_x + E->white[k] + i;
      for (int j = 0; j < d; j++) {
        double sum = 0;
        for (int a = 0; a < d_k; a++) sum += F[i * d_k + a] * r[a * d + j];
        out.y[l * d + j] = sum;
        out.z[l * d + j] = -sum;
      }
    }
    for (int e = E->start[k]; e < E->start[k + 1]; e++) {
      const int d_i = size_at(rows, graph, E, E->col[e]);
      double *to = w->work + (size_t)(w->spot[E->col[e]] * nb * nb);
      const double *B = E->B + E->first[e];
      for (int a = 0; a < d_i; a++)
        for (int i = 0; i < rank; i++)
          for (int j = 0; j < d; j++) to[a * d + j] -= B[a * d_k + i] * t[i * d + j];
    }
  }
  graph->on[c] = out;
  return DLS_OK;
}
