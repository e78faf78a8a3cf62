/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/sparse_front.h"

#include "core/math/dense.h"

void dls_front_destroy(dls_front *f) {
  const size_t n = (size_t)f->n, s = (size_t)f->n_super;
  if (f->alloc.fn != NULL) {
    const dls_alloc *a = &f->alloc;
    if (f->value != NULL) dls_free(a, f->value, f->value_at[s], sizeof *f->value);
    if (f->below != NULL) dls_free(a, f->below, f->below_at[s], sizeof *f->below);
    dls_free(a, f->order, n, sizeof *f->order);
    dls_free(a, f->place, n, sizeof *f->place);
    dls_free(a, f->super_of, n, sizeof *f->super_of);
    dls_free(a, f->first, s + 1, sizeof *f->first);
    dls_free(a, f->parent, s, sizeof *f->parent);
    dls_free(a, f->below_at, s + 1, sizeof *f->below_at);
    dls_free(a, f->value_at, s + 1, sizeof *f->value_at);
  }
  memset(f, 0, sizeof *f);
}

/* The rows of a supernode. */
typedef struct panel {
  int k, r;       /* pivots, columns below                       */
  int kp, rp;     /* both rounded up to eight                    */
  size_t ld;      /* kp + rp                                     */
  double *R;      /* k x ld                                      */
  const int *row; /* r: places of the columns below              */
} panel;

static panel panel_of(const dls_front *f, int s) {
  panel p;
  p.k = f->first[s + 1] - f->first[s];
  p.r = (int)(f->below_at[s + 1] - f->below_at[s]);
  p.kp = dls_lanes_round(p.k);
  p.rp = dls_lanes_round(p.r);
  p.ld = (size_t)p.kp + (size_t)p.rp;
  p.R = f->value + f->value_at[s];
  p.row = f->below + f->below_at[s];
  return p;
}

/* --- factor ---------------------------------------------------------------------------------- */
typedef struct work {
  const dls_front *f; /* plan, and where the factor goes */
  const dls_sparse *A; /* borrowed */
  double *stack; /* updates that wait for their parents             */
  size_t top;    /* of the stack                                    */
  int *column;   /* n: column of the present front a place belongs to */
  int *waiting;  /* n_super: supernodes whose updates wait, in order */
  int n_waiting; /* of waiting */
} work;

static void load(const work *w, int s, const panel *p) {
  const dls_front *f = w->f;
  const dls_sparse *A = w->A;
  const int from = f->first[s];
  memset(p->R, 0, (size_t)p->k * p->ld * sizeof *p->R);
  for (int c = 0; c < p->k; c++) w->column[from + c] = c;
  for (int c = 0; c < p->r; c++) w->column[p->row[c]] = p->kp + c;
  for (int c = 0; c < p->k; c++) {
    const int i = f->order[from + c];
    double *row = p->R + (size_t)c * p->ld;
    for (int e = A->start[i]; e < A->start[i + 1]; e++) {
      const int at = f->place[A->col[e]];
      if (at >= from + c) row[w->column[at]] += A->value[e];
    }
  }
}

/* Adds the update of child c, at `from`, to the panel and to U (the front's rows below). */
static void extend(const work *w, int c, const double *from, const panel *p, double *U) {
  const panel q = panel_of(w->f, c);
  for (int a = 0; a < q.r; a++) {
    const int i = w->column[q.row[a]];
    const double *row = from + (size_t)a * (size_t)q.rp;
    const int shift = i < p->k ? 0 : p->kp;
    double *to = i < p->k ? p->R + (size_t)i * p->ld : U + (size_t)(i - p->kp) * (size_t)p->rp;
    for (int b = a; b < q.r; b++) to[w->column[q.row[b]] - shift] += row[b];
  }
}

/* Takes the updates of the children of s off the stack; answers where the first of them began. */
static size_t gather(work *w, int s, const panel *p, double *U) {
  size_t at = w->top;
  while (w->n_waiting > 0 && w->f->parent[w->waiting[w->n_waiting - 1]] == s) {
    const int c = w->waiting[--w->n_waiting];
    const panel q = panel_of(w->f, c);
    at -= (size_t)q.r * (size_t)q.rp;
    extend(w, c, w->stack + at, p, U);
  }
  return at;
}

/* The pivots of the panel; the first that is too small, or -1. */
static int pivots_of(const work *w, int s, const panel *p, double tol, dls_stop *stop) {
  const dls_front *f = w->f;
  double pivot = 0.0;
  const int failed = dls_dense_cholesky_stop(p->k, p->R, p->ld, &pivot, stop);
  const int n_good = failed < 0 ? p->k : failed;
  for (int c = 0; c < n_good; c++) {
    const int i = f->order[f->first[s] + c];
    const double root = p->R[(size_t)c * p->ld + (size_t)c];
    if (!(root * root > tol * dls_sparse_at(w->A, i, i))) return c;
  }
  return failed;
}

