/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* An island's bodies as the nodes of a graph, joined by its blocks, and the block LU
**
**     (1 + sum over the blocks J' S M^-1 J) y = r,    NU x NU blocks, S a block's own matrix,
**
** whose unknowns are the bodies' impulses y. Bodies are ordered by minimum degree; there is no
** pivoting between bodies. The pattern of a body at place k are the later places it is joined to
** when its turn comes: its own neighbours and those of the places that wait for it first (its
** children in the elimination tree).
** Source: T. A. Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, chapters 4 and 6. */

/* ROW numbers of y a place; element (i, j) of a block stands at i DOWN + j ACROSS. In the plane both are made for lanes
** (web_lanes.h). */
#if D == 2
#include "core/rows/web_lanes.h"
enum { ROW = DLS_WEB_ROW, NU2 = DLS_WEB_BLOCK, DOWN = 1, ACROSS = DLS_WEB_ROW };
#else
enum { ROW = NU, NU2 = NU * NU, DOWN = NU, ACROSS = 1 };
#endif

typedef struct web {
  int n;          /* bodies that move                                           */
  int *body;      /* n: by place                                                */
  int *place;     /* n_bodies: of the bodies that move; others undefined        */
  int *start;     /* n + 1: pattern of place k is col[start[k] .. start[k+1]-1] */
  int *col;       /* later places, ascending                                    */
  double *d;      /* n x NU2: diagonal blocks, then their inverses              */
  double *up;     /* start[n] x NU2: K_kj                                       */
  double *low;    /* start[n] x NU2: K_jk, then L_jk                            */
} web;

static bool moves(const dls_rows *rows, int body) { return rows->inv_mass[body] > 0; }

/* Numbers the bodies in the order of the blocks; answers how many. */
static int number_bodies(const dls_rows *rows, const int *blocks, int n, int *place, int *body) {
  int count = 0;
  for (int k = 0; k < n; k++) {
    place[rows->block[blocks[k]].a] = -1;
    place[rows->block[blocks[k]].b] = -1;
  }
  for (int k = 0; k < n; k++) {
    const int pair[2] = {rows->block[blocks[k]].a, rows->block[blocks[k]].b};
    for (int i = 0; i < 2; i++) {
      if (!moves(rows, pair[i]) || place[pair[i]] >= 0) continue;
      if (body) body[count] = pair[i];
      place[pair[i]] = count++;
    }
  }
  return count;
}

static bool joins(const dls_rows *rows, const dls_block *block) {
  return block->a != block->b && moves(rows, block->a) && moves(rows, block->b);
}

static void sort_ints(int *x, int n) {
  for (int gap = n / 2; gap > 0; gap /= 2)
    for (int i = gap; i < n; i++) {
      int one = x[i], j = i;
      for (; j >= gap && x[j - gap] > one; j -= gap) x[j] = x[j - gap];
      x[j] = one;
    }
}

/* Neighbours of each body, ascending, each once. */
static void fill_neighbours(const dls_rows *rows, const int *blocks, int n, const web *w,
                            int *start, int *col) {
  memset(start, 0, (size_t)(w->n + 1) * sizeof(int));
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (!joins(rows, block)) continue;
    start[w->place[block->a] + 1]++;
    start[w->place[block->b] + 1]++;
  }
  for (int i = 0; i < w->n; i++) start[i + 1] += start[i];
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (!joins(rows, block)) continue;
    int a = w->place[block->a], b = w->place[block->b];
    col[start[a]++] = b;
    col[start[b]++] = a;
  }
  for (int i = w->n; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
  int kept = 0;
  for (int i = 0, from = 0; i < w->n; i++) {
    int to = start[i + 1], first = kept;
    sort_ints(col + from, to - from);
    for (int e = from; e < to; e++)
      if (kept == first || col[kept - 1] != col[e]) col[kept++] = col[e];
    from = to;
    start[i + 1] = kept;
  }
}

