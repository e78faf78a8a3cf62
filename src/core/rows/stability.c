/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/stability.h"

#include "core/base/random.h"
#include "core/math/lanes.h"

enum { MOST = 256, LOOK = 4, SMALL = 24 };

typedef struct lanczos {
  int n;                     /* size of the operator */
  dls_stability_apply apply; /* the operator */
  void *ctx;                 /* its first argument */
  double *now, *last, *next; /* n: vectors of the recurrence      */
  double *diagonal, *beside; /* MOST: of the tridiagonal matrix   */
} lanczos;

/* The tridiagonal's part of a step: next = B now - beside last - diagonal now, made unit. */
static bool advance(lanczos *l, int k, bool known) {
  const dls_lanes *lanes = dls_lanes_best();
  l->apply(l->ctx, l->now, l->next);
  if (k > 0) lanes->axpy(l->n, -l->beside[k - 1], l->last, l->next);
  if (!known) l->diagonal[k] = lanes->dot(l->n, l->now, l->next);
  lanes->axpy(l->n, -l->diagonal[k], l->now, l->next);
  if (!known) l->beside[k] = sqrt(lanes->dot(l->n, l->next, l->next));
  if (!(l->beside[k] > 1e-15 * fabs(l->diagonal[0]))) return false;
  const double s = 1 / l->beside[k];
  for (int i = 0; i < l->n; i++) l->next[i] *= s;
  double *spare = l->last;
  l->last = l->now;
  l->now = l->next;
  l->next = spare;
  return true;
}

/* Chance, but the same each time: no vector is orthogonal to it by its pattern. */
static void start(lanczos *l) {
  dls_random random = dls_random_seed(1);
  for (int i = 0; i < l->n; i++) l->now[i] = dls_random_range(&random, -1, 1);
  const double s = 1 / sqrt(dls_lanes_best()->dot(l->n, l->now, l->now));
  for (int i = 0; i < l->n; i++) l->now[i] *= s;
}

/* Whether all eigenvalues of the leading m x m part are below x (Sturm). */
static bool all_below(const lanczos *l, int m, double x) {
  double pivot = 1;
  for (int k = 0; k < m; k++) {
    const double b = k > 0 ? l->beside[k - 1] : 0;
    pivot = x - l->diagonal[k] - b * b / pivot;
    if (!(pivot > 0)) return false;
  }
  return true;
}

/* The largest eigenvalue of the leading part, by halving. */
static double largest(const lanczos *l, int m) {
  double lo = 0, hi = 0;
  for (int k = 0; k < m; k++) {
    const double b = (k > 0 ? l->beside[k - 1] : 0) + (k + 1 < m ? l->beside[k] : 0);
    hi = dls_max(hi, l->diagonal[k] + b);
    lo = dls_max(lo, l->diagonal[k]);
  }
  hi *= 1 + 1e-12;
  for (int i = 0; i < 60 && hi - lo > 1e-14 * hi; i++) {
    const double x = 0.5 * (lo + hi);
    if (all_below(l, m, x)) hi = x;
    else lo = x;
  }
  return 0.5 * (lo + hi);
}

/* The component of the eigenvector that is largest: the recurrence is run once more and summed with
** the components of the tridiagonal's own vector. sum: n numbers. */
static int strongest(lanczos *l, int m, double x, double *sum) {
  double before = 0, s = 1;
  int row = 0;
  memset(sum, 0, (size_t)l->n * sizeof *sum);
  start(l);
  for (int k = 0; k < m; k++) {
    dls_lanes_best()->axpy(l->n, s, l->now, sum);
    if (k + 1 == m || !advance(l, k, true)) break;
    const double more =
        ((x - l->diagonal[k]) * s - (k > 0 ? l->beside[k - 1] : 0) * before) / l->beside[k];
    before = s;
    s = more;
  }
  for (int i = 1; i < l->n; i++)
    if (fabs(sum[i]) > fabs(sum[row])) row = i;
  return row;
}

size_t dls_stability_bytes(int n) {
  const size_t vectors = 4 * dls_arena_bytes((size_t)n, sizeof(double));
  return dls_bytes_add(vectors, 2 * dls_arena_bytes(MOST, sizeof(double)));
}

dls_status dls_stability_number(int n, dls_stability_apply apply, void *ctx, double clear,
                                dls_arena *tmp, dls_stability *out) {
  const size_t mark = dls_arena_mark(tmp);
  lanczos l = {.n = n, .apply = apply, .ctx = ctx};
  l.now = DLS_TAKE(tmp, double, n);
  l.last = DLS_TAKE(tmp, double, n);
  l.next = DLS_TAKE(tmp, double, n);
  double *sum = DLS_TAKE(tmp, double, n);
  l.diagonal = DLS_TAKE(tmp, double, MOST);
  l.beside = DLS_TAKE(tmp, double, MOST);
  *out = (dls_stability){0, -1};
  if (!l.now || !l.last || !l.next || !sum || !l.diagonal || !l.beside) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  double last = 0, x = 0;
  int m = 0;
  if (n > 0) start(&l);
  for (bool more = n > 0; more && m < MOST;) {
    more = advance(&l, m++, false);
    if (more && m % LOOK != 0 && m < MOST) continue;
    x = largest(&l, m);
    if (x - last <= 1e-13 * x) break;
    if (n > SMALL && m >= 2 * LOOK && x < clear && x - last <= 1e-3 * x) break;
    last = x;
  }
  out->number = x;
  if (n > 0) out->row = x < clear ? -1 : strongest(&l, m, x, sum);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