static dls_status front(work *w, int s, double tol, dls_stop *stop, int *bad) {
  const panel p = panel_of(w->f, s);
  const size_t n_update = (size_t)p.r * (size_t)p.rp;
  double *U = w->stack + w->top;
  load(w, s, &p);
  memset(U, 0, n_update * sizeof *U);
  const size_t base = gather(w, s, &p, U);
  const int failed = pivots_of(w, s, &p, tol, stop);
  const double effort = (double)p.k * (p.k + p.r) * (p.k + p.r);
  if (dls_stop_poll(stop, effort)) return DLS_STOPPED;
  if (failed >= 0) {
    *bad = w->f->order[w->f->first[s] + failed];
    return DLS_SINGULAR;
  }
  double *R12 = p.R + p.kp;
  dls_dense_forward_many(p.k, p.R, p.ld, p.r, R12, p.ld);
  dls_lanes_best()->gemm(p.r, p.rp, p.k, R12, 1, p.ld, R12, p.ld, U, (size_t)p.rp, true);
  memmove(w->stack + base, U, n_update * sizeof *U);
  w->top = base + n_update;
  if (p.r > 0) w->waiting[w->n_waiting++] = s;
  return DLS_OK;
}

dls_status dls_front_factor(dls_front *f, const dls_sparse *A, double tol, dls_stop *stop,
                            int *bad) {
  const size_t n = (size_t)f->n, s = (size_t)f->n_super;
  const dls_alloc *alloc = &f->alloc;
  work w = {.f = f, .A = A};
  dls_status status = DLS_OK;
  *bad = -1;
  if (f->value == NULL) f->value = (double *)dls_new(alloc, f->value_at[s], sizeof *f->value);
  w.stack = (double *)dls_new(alloc, f->n_stack, sizeof *w.stack);
  w.column = (int *)dls_new(alloc, n, sizeof *w.column);
  w.waiting = (int *)dls_new(alloc, s, sizeof *w.waiting);
  if (f->value == NULL || w.stack == NULL || w.column == NULL || w.waiting == NULL)
    status = DLS_NOMEM;
  for (int k = 0; k < f->n_super && status == DLS_OK; k++) status = front(&w, k, tol, stop, bad);
  dls_free(alloc, w.stack, f->n_stack, sizeof *w.stack);
  dls_free(alloc, w.column, n, sizeof *w.column);
  dls_free(alloc, w.waiting, s, sizeof *w.waiting);
  return status;
}

/* R v = 0 above the pivot that failed: the rows below it do not count. */
void dls_front_null(const dls_front *f, int bad, double *v) {
  const int at = f->place[bad], last = f->super_of[at];
  for (int k = 0; k < f->n; k++) v[k] = 0.0;
  v[bad] = 1.0;
  for (int s = last; s >= 0; s--) {
    const panel p = panel_of(f, s);
    const int from = f->first[s], k = s == last ? at - from : p.k;
    for (int i = k - 1; i >= 0; i--) {
      const double *row = p.R + (size_t)i * p.ld;
      double sum = 0.0;
      for (int c = i + 1; c < p.k && from + c <= at; c++) sum += row[c] * v[f->order[from + c]];
      for (int c = 0; c < p.r && s < last; c++)
        if (p.row[c] <= at) sum += row[p.kp + c] * v[f->order[p.row[c]]];
      v[f->order[from + i]] = -sum / row[i];
    }
  }
}

/* --- solve ----------------------------------------------------------------------------------- */
void dls_front_reach(const dls_front *f, int row, unsigned char *reach) {
  for (int s = f->super_of[f->place[row]]; s >= 0 && !reach[s]; s = f->parent[s]) reach[s] = 1;
}

static void forward(const dls_front *f, int s, int m, double *X, size_t ldx, double *T) {
  const panel p = panel_of(f, s);
  const size_t row = (size_t)m;
  double *own = X + (size_t)f->first[s] * ldx;
  dls_dense_forward_many(p.k, p.R, p.ld, m, own, ldx);
  memset(T, 0, (size_t)p.r * row * sizeof *T);
  dls_lanes_best()->gemm(p.r, m, p.k, p.R + p.kp, 1, p.ld, own, ldx, T, row, false);
  for (int i = 0; i < p.r; i++)
    dls_lanes_best()->axpy(m, 1.0, T + (size_t)i * row, X + (size_t)p.row[i] * ldx);
}

static void backward(const dls_front *f, int s, int m, double *X, size_t ldx, double *T) {
  const dls_lanes *lanes = dls_lanes_best();
  const panel p = panel_of(f, s);
  const size_t row = (size_t)m;
  double *own = X + (size_t)f->first[s] * ldx;
  for (int i = 0; i < p.r; i++)
    memcpy(T + (size_t)i * row, X + (size_t)p.row[i] * ldx, row * sizeof *T);
  lanes->gemm(p.k, m, p.r, p.R + p.kp, p.ld, 1, T, row, own, ldx, false);
  for (int i = p.k - 1; i >= 0; i--) {
    const double *r = p.R + (size_t)i * p.ld;
    double *x = own + (size_t)i * ldx;
    lanes->gemm(1, m, p.k - 1 - i, r + i + 1, 1, 1, x + ldx, ldx, x, ldx, false);
    for (int j = 0; j < m; j++) x[j] /= r[i];
  }
}

dls_status dls_front_solve(const dls_front *f, const unsigned char *reach, int m, double *X,
                           size_t ldx, double *tmp, dls_stop *stop) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < f->n_super; i++) {
      const int s = pass == 0 ? i : f->n_super - 1 - i;
      if (reach != NULL && !reach[s]) continue;
      (pass == 0 ? forward : backward)(f, s, m, X, ldx, tmp);
      const double k = f->first[s + 1] - f->first[s];
      if (dls_stop_poll(stop, k * m * (k + (double)(f->below_at[s + 1] - f->below_at[s]))))
        return DLS_STOPPED;
    }
  return DLS_OK;
}
