/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Bilateral rows eliminated. A block of them is held; W_BB of the held ones has the pattern of their
** graph (two meet on a body, or on a tree's node) and is factored block by block in an order of least
** degree,
**
**     P W_BB P' = B B',    B_kk = F_k^+,  B_ik = A_ik F_k',    F_k A_kk F_k' = 1,
**
** with pivots inside a block; a row that adds nothing to those before it has no part in F_k and gets no
** impulse. With the white numbers t = B^-1 (v_B + s_B) of the held rows without their own impulses,
**
**     p_B = -B'^-1 t,    and row c of the others has   v_c = J_c u - g_c' t,    g_c = B^-1 W_Bc,
**
** g_c being zero but on the ways to the root of the elimination tree from where c meets held rows.
** Source: T. A. Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, chapters 4 and 6. */

/* Below this share of its own a row's pivot is round-off: it depends on others. */
static const double DEPENDENT = 1e-10;

typedef struct hold {
  int n;          /* held blocks, in the order of elimination             */
  int *which;     /* n: number in the island's list, by place             */
  int *place;     /* n: the other way round                               */
  int *start;     /* n + 1: later places that place k fills               */
  int *col;       /* start[n], ascending in each                          */
  size_t *at;     /* start[n]: first number of the block in B             */
  double *B;      /* B_ik, d_i x d_k (the first rank_k columns count)     */
  double *F;      /* n x NB NB: F_k, rank_k x d_k                         */
  int *rank;      /* n: independent rows                                  */
  int *white;     /* n + 1: first white number of each                    */
} hold;

/* --- order and pattern ---------------------------------------------------------------------------- */

/* Which held blocks meet which: start (n + 1), col. */
static dls_status held_pattern(dls_rows *rows, const knot *x, dls_arena *tmp, int **start_out, int **col_out) {
  const int n = x->n_held;
  int *start = DLS_TAKE(tmp, int, n + 1), *mark = DLS_TAKE(tmp, int, x->n);
  int *list = DLS_TAKE(tmp, int, x->n);
  if (!start || !mark || !list) return dls_want(rows, tmp, 3 * (size_t)x->n * sizeof(int));
  for (int k = 0; k < x->n; k++) mark[k] = -1;
  start[0] = 0;
  for (int k = 0; k < n; k++) start[k + 1] = start[k] + meeting(x, k, 0, n, mark, list);
  int *col = DLS_TAKE(tmp, int, start[n]);
  if (!col) return dls_want(rows, tmp, (size_t)start[n] * sizeof(int));
  for (int k = 0; k < x->n; k++) mark[k] = -1;
  for (int k = 0; k < n; k++) meeting(x, k, 0, n, mark, col + start[k]);
  *start_out = start;
  *col_out = col;
  return DLS_OK;
}

static dls_status plan_hold(dls_rows *rows, const knot *x, dls_arena *tmp, hold *h) {
  const int n = x->n_held;
  int *start = NULL, *col = NULL;
  *h = (hold){.n = n};
  dls_status status = held_pattern(rows, x, tmp, &start, &col);
  if (status != DLS_OK) return status;
  h->which = DLS_TAKE(tmp, int, n);
  h->place = DLS_TAKE(tmp, int, n);
  h->start = DLS_TAKE(tmp, int, n + 1);
  h->rank = DLS_TAKE(tmp, int, n);
  h->white = DLS_TAKE(tmp, int, n + 1);
  h->F = DLS_TAKE(tmp, double, (size_t)n * NB * NB);
  int *more = DLS_TAKE(tmp, int, 3 * (size_t)n);
  if (!h->which || !h->place || !h->start || !h->rank || !h->white || !h->F || !more)
    return dls_want(rows, tmp, (size_t)n * NB * NB * 16);
  const dls_sparse A = {.n_rows = n, .n_cols = n, .start = start, .col = col};
  status = dls_sparse_order(&A, h->which, tmp);
  if (status != DLS_OK) return dls_want(rows, tmp, dls_sparse_order_bytes((size_t)n, (size_t)start[n]));
  for (int k = 0; k < n; k++) h->place[h->which[k]] = k;
  const size_t left = tmp->size - tmp->used;
  const int room = left > 4096 ? (int)dls_min((double)(left - 4096) / sizeof(int), 1e9) : 0;
  const size_t mark = dls_arena_mark(tmp);
  h->col = DLS_TAKE(tmp, int, room);
  const int fill = h->col ? dls_elimination_patterns(&A, h->which, h->place, h->start, h->col, room, more) : -1;
  if (fill < 0) return dls_want(rows, tmp, tmp->size);
  dls_arena_release(tmp, mark);
  h->col = DLS_TAKE(tmp, int, fill); /* the same place, cut to its size */
  h->at = DLS_TAKE(tmp, size_t, (size_t)fill + 1);
  if (!h->col || !h->at) return dls_want(rows, tmp, (size_t)fill * 16);
  size_t size = 0;
  for (int k = 0; k < n; k++)
    for (int e = h->start[k]; e < h->start[k + 1]; e++) {
      h->at[e] = size;
      size += (size_t)(rows->block[x->block[h->which[k]]].n * rows->block[x->block[h->which[h->col[e]]]].n);
    }
  h->at[fill] = size;
  h->B = DLS_TAKE(tmp, double, size);
  return h->B ? DLS_OK : dls_want(rows, tmp, size * sizeof(double));
}

/* --- numbers -------------------------------------------------------------------------------------- */

static inline int size_at(const dls_rows *rows, const knot *x, const hold *h, int k) {
  return rows->block[x->block[h->which[k]]].n;
}

/* F (rank x d) of A (d x d, lost) by Cholesky with the largest share of `own` as the next pivot; answers
** the rank. */
static int whiten(int d, double *A, const double *own, double *F) {
  double C[NB * NB] = {0}; /* unit combinations of rows that are independent so far */
  bool taken[NB] = {false};
  int rank = 0;
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
    double *row = F + rank * d, a[NB];
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
    double was[NB];
    memcpy(was, A + i * d_k, (size_t)d_k * sizeof *was);
    for (int r = 0; r < d_k; r++) {
      double sum = 0;
      for (int j = 0; j < d_k && r < rank; j++) sum += was[j] * F[r * d_k + j];
      A[i * d_k + r] = sum;
    }
  }
}