/* Patterns of all places into col (room of them); answers the number, -1 where room is short.
** first_child, sibling, mark: n each. */
static int fill_patterns(const dls_sparse *A, const int *order, const int *place_of, web *w,
                         int room, int *first_child, int *sibling, int *mark) {
  int at = 0;
  for (int k = 0; k < w->n; k++) first_child[k] = mark[k] = -1;
  for (int k = 0; k < w->n; k++) {
    w->start[k] = at;
    mark[k] = k;
    for (int e = A->start[order[k]]; e < A->start[order[k] + 1]; e++) {
      int j = place_of[A->col[e]];
      if (j <= k || mark[j] == k) continue;
      if (at == room) return -1;
      mark[j] = k;
      w->col[at++] = j;
    }
    for (int c = first_child[k]; c >= 0; c = sibling[c])
      for (int e = w->start[c]; e < w->start[c + 1]; e++) {
        int j = w->col[e];
        if (mark[j] == k) continue;
        if (at == room) return -1;
        mark[j] = k;
        w->col[at++] = j;
      }
    sort_ints(w->col + w->start[k], at - w->start[k]);
    w->start[k + 1] = at;
    if (at == w->start[k]) continue;
    int parent = w->col[w->start[k]];
    sibling[k] = first_child[parent];
    first_child[parent] = k;
  }
  w->start[w->n] = at;
  return at;
}

/* Orders the island's bodies and takes the room of their factor. DLS_FULL: rows->need. */
static dls_status weave(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, web *w) {
  rows->need = tmp->size + ((size_t)n * 40 + (size_t)rows->n_bodies) * NU2 * sizeof(double);
  *w = (web){.place = DLS_TAKE(tmp, int, rows->n_bodies)};
  if (!w->place) return DLS_FULL;
  w->n = number_bodies(rows, blocks, n, w->place, NULL);
  size_t m = (size_t)w->n;
  w->body = DLS_TAKE(tmp, int, m);
  w->start = DLS_TAKE(tmp, int, m + 1);
  w->d = DLS_TAKE(tmp, double, m * NU2);
  if (!w->d || !w->start || !w->body) return DLS_FULL;
  size_t mark = dls_arena_mark(tmp);
  int *ints = DLS_TAKE(tmp, int, 6 * m + 1), *col = DLS_TAKE(tmp, int, 2 * n);
  if (!ints || !col) return DLS_FULL;
  int *start = ints, *order = ints + m + 1, *to_place = order + m;
  fill_neighbours(rows, blocks, n, w, start, col);
  dls_sparse A = {.n_rows = w->n, .n_cols = w->n, .start = start, .col = col};
  dls_status status = dls_sparse_order(&A, order, tmp);
  if (status != DLS_OK) return status;
  for (int k = 0; k < w->n; k++) to_place[order[k]] = k;
  size_t left = (tmp->size - tmp->used) / sizeof(int);
  int room = left > 64 ? (int)dls_min((double)(left - 64), 1e9) : 0, fill = -1;
  w->col = DLS_TAKE(tmp, int, room);
  if (w->col)
    fill = fill_patterns(&A, order, to_place, w, room, to_place + m, to_place + 2 * m,
                         to_place + 3 * m);
  if (fill < 0) return DLS_FULL;
  number_bodies(rows, blocks, n, w->place, w->body);
  for (int k = 0; k < w->n; k++) to_place[order[k]] = w->body[order[k]];
  for (int k = 0; k < w->n; k++) w->body[k] = to_place[order[k]];
  for (int k = 0; k < w->n; k++) w->place[w->body[k]] = k;
  /* The patterns move to the front, over what is no longer needed. */
  const int *from = w->col;
  dls_arena_release(tmp, mark);
  w->col = DLS_TAKE(tmp, int, fill);
  if (!w->col) return DLS_FULL;
  memmove(w->col, from, (size_t)fill * sizeof(int));
  w->up = DLS_TAKE(tmp, double, (size_t)fill * NU2);
  w->low = DLS_TAKE(tmp, double, (size_t)fill * NU2);
  return w->up && w->low ? DLS_OK : DLS_FULL;
}

/* Where K_kj stands, k < j. */
static int entry_of(const web *w, int k, int j) {
  int lo = w->start[k], hi = w->start[k + 1];
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (w->col[mid] < j) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/* --- numbers ----------------------------------------------------------------------------- */

static void clear_web(web *w) {
  size_t fill = (size_t)w->start[w->n] * NU2;
  memset(w->d, 0, (size_t)w->n * NU2 * sizeof(double));
  memset(w->up, 0, fill * sizeof(double));
  memset(w->low, 0, fill * sizeof(double));
  for (int k = 0; k < w->n; k++)
    for (int i = 0; i < NU; i++) w->d[(size_t)k * NU2 + (size_t)(i * (DOWN + ACROSS))] = 1;
}

/* Multiplications of a factor. */
static double web_cost(const web *w) {
  double sum = 0;
  for (int k = 0; k < w->n; k++) {
    const double later = w->start[k + 1] - w->start[k];
    sum += (later + 1) * (later + 1);
  }
  return sum * NU * NU * NU;
}

#if D == 2
static dls_web_factor factor_of(const web *w) {
  return (dls_web_factor){w->n, w->start, w->col, w->d, w->up, w->low};
}

static void factor_web(const web *w) {
  const dls_web_factor K = factor_of(w);
  dls_web_lanes_best()->factor(&K);
}

/* y <- K^-1 y; y by places. */
static void solve_web(const web *w, double *y) {
  const dls_web_factor K = factor_of(w);
  const dls_web_lanes *lanes = dls_web_lanes_best();
  lanes->lower(&K, y);
  lanes->upper(&K, y);
}
#else
/* c -= a b */
static inline void subtract_product(const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < NU; i++, a += NU, c += NU) {
    for (int j = 0; j < NU; j++) {
      double sum = a[0] * b[j];
      for (int k = 1; k < NU; k++) sum += a[k] * b[NU * k + j];
      c[j] -= sum;
    }
  }
}

