/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/enumerate.h"

#include "core/lcp/basic.h"
#include "core/lcp/residual.h"
#include "core/lcp/scaling.h"

#define N DLS_LCP_ENUMERATE_MAX
#define PIVOT_TOLERANCE 1e-12 /* below it a column counts as dependent; columns are near 1     */
#define SIGN_TOLERANCE 1e-8   /* how negative a value may be and still be solved again         */
#define SAME_TOLERANCE 1e-9   /* two solutions nearer than this, relative to the larger, are one */

/* One level: the rows left over variables not yet chosen. Level n - 1 - j chooses pair j; its
** table has columns z_0..z_j, w_0..w_j and the right side. Rows beyond j + 1 are left by
** dependent columns. */
typedef struct level {
  int n_rows;       /* of T */
  int pivot;        /* row that was eliminated; -1: the column was dependent */
  bool z;           /* the variable chosen                                   */
  double T[N][2 * N + 1]; /* n_rows, by columns as above */
} level;

typedef struct search {
  const dls_lcp *original; /* borrowed */
  const dls_lcp_opts *opts; /* borrowed */
  dls_arena *tmp;   /* where the arrays are */
  dls_lcp scaled;         /* the equilibrated problem                              */
  dls_lcp_scaling scaling; /* between the two */
  level *levels;          /* n + 1                                                 */
  dls_lcp_solutions *all; /* NULL: the first will do                               */
  double *z, *w;          /* n each: the first solution                            */
  double *trial, *image;  /* n each                                                */
  double q_scale;         /* max |q'|                                              */
  int n_bases;            /* looked at */
  bool found;             /* z and w are a solution */
  bool lost;              /* right signs but no solution: doubles cannot hold it          */
  dls_status status;      /* DLS_NOMEM: the list could not grow */
} search;

dls_lcp_solutions dls_lcp_solutions_over(dls_alloc alloc) {
  dls_lcp_solutions all;
  memset(&all, 0, sizeof all);
  all.alloc = alloc;
  return all;
}

void dls_lcp_solutions_destroy(dls_lcp_solutions *all) {
  dls_free(&all->alloc, all->z, all->room, sizeof *all->z);
  *all = dls_lcp_solutions_over(all->alloc);
}

static dls_status grow(dls_lcp_solutions *all) {
  const size_t wanted = all->room * 2 + 4 * (size_t)all->n;
  void *z = all->z;
  const dls_status status = dls_grow(&all->alloc, &z, all->room, wanted, sizeof *all->z);
  if (status != DLS_OK) return status;
  all->z = z;
  all->room = wanted;
  return DLS_OK;
}

static bool same(int n, const double *a, const double *b) {
  double size = 0.0, apart = 0.0;
  for (int i = 0; i < n; i++) {
    size = dls_max(size, dls_max(fabs(a[i]), fabs(b[i])));
    apart = dls_max(apart, fabs(a[i] - b[i]));
  }
  return apart <= SAME_TOLERANCE * size;
}

/* A solution can turn up in a second basis only where some pair is zero on both sides. */
static bool known(const search *s, const double *z, bool degenerate) {
  const size_t n = (size_t)s->scaled.n;
  if (s->all == NULL || !degenerate) return false;
  for (int k = 0; k < s->all->n_found; k++)
    if (same((int)n, s->all->z + (size_t)k * n, z)) return true;
  return false;
}

