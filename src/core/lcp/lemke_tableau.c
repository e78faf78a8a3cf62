/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/lemke_tableau.h"

#include "core/lcp/basic.h"
#include "core/lcp/basis.h"
#include "core/math/lanes.h"

#define COLUMN_TOLERANCE 1e-11 /* an entry below this times the largest counts as zero  */
#define TIE_TOLERANCE 1e-12    /* of max |q|: what is left of a value in a tie          */
#define LEX_TOLERANCE 1e-10    /* of two entries compared                               */

/* Basic variables by rows, the others by columns: x_basic = q + T x_others. Variables are numbered
** w_i = i, z_i = n + i, t = 2n. */
typedef struct tableau {
  const dls_lanes *lanes; /* the widest path */
  int n, np;       /* size; n + 3 rounded up to eight                      */
  double *T;       /* n x np; then values for q and for dls_basis_tilt_of  */
  double *u, *y;   /* np each: column of the pivot, its row afterwards     */
  double tie;      /* what is left of a value in a tie                     */
  int *basic;      /* n: variable of a row                                 */
  int *other;      /* n + 1: variable of a column                          */
  int *place;      /* 2n + 1: row of a basic variable, column of another   */
} tableau;

size_t dls_lemke_tableau_bytes(int n_rows) {
  const size_t n = (size_t)n_rows, np = (size_t)dls_lanes_round(n_rows + 3);
  size_t bytes = dls_arena_bytes(dls_bytes(n + 2, np), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(4 * n + 2, sizeof(int)));
  return dls_bytes_add(bytes, dls_lcp_basic_bytes(n_rows));
}

static bool begin(tableau *t, const dls_lcp *p, dls_arena *tmp) {
  const int n = p->n;
  t->lanes = dls_lanes_best();
  t->n = n;
  t->np = dls_lanes_round(n + 3);
  t->T = DLS_TAKE(tmp, double, (size_t)(n + 2) * (size_t)t->np);
  t->basic = DLS_TAKE(tmp, int, 4 * n + 2);
  if (t->T == NULL || t->basic == NULL) return false;
  t->u = t->T + (size_t)n * (size_t)t->np;
  t->y = t->u + t->np;
  t->other = t->basic + n;
  t->place = t->other + n + 1;
  for (int i = 0; i < n; i++) {
    double *row = t->T + (size_t)i * (size_t)t->np;
    memcpy(row, p->M + (size_t)i * (size_t)n, (size_t)n * sizeof *row);
    row[n] = row[i] > 0.0 ? sqrt(row[i]) : 1.0;
    row[n + 1] = p->q[i];
    row[n + 2] = dls_basis_tilt_of(i);
    for (int j = n + 3; j < t->np; j++) row[j] = 0.0;
    t->basic[i] = t->place[i] = t->place[n + i] = i;
    t->other[i] = n + i;
  }
  t->other[n] = 2 * n;
  t->place[2 * n] = n;
  for (int j = 0; j < t->np; j++) t->u[j] = t->y[j] = 0.0;
  t->tie = TIE_TOLERANCE * t->lanes->amax(n, p->q);
  return true;
}

static double *row_of(const tableau *t, int i) { return t->T + (size_t)i * (size_t)t->np; }

/* Values within round-off of zero are zero. */
static double value(const tableau *t, int i) {
  const double x = row_of(t, i)[t->n + 1];
  return x <= t->tie ? 0.0 : x;
}

/* Row i of B^-1 at w_k, from the column of a w that is not basic. */
static double inverse_at(const tableau *t, int i, int k) {
  const int at = t->place[k];
  if (at < t->n && t->basic[at] == k) return at == i ? 1.0 : 0.0;
  return -row_of(t, i)[at];
}