/* C -= X Y', X d_i x d_k, Y d_j x d_k. */
static inline void subtract_outer(int d_i, int d_j, int d_k, int rank, const double *X, const double *Y, double *C) {
  for (int i = 0; i < d_i; i++)
    for (int j = 0; j < d_j; j++) {
      double sum = 0;
      for (int r = 0; r < rank; r++) sum += X[i * d_k + r] * Y[j * d_k + r];
      C[i * d_j + j] -= sum;
    }
}

static void write_held(const dls_rows *rows, const knot *x, const hold *h, double *diag, double *own) {
  for (int k = 0; k < h->n; k++) {
    const int which = h->which[k];
    const dls_block *block = &rows->block[x->block[which]];
    double *A = diag + (size_t)k * NB * NB;
    couple(rows, block, &x->on[which], block, &x->on[which], A);
    for (int i = 0; i < block->n; i++) {
      A[i * block->n + i] += rows->gamma[block->row + i];
      own[k * NB + i] = A[i * block->n + i];
    }
    for (int e = h->start[k]; e < h->start[k + 1]; e++) {
      const int other = h->which[h->col[e]];
      couple(rows, &rows->block[x->block[other]], &x->on[other], block, &x->on[which], h->B + h->at[e]);
    }
  }
}

/* The factor; diag: n x NB NB, own: n x NB, scratch. */
static void factor_hold(const dls_rows *rows, const knot *x, hold *h, double *diag, double *own) {
  write_held(rows, x, h, diag, own);
  h->white[0] = 0;
  for (int k = 0; k < h->n; k++) {
    const int d = size_at(rows, x, h, k), last = h->start[k + 1];
    double *F = h->F + (size_t)k * NB * NB;
    const int rank = h->rank[k] = whiten(d, diag + (size_t)k * NB * NB, own + k * NB, F);
    h->white[k + 1] = h->white[k] + rank;
    for (int e = h->start[k]; e < last; e++)
      right_times(size_at(rows, x, h, h->col[e]), d, rank, F, h->B + h->at[e]);
    for (int e = h->start[k]; e < last; e++) {
      const int i = h->col[e], d_i = size_at(rows, x, h, i);
      const double *X = h->B + h->at[e];
      subtract_outer(d_i, d_i, d, rank, X, X, diag + (size_t)i * NB * NB);
      for (int f = e + 1, at = h->start[i]; f < last; f++, at++) {
        while (h->col[at] != h->col[f]) at++;
        subtract_outer(size_at(rows, x, h, h->col[f]), d_i, d, rank, h->B + h->at[f], X, h->B + h->at[at]);
      }
    }
  }
}

/* t = B^-1 r; r (by held rows, place by place: NB each) is lost. */
static void hold_forward(const dls_rows *rows, const knot *x, const hold *h, double *r, double *t) {
  for (int k = 0; k < h->n; k++) {
    const int d = size_at(rows, x, h, k), rank = h->rank[k];
    const double *F = h->F + (size_t)k * NB * NB;
    double *own = t + h->white[k];
    for (int i = 0; i < rank; i++) {
      own[i] = 0;
      for (int j = 0; j < d; j++) own[i] += F[i * d + j] * r[k * NB + j];
    }
    for (int e = h->start[k]; e < h->start[k + 1]; e++) {
      const int i = h->col[e], d_i = size_at(rows, x, h, i);
      const double *B = h->B + h->at[e];
      for (int a = 0; a < d_i; a++)
        for (int j = 0; j < rank; j++) r[i * NB + a] -= B[a * d + j] * own[j];
    }
  }
}