/* Takes s->trial, values of the scaled problem, if it solves the original to the tolerance: whether
** it does. */
static bool offer(search *s) {
  const int n = s->scaled.n;
  for (int i = 0; i < n; i++) {
    const double scaled = s->trial[i];
    s->trial[i] = dls_max(dls_lcp_scaling_one(&s->scaling, i, scaled), 0.0);
    if (scaled > SIGN_TOLERANCE && !(s->trial[i] > 0.0 && dls_is_finite(s->trial[i])))
      s->lost = true;
  }
  double natural;
  const double residual =
      dls_lcp_residual_to(s->original, s->opts->tolerance, s->trial, s->image, &natural);
  if (!(residual <= s->opts->tolerance)) return false;
  bool degenerate = false;
  double largest = 0.0, image = 0.0;
  for (int i = 0; i < n; i++) {
    largest = dls_max(largest, s->trial[i]);
    image = dls_max(image, dls_max(fabs(s->image[i]), fabs(s->original->q[i])));
  }
  for (int i = 0; i < n; i++)
    if (s->trial[i] <= SIGN_TOLERANCE * largest && s->image[i] <= SIGN_TOLERANCE * image)
      degenerate = true;
  if (known(s, s->trial, degenerate)) return true;
  if (!s->found) {
    memcpy(s->z, s->trial, (size_t)n * sizeof *s->z);
    memcpy(s->w, s->image, (size_t)n * sizeof *s->w);
  }
  s->found = true;
  if (s->all == NULL) return true;
  dls_lcp_solutions *all = s->all;
  if ((size_t)(all->n_found + 1) * (size_t)n > all->room && (s->status = grow(all)) != DLS_OK)
    return true;
  memcpy(all->z + (size_t)all->n_found++ * (size_t)n, s->trial, (size_t)n * sizeof *all->z);
  return true;
}

/* Gauss-Jordan elimination of the k x (k + 1) system A with pivoting over the whole block:
** A becomes (I F | b) in the columns' order `order`. Returns the rank, or -1 where the rows left
** over do not agree with the right side. */
static int reduce(int k, double A[N][N + 1], int order[N], double tolerance) {
  for (int j = 0; j < k; j++) order[j] = j;
  for (int step = 0; step < k; step++) {
    int row = step, col = step;
    for (int i = step; i < k; i++)
      for (int j = step; j < k; j++)
        if (fabs(A[i][j]) > fabs(A[row][col])) row = i, col = j;
    if (fabs(A[row][col]) <= PIVOT_TOLERANCE) {
      for (int i = step; i < k; i++)
        if (fabs(A[i][k]) > tolerance) return -1;
      return step;
    }
    for (int j = 0; j <= k; j++) {
      const double t = A[row][j];
      A[row][j] = A[step][j];
      A[step][j] = t;
    }
    for (int i = 0; i < k; i++) {
      const double t = A[i][col];
      A[i][col] = A[i][step];
      A[i][step] = t;
    }
    const int o = order[col];
    order[col] = order[step];
    order[step] = o;
    const double pivot = A[step][step];
    for (int j = step; j <= k; j++) A[step][j] /= pivot;
    for (int i = 0; i < k; i++) {
      const double f = A[i][step];
      if (i == step || f == 0.0) continue;
      for (int j = step; j <= k; j++) A[i][j] -= f * A[step][j];
    }
  }
  return k;
}

/* x <- x - (component of x along the orthonormal rows of V) */
static void project(int k, int n_vectors, double V[N][N], double *x) {
  for (int v = 0; v < n_vectors; v++) {
    double s = 0.0;
    for (int i = 0; i < k; i++) s += V[v][i] * x[i];
    for (int i = 0; i < k; i++) x[i] -= s * V[v][i];
  }
}

static void offer_set(search *s, const int *set, int k, const double *x) {
  double largest = 0.0;
  for (int a = 0; a < k; a++) largest = dls_max(largest, fabs(x[a]));
  for (int a = 0; a < k; a++)
    if (x[a] < -SIGN_TOLERANCE * largest) return;
  for (int i = 0; i < s->scaled.n; i++) s->trial[i] = 0.0;
  for (int a = 0; a < k; a++) s->trial[set[a]] = x[a];
  (void)offer(s); /* signs of w are the judge's */
}

/* The ends of  x0 + t v  in x >= 0, where w of the inactive rows is left to the judge. */
static void offer_ends(search *s, const int *set, int k, const double *x0, const double *v) {
  double lo = -DLS_INF, hi = DLS_INF, x[N];
  for (int a = 0; a < k; a++) {
    if (v[a] > PIVOT_TOLERANCE) lo = dls_max(lo, -x0[a] / v[a]);
    if (v[a] < -PIVOT_TOLERANCE) hi = dls_min(hi, -x0[a] / v[a]);
  }
  for (int end = 0; end < 2; end++) {
    const double t = end == 0 ? lo : hi;
    if (!dls_is_finite(t)) continue;
    for (int a = 0; a < k; a++) x[a] = x0[a] + t * v[a];
    offer_set(s, set, k, x);
  }
}

