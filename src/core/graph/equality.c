/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/equality.h"

#include "core/graph/elimination.h"
#include "core/rows/island.h"
#include "core/rows/tree_rows.h"

/* Below this share of its own a row's pivot is round-off: it depends on others; and below this one
** of what its bodies would do by themselves: the trees' joints give way to nothing of it (a weld in
** a tree and beside it leaves 1e-33 m/s per N s; from 1e-28 to 1e-12 nothing changes). */
static const double DEPENDENT = 1e-10, STIFF = 1e-15;

/* --- numbers ---------------------------------------------------------------------------------- */

static inline int size_at(const dls_equality *E, int k) {
  return E->column[k + 1] - E->column[k];
}

/* F (rank x d) of A (d x d, lost) by Cholesky with the largest share of `own` as the next pivot;
** answers the rank. *least: no more than any of these shares. */
static int whiten(int d, double *A, const double *own, double *F, double *least) {
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
    *least = dls_min(*least, most);
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

/* The numbers of the blocks' supports, by groups. */
static void write_shared(const dls_block_graph *graph, dls_equality *E) {
  dls_shared_numbers *s = &E->shared;
  memset(s->y, 0, s->at[s->n] * sizeof *s->y);
  memset(s->spot, 0, (size_t)s->n * sizeof *s->spot);
  for (int k = 0; k < E->n; k++) {
    const dls_support *on = &graph->on[E->which[k]];
    const int d = size_at(E, k);
    for (int l = 0; l < on->n; l++) {
      const int g = s->group[on->at[l]];
      if (g < 0) continue;
      const size_t width = (s->at[g + 1] - s->at[g]) / (size_t)s->size[g];
      double *to = s->y + s->at[g] +
                   dls_runs_seek(s->run + 2 * s->run_start[g], E->column[k], &s->spot[g]);
      for (int r = 0; r < s->size[g]; r++)
        memcpy(to + (size_t)r * width, on->y + (l + r) * d, (size_t)d * sizeof *to);
    }
  }
  memset(s->spot, 0, (size_t)s->n * sizeof *s->spot);
}

/* What row k of W has of bodies, the diagonal and right of it. */
static void add_bodies(const dls_rows *rows, const dls_block_graph *graph, dls_equality *E, int k) {
  const int which = E->which[k];
  const dls_block *block = &rows->block[graph->block[which]];
  for (int e = graph->start[which]; e < graph->start[which + 1]; e++) {
    const int node = graph->node[e];
    for (int f = graph->node_start[node]; node < graph->n_bodies && f < graph->node_start[node + 1];
         f++) {
      const int other = graph->at_node[f];
      if (other >= graph->n_equal || E->place[other] < k || E->mark[E->place[other]] == k) continue;
      const dls_block *to = &rows->block[graph->block[other]];
      double W[DLS_MOST_ROWS * DLS_MOST_ROWS], *out = E->work + E->column[E->place[other]];
      E->mark[E->place[other]] = k;
      dls_couple_bodies(rows, block, to, W);
      for (int i = 0; i < block->n; i++)
        memcpy(out + (size_t)i * E->ld, W + i * to->n, (size_t)to->n * sizeof *W);
    }
  }
}

/* What it has of numbers of trees. */
static void add_shared(const dls_lanes *lanes, const dls_support *on, dls_equality *E, int k) {
  dls_shared_numbers *s = &E->shared;
  const int d = size_at(E, k);
  for (int l = 0; l < on->n; l++) {
    const int g = s->group[on->at[l]];
    if (g < 0) continue;
    const int size = s->size[g], *run = s->run + 2 * s->run_start[g];
    double less[DLS_MOST_ROWS * DLS_MOST_ROWS];
    for (int i = 0; i < d; i++)
      for (int r = 0; r < size; r++) less[i * size + r] = -on->z[(l + r) * d + i];
    (void)dls_runs_seek(run, E->column[k], &s->spot[g]);
    dls_runs_subtract(lanes, d, size, less, (size_t)size, s->y + s->at[g],
                      (s->at[g + 1] - s->at[g]) / (size_t)size, run,
                      s->run_start[g + 1] - s->run_start[g], &s->spot[g], E->column[k], E->work,
                      E->ld);
  }
}

/* Less the rows of B' that fill row k, each of which then waits for its next column. */
static void subtract_rows(const dls_lanes *lanes, dls_equality *E, int k) {
  const int d = size_at(E, k);
  for (int i = E->head[k], next; i >= 0; i = next) {
    const int rank = E->rank[i], *run = E->run + 2 * E->run_start[i];
    const size_t width = (E->at[i + 1] - E->at[i]) / (size_t)size_at(E, i);
    const double *B = E->B + E->at[i];
    const size_t at = dls_runs_seek(run, E->column[k], &E->spot[i]);
    double A[DLS_MOST_ROWS * DLS_MOST_ROWS];
    next = E->next[i];
    for (int j = 0; j < d; j++)
      for (int r = 0; r < rank; r++) A[j * rank + r] = B[(size_t)r * width + at + (size_t)j];
    if (rank > 0)
      dls_runs_subtract(lanes, d, rank, A, (size_t)rank, B, width, run,
                        E->run_start[i + 1] - E->run_start[i], &E->spot[i], E->column[k], E->work,
                        E->ld);
    if (++E->entry[i] == E->start[i + 1]) continue;
    E->next[i] = E->head[E->col[E->entry[i]]];
    E->head[E->col[E->entry[i]]] = i;
  }
}

/* Row k of B' from the work row: F_k times it. */
static void write_row(const dls_lanes *lanes, dls_equality *E, int k, const double *F) {
  const int d = size_at(E, k), rank = E->rank[k];
  const size_t width = (E->at[k + 1] - E->at[k]) / (size_t)d;
  double *B = E->B + E->at[k], less[DLS_MOST_ROWS * DLS_MOST_ROWS];
  memset(B, 0, (size_t)rank * width * sizeof *B);
  for (int i = 0; i < rank * d; i++) less[i] = -F[i];
  for (int b = E->run_start[k]; b < E->run_start[k + 1] && rank > 0; b++) {
    const int n = E->run[2 * b + 1], all = dls_lanes_fours(n), own[2] = {0, n};
    lanes->gemm_runs(rank, d, less, (size_t)d, E->work + E->run[2 * b], E->ld, own, 1, B, width);
    for (int r = 0; r < rank; r++)
      for (int j = n; j < all; j++) B[(size_t)r * width + (size_t)j] = 0;
    B += all;
  }
  E->spot[k] = (dls_runs_place){0, 0};
  E->entry[k] = E->start[k];
  if (E->start[k] == E->start[k + 1]) return;
  E->next[k] = E->head[E->col[E->start[k]]];
  E->head[E->col[E->start[k]]] = k;
}

void dls_equality_factor(const dls_rows *rows, const dls_block_graph *graph, dls_equality *E) {
  const dls_lanes *lanes = dls_lanes_best();
  const int nb = rows->nb;
  write_shared(graph, E);
  for (int k = 0; k < E->n; k++) E->head[k] = E->mark[k] = -1;
  E->white[0] = 0;
  E->least = 1;
  for (int k = 0; k < E->n; k++) {
    const dls_block *block = &rows->block[graph->block[E->which[k]]];
    const dls_support *on = &graph->on[E->which[k]];
    const int d = block->n;
    double *diag = E->work + E->column[k], *F = E->F + (size_t)(k * nb * nb);
    double A[DLS_MOST_ROWS * DLS_MOST_ROWS], own[DLS_MOST_ROWS];
    dls_runs_clear(d, (int[]){E->column[k], d}, 1, E->work, E->ld);
    dls_runs_clear(d, E->run + 2 * E->run_start[k], E->run_start[k + 1] - E->run_start[k], E->work,
                   E->ld);
    add_bodies(rows, graph, E, k);
    add_shared(lanes, on, E, k);
    for (int i = 0; i < d; i++) {
      double *W = &diag[(size_t)i * E->ld + (size_t)i];
      *W += rows->gamma[block->row + i];
      const bool gives = on->n == 0 || *W > STIFF * dls_row_alone(rows, block, i);
      own[i] = gives ? *W : 0;
    }
    subtract_rows(lanes, E, k);
    for (int i = 0; i < d; i++) memcpy(A + i * d, diag + (size_t)i * E->ld, (size_t)d * sizeof *A);
    E->rank[k] = whiten(d, A, own, F, &E->least);
    E->white[k + 1] = E->white[k] + E->rank[k];
    write_row(lanes, E, k, F);
  }
}

bool dls_equality_is_independent(const dls_rows *rows, const dls_equality *E, int k, int i) {
  const double *F = E->F + (size_t)(k * rows->nb * rows->nb);
  for (int r = 0; r < E->rank[k]; r++)
    if (F[r * size_at(E, k) + i] != 0) return true;
  return false;
}

void dls_equality_forward(const dls_rows *rows, const dls_equality *E, const double *r, double *t) {
  const dls_lanes *lanes = dls_lanes_best();
  const int nb = rows->nb;
  double *x = E->work;
  for (int k = 0; k < E->n; k++)
    memcpy(x + E->column[k], r + k * nb, (size_t)size_at(E, k) * sizeof *x);
  for (int k = 0; k < E->n; k++) {
    const int d = size_at(E, k), rank = E->rank[k], first = E->run_start[k];
    const double *F = E->F + (size_t)(k * nb * nb);
    double *own = t + E->white[k];
    for (int i = 0; i < rank; i++) {
      own[i] = 0;
      for (int j = 0; j < d; j++) own[i] += F[i * d + j] * x[E->column[k] + j];
    }
    if (rank > 0)
      lanes->gemm_runs(1, rank, own, (size_t)rank, E->B + E->at[k],
                       (E->at[k + 1] - E->at[k]) / (size_t)d, E->run + 2 * first,
                       E->run_start[k + 1] - first, x, E->ld);
  }
}

/* sum_i a_i x_i; a sum in lanes costs as much as so many products one by one. */
static double product(const dls_lanes *lanes, int n, const double *a, const double *x) {
  enum { WIDE = 8 };
  if (n >= WIDE) return lanes->dot(n, a, x);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * x[i];
  return sum;
}

void dls_equality_backward(const dls_rows *rows, const dls_equality *E, double *t, double *p) {
  const dls_lanes *lanes = dls_lanes_best();
  const int nb = rows->nb;
  double *x = E->work;
  for (int k = E->n - 1; k >= 0; k--) {
    const int d = size_at(E, k), rank = E->rank[k];
    const size_t width = (E->at[k + 1] - E->at[k]) / (size_t)d;
    const double *F = E->F + (size_t)(k * nb * nb), *B = E->B + E->at[k];
    double *own = t + E->white[k];
    for (int b = E->run_start[k]; b < E->run_start[k + 1]; b++) {
      const int *run = E->run + 2 * b;
      for (int j = 0; j < rank; j++)
        own[j] -= product(lanes, run[1], B + (size_t)j * width, x + run[0]);
      B += dls_lanes_fours(run[1]);
    }
    for (int j = 0; j < d; j++) {
      double sum = 0;
      for (int i = 0; i < rank; i++) sum += F[i * d + j] * own[i];
      p[k * nb + j] = x[E->column[k] + j] = sum;
    }
  }
}

/* --- supports of others in it ----------------------------------------------------------------- */

dls_status dls_equality_walk_take(dls_rows *rows, const dls_block_graph *graph,
                                  const dls_equality *E, dls_arena *tmp, dls_equality_walk *c) {
  c->mark = DLS_TAKE(tmp, int, 2 * (size_t)E->n + 2 * (size_t)graph->n);
  if (!c->mark) return dls_want(rows, tmp, (size_t)(graph->n + E->n) * 16);
  c->way = c->mark + E->n;
  c->met = c->way + E->n;
  c->seen = c->met + graph->n;
  for (int k = 0; k < E->n; k++) c->mark[k] = -1;
  for (int k = 0; k < graph->n; k++) c->seen[k] = -1;
  return DLS_OK;
}

/* W_cB of block c, by columns, where it meets bilateral blocks, and zeros on the ways from there to
** the roots: n places, ascending. */
static int read_meeting(const dls_rows *rows, const dls_block_graph *graph, const dls_equality *E,
                        int c, int n_met, dls_equality_walk *w) {
  const dls_block *block = &rows->block[graph->block[c]];
  int n = 0;
  for (int m = 0; m < n_met; m++)
    for (int k = E->place[w->met[m]]; w->mark[k] != c; k = E->col[E->start[k]]) {
      w->mark[k] = c;
      w->way[n++] = k;
      if (E->start[k] == E->start[k + 1]) break;
    }
  dls_sort_ints(w->way, n);
  for (int s = 0; s < n; s++) {
    const int run[2] = {E->column[w->way[s]], size_at(E, w->way[s])};
    dls_runs_clear(block->n, run, 1, E->work, E->ld);
  }
  for (int m = 0; m < n_met; m++) {
    const dls_block *other = &rows->block[graph->block[w->met[m]]];
    double W[DLS_MOST_ROWS * DLS_MOST_ROWS], *to = E->work + E->column[E->place[w->met[m]]];
    dls_couple(rows, other, &graph->on[w->met[m]], block, &graph->on[c], W);
    for (int a = 0; a < other->n; a++)
      for (int j = 0; j < block->n; j++) to[(size_t)j * E->ld + (size_t)a] = W[a * block->n + j];
  }
  return n;
}

dls_status dls_equality_support(dls_rows *rows, dls_block_graph *graph, const dls_equality *E,
                                int c, dls_equality_walk *w, dls_arena *tmp) {
  const dls_lanes *lanes = dls_lanes_best();
  const int nb = rows->nb, d = rows->block[graph->block[c]].n;
  const int n_met = dls_block_graph_meeting(graph, c, 0, graph->n_equal, w->seen, w->met);
  if (n_met == 0) return DLS_OK;
  const int n = read_meeting(rows, graph, E, c, n_met, w);
  const dls_support tree = graph->on[c];
  dls_support out;
  int numbers = tree.n;
  for (int s = 0; s < n; s++) numbers += E->rank[w->way[s]];
  dls_status status = dls_support_take(rows, &out, numbers, d, tmp);
  if (status != DLS_OK) return status;
  if (tree.n > 0) {
    memcpy(out.at, tree.at, (size_t)tree.n * sizeof(int));
    memcpy(out.z, tree.z, (size_t)(tree.n * d) * sizeof(double));
    memcpy(out.y, tree.y, (size_t)(tree.n * d) * sizeof(double));
  }
  int l = tree.n;
  for (int s = 0; s < n; s++) {
    const int k = w->way[s], d_k = size_at(E, k), rank = E->rank[k], first = E->run_start[k];
    const double *F = E->F + (size_t)(k * nb * nb), *r = E->work + E->column[k];
    double t[DLS_MOST_ROWS * DLS_MOST_ROWS]; /* d x rank */
    for (int i = 0; i < rank; i++, l++) {
      out.at[l] = graph->n_x + E->white[k] + i;
      for (int j = 0; j < d; j++) {
        double sum = 0;
        for (int a = 0; a < d_k; a++) sum += F[i * d_k + a] * r[(size_t)j * E->ld + (size_t)a];
        t[j * rank + i] = out.y[l * d + j] = sum;
        out.z[l * d + j] = -sum;
      }
    }
    if (rank > 0)
      lanes->gemm_runs(d, rank, t, (size_t)rank, E->B + E->at[k],
                       (E->at[k + 1] - E->at[k]) / (size_t)d_k, E->run + 2 * first,
                       E->run_start[k + 1] - first, E->work, E->ld);
  }
  graph->on[c] = out;
  return DLS_OK;
}
