/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/elastic/tridiagonal.h"

#define TOLERANCE 1e-12 /* of a row's own scale: what counts as negative */

/* Rows first..last, all taken up, between a neighbour with z = l and one with z = r:
**   z_first = head + head_l l + head_r r,      z_last = tail + tail_l l + tail_r r.
** All factors of l and r lie in [0, 1). */
typedef struct run {
  int first, last; /* rows */
  double head, head_l, head_r; /* of z_first */
  double tail, tail_l, tail_r; /* of z_last */
} run;

size_t dls_tridiagonal_bytes(int n) {
  const size_t rows = n > 0 ? (size_t)n : 0;
  return dls_bytes_add(dls_arena_bytes(rows, sizeof(run)),
                       dls_bytes_add(dls_arena_bytes(rows, sizeof(double)),
                                     dls_arena_bytes(rows, sizeof(double))));
}

static double left_of(const dls_tridiagonal *p, int j) { return j > 0 ? p->coupling[j - 1] : 0.0; }
static double right_of(const dls_tridiagonal *p, int j) {
  return j + 1 < p->n ? p->coupling[j] : 0.0;
}

static run single(const dls_tridiagonal *p, int j) {
  const double d = p->diagonal[j];
  const double z = -p->q[j] / d, l = left_of(p, j) / d, r = right_of(p, j) / d;
  return (run){j, j, z, l, r, z, l, r};
}

/* Two neighbouring runs as one: u, the last z of a, and v, the first of b, are eliminated. */
static run join(const run *a, const run *b) {
  const double g = 1 / (1 - a->tail_r * b->head_l);
  const double u = g * (a->tail + a->tail_r * b->head);
  const double v = g * (b->head + b->head_l * a->tail);
  return (run){a->first,
               b->last,
               a->head + a->head_r * v,
               a->head_l + a->head_r * g * b->head_l * a->tail_l,
               a->head_r * g * b->head_r,
               b->tail + b->tail_l * u,
               b->tail_l * g * a->tail_l,
               b->tail_r + b->tail_l * g * a->tail_r * b->head_r};
}

/* Is w_j < 0, given the z of its neighbours? */
static bool is_negative(const dls_tridiagonal *p, int j, double scale, double l, double r) {
  const double w = p->q[j] - left_of(p, j) * l - right_of(p, j) * r;
  return w < -TOLERANCE * (p->q[j] != 0 ? fabs(p->q[j]) : scale);
}

/* Takes up row j, joined with the run that ends at j - 1 where there is one. */
static int take_up(const dls_tridiagonal *p, int j, run *runs, int n_runs) {
  const run alone = single(p, j);
  if (n_runs > 0 && runs[n_runs - 1].last == j - 1) {
    runs[n_runs - 1] = join(&runs[n_runs - 1], &alone);
    return n_runs;
  }
  runs[n_runs] = alone;
  return n_runs + 1;
}

/* The runs of positive z, from left to right; their number returned. */
static int find_runs(const dls_tridiagonal *p, double scale, run *runs) {
  int n_runs = 0;
  for (int j = 0; j < p->n; j++) {
    const bool beside = n_runs > 0 && runs[n_runs - 1].last == j - 1;
    if (!is_negative(p, j, scale, beside ? runs[n_runs - 1].tail : 0.0, 0.0)) continue;
    n_runs = take_up(p, j, runs, n_runs);

    /* The run has grown, and with it its first z: what of the row before it? */
    for (int i = runs[n_runs - 1].first - 1; i >= 0; i = runs[n_runs - 1].first - 1) {
      const run grown = runs[n_runs - 1];
      const bool next = n_runs > 1 && runs[n_runs - 2].last == i - 1;
      if (!is_negative(p, i, scale, next ? runs[n_runs - 2].tail : 0.0, grown.head)) break;
      n_runs = take_up(p, i, runs, n_runs - 1);
      runs[n_runs - 1] = join(&runs[n_runs - 1], &grown);
    }
  }
  return n_runs;
}

/* A z = -q on rows first..last, elimination downwards and substitution upwards. */
static void solve_run(const dls_tridiagonal *p, int first, int last, double *pivot, double *rhs,
                      double *z) {
  pivot[first] = p->diagonal[first];
  rhs[first] = -p->q[first];
  for (int j = first + 1; j <= last; j++) {
    const double a = p->coupling[j - 1], factor = a / pivot[j - 1];
    pivot[j] = p->diagonal[j] - factor * a;
    rhs[j] = -p->q[j] + factor * rhs[j - 1];
  }
  z[last] = rhs[last] / pivot[last];
  for (int j = last - 1; j >= first; j--) z[j] = (rhs[j] + p->coupling[j] * z[j + 1]) / pivot[j];
}

static double largest(const dls_tridiagonal *p, bool *any_negative) {
  double scale = 0;
  *any_negative = false;
  for (int j = 0; j < p->n; j++) {
    scale = dls_max(scale, fabs(p->q[j]));
    *any_negative |= p->q[j] < 0;
  }
  return scale;
}

dls_status dls_tridiagonal_solve(const dls_tridiagonal *p, dls_arena *tmp, double *z, double *w,
                                 int *pivots) {
  const size_t mark = dls_arena_mark(tmp);
  run *runs = DLS_TAKE(tmp, run, p->n);
  double *pivot = DLS_TAKE(tmp, double, p->n), *rhs = DLS_TAKE(tmp, double, p->n);
  if (runs == NULL || pivot == NULL || rhs == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  bool any_negative;
  const double scale = largest(p, &any_negative);
  const int n_runs = any_negative ? find_runs(p, scale, runs) : 0;

  for (int j = 0; j < p->n; j++) z[j] = 0;
  for (int k = 0; k < n_runs; k++) solve_run(p, runs[k].first, runs[k].last, pivot, rhs, z);
  dls_arena_release(tmp, mark);

  /* Round-off may leave a vanishing z below zero, or a w within the tolerance of zero. */
  int positive = 0;
  for (int j = 0; j < p->n; j++) {
    z[j] = dls_max(z[j], 0.0);
    positive += z[j] > 0;
  }
  for (int j = 0; j < p->n; j++) {
    const double l = j > 0 ? z[j - 1] : 0.0, r = j + 1 < p->n ? z[j + 1] : 0.0;
    w[j] = z[j] > 0 ? 0.0 : p->q[j] - left_of(p, j) * l - right_of(p, j) * r;
  }
  *pivots = positive;
  return DLS_OK;
}