/* Solutions of a basis whose block M_SS is singular. */
static void singular(search *s, const int *set, int k) {
  double A[N][N + 1], V[N][N], x[N] = {0};
  int order[N];
  for (int a = 0; a < k; a++) {
    for (int c = 0; c < k; c++) A[a][c] = s->scaled.M[set[a] * s->scaled.n + set[c]];
    A[a][k] = -s->scaled.q[set[a]];
  }
  const int rank = reduce(k, A, order, SIGN_TOLERANCE * s->q_scale);
  if (rank < 0) return;
  for (int a = 0; a < k; a++) x[order[a]] = a < rank ? A[a][k] : 0.0;
  offer_set(s, set, k, x);
  const int n_free = k - rank;
  for (int f = 0; f < n_free; f++) {
    for (int a = 0; a < k; a++)
      V[f][order[a]] = a < rank ? -A[a][rank + f] : (a == rank + f ? 1.0 : 0.0);
    project(k, f, V, V[f]);
    double norm = 0.0;
    for (int a = 0; a < k; a++) norm += V[f][a] * V[f][a];
    for (int a = 0; a < k; a++) V[f][a] /= sqrt(norm);
  }
  if (n_free == 1) offer_ends(s, set, k, x, V[0]);
  project(k, n_free, V, x);
  offer_set(s, set, k, x);
}

/* The values of the basis, the last chosen first; false at the first negative one. */
static bool feasible(const search *s) {
  const int n = s->scaled.n;
  double x[N];
  for (int j = 0; j < n; j++) {
    const level *at = &s->levels[n - 1 - j];
    if (at->pivot < 0) {
      x[j] = 0.0;
      continue;
    }
    const double *row = at->T[at->pivot];
    double value = row[2 * N], size = s->q_scale;
    for (int i = 0; i < j; i++) {
      const double part = row[s->levels[n - 1 - i].z ? i : N + i] * x[i];
      value -= part;
      size += fabs(part);
    }
    const double pivot = row[at->z ? j : N + j];
    if (pivot < 0.0 ? value > SIGN_TOLERANCE * size : value < -SIGN_TOLERANCE * size)
      return false;
    x[j] = value / pivot;
  }
  return true;
}

static void leaf(search *s) {
  const int n = s->scaled.n;
  const level *last = &s->levels[n];
  int set[N], k = 0;
  s->n_bases++;
  for (int i = 0; i < last->n_rows; i++)
    if (fabs(last->T[i][2 * N]) > SIGN_TOLERANCE * s->q_scale) return;
  if (last->n_rows == 0 && !feasible(s)) return;
  for (int j = 0; j < n; j++)
    if (s->levels[n - 1 - j].z) set[k++] = j;
  const dls_status status =
      last->n_rows > 0 ? DLS_SINGULAR : dls_lcp_basic(&s->scaled, set, k, NULL, s->tmp, s->trial);
  if (status == DLS_SINGULAR) singular(s, set, k);
  else if (status == DLS_OK) s->lost = !offer(s) || s->lost; /* its signs are right: no proof */
  else s->status = status;
}

/* Eliminates the chosen variable of pair j from `from`; what is left goes to the next level. */
static void eliminate(level *from, level *to, int j, bool z) {
  const int chosen = z ? j : N + j;
  int pivot = 0;
  for (int i = 1; i < from->n_rows; i++)
    if (fabs(from->T[i][chosen]) > fabs(from->T[pivot][chosen])) pivot = i;
  if (fabs(from->T[pivot][chosen]) <= PIVOT_TOLERANCE) pivot = -1;
  from->pivot = pivot;
  from->z = z;
  to->n_rows = 0;
  for (int i = 0; i < from->n_rows; i++) {
    if (i == pivot) continue;
    const double f = pivot < 0 ? 0.0 : from->T[i][chosen] / from->T[pivot][chosen];
    const double *row = from->T[i], *by = from->T[pivot < 0 ? i : pivot];
    double *out = to->T[to->n_rows++];
    if (f == 0.0) {
      memcpy(out, row, sizeof from->T[0]);
      continue;
    }
    for (int l = 0; l < j; l++) out[l] = row[l] - f * by[l];
    for (int l = N; l < N + j; l++) out[l] = row[l] - f * by[l];
    out[2 * N] = row[2 * N] - f * by[2 * N];
  }
}