/* Does row a of (tilt, B^-1), over its rate, come before row b? Rates are -u. */
static bool before(const tableau *t, int a, int b) {
  for (int k = -1; k < t->n; k++) {
    const double at_a = k < 0 ? row_of(t, a)[t->n + 2] : inverse_at(t, a, k);
    const double at_b = k < 0 ? row_of(t, b)[t->n + 2] : inverse_at(t, b, k);
    const double mine = at_a / -t->u[a], its = at_b / -t->u[b];
    if (fabs(mine - its) <= LEX_TOLERANCE * dls_max(fabs(mine), fabs(its))) continue;
    return mine < its;
  }
  return false;
}

/* The row that t comes in through: the least q / d, of equals the least tilt / d. */
static int cover(const tableau *t) {
  int first = 0;
  for (int i = 1; i < t->n; i++) {
    const double *mine = row_of(t, i) + t->n, *best = row_of(t, first) + t->n;
    const double ratio = mine[1] / mine[0], least = best[1] / best[0];
    if (ratio < least || (ratio == least && mine[2] / mine[0] < best[2] / best[0])) first = i;
  }
  return first;
}

/* The ratio test over the column in u: the row that leaves, t's where it is in a tie; -1: a ray. */
static int leaving(const tableau *t) {
  const double zero = COLUMN_TOLERANCE * t->lanes->amax(t->n, t->u);
  double theta = DLS_INF;
  int best = -1;
  for (int i = 0; i < t->n; i++)
    if (-t->u[i] > zero) theta = dls_min(theta, value(t, i) / -t->u[i]);
  for (int i = 0; i < t->n; i++) {
    if (!(-t->u[i] > zero) || value(t, i) + theta * t->u[i] > t->tie) continue;
    if (t->basic[i] == 2 * t->n) return i;
    if (best < 0 || before(t, i, best)) best = i;
  }
  return best;
}

/* Exchanges row r and column e; u holds the column. With row and column cleared it is all one
** rank-one change, T += u y'. */
static void exchange(tableau *t, int r, int e) {
  double *row = row_of(t, r);
  const double pivot = row[e];
  for (int j = 0; j < t->np; j++) t->y[j] = -row[j] / pivot;
  t->y[e] = 1.0 / pivot;
  memset(row, 0, (size_t)t->np * sizeof *row);
  for (int i = 0; i < t->n; i++) row_of(t, i)[e] = 0.0;
  t->u[r] = 1.0;
  t->lanes->rank1(t->n, t->np, t->u, t->y, t->T, (size_t)t->np);
  const int out = t->basic[r], in = t->other[e];
  t->basic[r] = in;
  t->other[e] = out;
  t->place[in] = r;
  t->place[out] = e;
}

/* The pivots of the path; -1 where it does not reach t = 0 in good time. */
static int follow(tableau *t, dls_stop *stop) {
  const int n = t->n, most = 10 * n + 50;
  int r = cover(t), e = n;
  if (row_of(t, r)[n + 1] >= 0.0) return 0;
  for (int pivots = 1; pivots <= most; pivots++) {
    for (int i = 0; i < n; i++) t->u[i] = row_of(t, i)[e];
    if (pivots > 1) r = leaving(t);
    if (r < 0 || dls_stop_poll(stop, (double)n * n)) return -1;
    const int out = t->basic[r];
    exchange(t, r, e);
    if (out == 2 * n) return pivots;
    e = t->place[out < n ? out + n : out - n];
  }
  return -1;
}

int dls_lemke_tableau(const dls_lcp *p, dls_stop *stop, dls_arena *tmp, double *z) {
  const size_t mark = dls_arena_mark(tmp);
  const int n = p->n;
  tableau t;
  int pivots = -1, k = 0;
  if (begin(&t, p, tmp)) pivots = follow(&t, stop);
  for (int i = 0; i < n && pivots >= 0; i++)
    if (t.basic[t.place[n + i]] == n + i && t.place[n + i] < n) t.other[k++] = i;
  if (pivots >= 0 && dls_lcp_basic(p, t.other, k, stop, tmp, z) != DLS_OK) pivots = -1;
  for (int i = 0; i < n && pivots >= 0; i++) z[i] = dls_max(z[i], 0.0);
  dls_arena_release(tmp, mark);
  return pivots;
}