static inline void subtract_image(const double *a, const double *x, double *restrict y) {
  for (int i = 0; i < NU; i++) y[i] -= dot_u(a + NU * i, x);
}

/* a <- a^-1 by Gauss and Jordan with row pivots; a pivot below `least` of the largest number in
** its row is lifted. */
static void invert_block(double *a) {
  double inv[NU2];
  for (int i = 0; i < NU2; i++) inv[i] = i % (NU + 1) == 0;
  for (int k = 0; k < NU; k++) {
    int best = k;
    for (int i = k + 1; i < NU; i++)
      if (fabs(a[i * NU + k]) > fabs(a[best * NU + k])) best = i;
    for (int j = 0; best != k && j < NU; j++) {
      double x = a[k * NU + j], y = inv[k * NU + j];
      a[k * NU + j] = a[best * NU + j];
      inv[k * NU + j] = inv[best * NU + j];
      a[best * NU + j] = x;
      inv[best * NU + j] = y;
    }
    double pivot = a[k * NU + k];
    if (!(fabs(pivot) > 1e-30)) pivot = 1e-30;
    double scale = 1 / pivot;
    for (int j = 0; j < NU; j++) {
      a[k * NU + j] *= scale;
      inv[k * NU + j] *= scale;
    }
    for (int i = 0; i < NU; i++) {
      double x = a[i * NU + k];
      if (i == k || x == 0) continue;
      for (int j = 0; j < NU; j++) {
        a[i * NU + j] -= x * a[k * NU + j];
        inv[i * NU + j] -= x * inv[k * NU + j];
      }
    }
  }
  memcpy(a, inv, sizeof inv);
}

static void factor_web(web *w) {
  for (int k = 0; k < w->n; k++) {
    double *d = w->d + (size_t)k * NU2;
    invert_block(d);
    int last = w->start[k + 1];
    for (int e = w->start[k]; e < last; e++) {
      double *low = w->low + (size_t)e * NU2, was[NU2];
      for (int i = 0; i < NU2; i++) {
        was[i] = -low[i];
        low[i] = 0;
      }
      subtract_product(was, d, low);
    }
    for (int e = w->start[k]; e < last; e++) {
      int i = w->col[e], at = w->start[i];
      const double *low = w->low + (size_t)e * NU2, *up = w->up + (size_t)e * NU2;
      subtract_product(low, up, w->d + (size_t)i * NU2);
      for (int f = e + 1; f < last; f++) {
        while (w->col[at] != w->col[f]) at++;
        subtract_product(low, w->up + (size_t)f * NU2, w->up + (size_t)at * NU2);
        subtract_product(w->low + (size_t)f * NU2, up, w->low + (size_t)at * NU2);
      }
    }
  }
}

/* y <- K^-1 y; y by places. */
static void solve_web(const web *w, double *y) {
  for (int k = 0; k < w->n; k++)
    for (int e = w->start[k]; e < w->start[k + 1]; e++)
      subtract_image(w->low + (size_t)e * NU2, y + (size_t)k * NU, y + (size_t)w->col[e] * NU);
  for (int k = w->n - 1; k >= 0; k--) {
    double x[NU], *own = y + (size_t)k * NU;
    for (int e = w->start[k]; e < w->start[k + 1]; e++)
      subtract_image(w->up + (size_t)e * NU2, y + (size_t)w->col[e] * NU, own);
    for (int i = 0; i < NU; i++) x[i] = dot_u(w->d + (size_t)k * NU2 + NU * i, own);
    memcpy(own, x, sizeof x);
  }
}
#endif