/* p = B'^-1 t, place by place; t is lost. */
static void hold_backward(const dls_rows *rows, const knot *x, const hold *h, double *t, double *p) {
  for (int k = h->n - 1; k >= 0; k--) {
    const int d = size_at(rows, x, h, k), rank = h->rank[k];
    const double *F = h->F + (size_t)k * NB * NB;
    double *own = t + h->white[k];
    for (int e = h->start[k]; e < h->start[k + 1]; e++) {
      const int i = h->col[e], d_i = size_at(rows, x, h, i);
      const double *B = h->B + h->at[e];
      for (int a = 0; a < d_i; a++)
        for (int j = 0; j < rank; j++) own[j] -= B[a * d + j] * p[i * NB + a];
    }
    for (int j = 0; j < d; j++) {
      p[k * NB + j] = 0;
      for (int i = 0; i < rank; i++) p[k * NB + j] += F[i * d + j] * own[i];
    }
  }
}

/* --- what others reach of it ---------------------------------------------------------------------- */

typedef struct climb {
  int *mark;    /* n held: who came by last     */
  int *way;     /* n held                        */
  int *spot;    /* n held: number in the way     */
  int *met;     /* blocks of the island          */
  int *seen;    /* blocks of the island          */
  double *work; /* n held x NB NB                */
} climb;

static dls_status take_climb(dls_rows *rows, const knot *x, const hold *h, dls_arena *tmp, climb *c) {
  c->mark = DLS_TAKE(tmp, int, 3 * (size_t)h->n + 2 * (size_t)x->n);
  c->work = DLS_TAKE(tmp, double, (size_t)h->n * NB * NB);
  if (!c->mark || !c->work) return dls_want(rows, tmp, (size_t)(x->n + h->n * NB * NB) * 16);
  c->way = c->mark + h->n;
  c->spot = c->way + h->n;
  c->met = c->spot + h->n;
  c->seen = c->met + x->n;
  for (int k = 0; k < h->n; k++) c->mark[k] = -1;
  for (int k = 0; k < x->n; k++) c->seen[k] = -1;
  return DLS_OK;
}

/* Adds g of block c to what it reaches. */
static dls_status reach_hold(dls_rows *rows, knot *x, const hold *h, int c, climb *w, dls_arena *tmp) {
  const int n_met = meeting(x, c, 0, x->n_held, w->seen, w->met);
  if (n_met == 0) return DLS_OK;
  const dls_block *block = &rows->block[x->block[c]];
  const int d = block->n;
  int n = 0, numbers = x->on[c].n;
  for (int m = 0; m < n_met; m++)
    for (int k = h->place[w->met[m]]; w->mark[k] != c; k = h->col[h->start[k]]) {
      w->mark[k] = c;
      w->way[n++] = k;
      numbers += h->rank[k];
      if (h->start[k] == h->start[k + 1]) break;
    }
  dls_sort_ints(w->way, n);
  memset(w->work, 0, (size_t)n * NB * NB * sizeof *w->work);
  for (int i = 0; i < n; i++) w->spot[w->way[i]] = i;
  for (int m = 0; m < n_met; m++)
    couple(rows, &rows->block[x->block[w->met[m]]], &x->on[w->met[m]], block, &x->on[c],
           w->work + (size_t)w->spot[h->place[w->met[m]]] * NB * NB);
  const reach tree = x->on[c];
  reach out;
  dls_status status = take_reach(rows, &out, numbers, d, tmp);
  if (status != DLS_OK) return status;
  if (tree.n > 0) {
    memcpy(out.at, tree.at, (size_t)tree.n * sizeof(int));
    memcpy(out.z, tree.z, (size_t)(tree.n * d) * sizeof(double));
    memcpy(out.y, tree.y, (size_t)(tree.n * d) * sizeof(double));
  }
  int l = tree.n;
  for (int s = 0; s < n; s++) {
    const int k = w->way[s], d_k = size_at(rows, x, h, k), rank = h->rank[k];
    const double *F = h->F + (size_t)k * NB * NB, *r = w->work + (size_t)s * NB * NB;
    const double *t = out.y + l * d;
    for (int i = 0; i < rank; i++, l++) {
      out.at[l] = x->n_x + h->white[k] + i;
      for (int j = 0; j < d; j++) {
        double sum = 0;
        for (int a = 0; a < d_k; a++) sum += F[i * d_k + a] * r[a * d + j];
        out.y[l * d + j] = sum;
        out.z[l * d + j] = -sum;
      }
    }
    for (int e = h->start[k]; e < h->start[k + 1]; e++) {
      const int d_i = size_at(rows, x, h, h->col[e]);
      double *to = w->work + (size_t)w->spot[h->col[e]] * NB * NB;
      const double *B = h->B + h->at[e];
      for (int a = 0; a < d_i; a++)
        for (int i = 0; i < rank; i++)
          for (int j = 0; j < d; j++) to[a * d + j] -= B[a * d_k + i] * t[i * d + j];
    }
  }
  x->on[c] = out;
  return DLS_OK;
}