/* Walks the tree without recursion: the bits of `path` are the choices, z after w. */
static void walk(search *s) {
  const int n = s->scaled.n;
  int depth = 0;
  bool z = false; /* the choice to make at this depth */
  while (s->status == DLS_OK && !(s->found && s->all == NULL)) {
    if (dls_stop_poll(s->opts->stop, 100.0)) return;
    if (depth < n) {
      eliminate(&s->levels[depth], &s->levels[depth + 1], n - 1 - depth, z);
      depth++;
      z = false;
      continue;
    }
    leaf(s);
    do depth--;
    while (depth >= 0 && s->levels[depth].z);
    if (depth < 0) return;
    z = true;
  }
}

size_t dls_lcp_enumerate_bytes(const dls_lcp *p) {
  const size_t n = (size_t)p->n;
  if (p->n > N) return 0;
  size_t bytes = dls_arena_bytes(n * n, sizeof(double)) + 3 * dls_arena_bytes(n, sizeof(double));
  bytes += dls_arena_bytes(n + 1, sizeof(level)) + 2 * dls_lcp_scaling_bytes(p->n);
  return bytes + dls_lcp_basic_bytes(p->n);
}

/* The root of the tree: w - M' z = q'. */
static bool prepare(search *s) {
  const int n = s->original->n;
  double *M = DLS_TAKE(s->tmp, double, n * n), *q = DLS_TAKE(s->tmp, double, n);
  s->trial = DLS_TAKE(s->tmp, double, n);
  s->image = DLS_TAKE(s->tmp, double, n);
  s->levels = DLS_TAKE(s->tmp, level, n + 1);
  if (M == NULL || q == NULL || s->trial == NULL || s->image == NULL || s->levels == NULL ||
      !dls_lcp_scaling_take(&s->scaling, n, s->tmp) ||
      dls_lcp_scaling_find(&s->scaling, s->original->M, s->original->q, s->tmp) != DLS_OK)
    return false;
  level *root = &s->levels[0];
  root->n_rows = n;
  dls_lcp_scaling_q(&s->scaling, s->original->q, q);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      M[i * n + j] = s->scaling.row[i] * s->original->M[i * n + j] * s->scaling.col[j];
      root->T[i][j] = -M[i * n + j];
      root->T[i][N + j] = i == j ? 1.0 : 0.0;
    }
    root->T[i][2 * N] = q[i];
    s->q_scale = dls_max(s->q_scale, fabs(q[i]));
  }
  s->scaled = (dls_lcp){.n = n, .M = M, .q = q};
  return true;
}

dls_status dls_lcp_enumerate(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp,
                             double *z, double *w, dls_lcp_report *report) {
  if (p->n > N) return DLS_ARG;
  const size_t mark = dls_arena_mark(tmp);
  search s;
  memset(&s, 0, sizeof s);
  s.original = p;
  s.opts = opts;
  s.tmp = tmp;
  s.all = opts->solutions;
  s.z = z;
  s.w = w;
  if (s.all != NULL) s.all->n = p->n, s.all->n_found = 0;
  s.status = prepare(&s) ? DLS_OK : DLS_FULL;
  memset(report, 0, sizeof *report);
  report->method = "enumerate";
  report->fault.index = -1;
  for (int i = 0; i < p->n; i++) z[i] = 0.0;
  walk(&s);
  report->pivots = s.n_bases;
  dls_lcp_judge(p, opts, z, w, s.lost ? DLS_LIMIT : DLS_RAY, report);
  report->proven = report->outcome == DLS_RAY; /* every basis was looked at */
  dls_arena_release(tmp, mark);
  return s.status;
}
