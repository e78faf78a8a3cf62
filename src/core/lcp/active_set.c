/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/active_set.h"

#include "core/math/dense.h"

/* What is left of the diagonal of a row that depends on others. */
static const double DEPENDENT = 1e-11;

bool dls_active_set_take(int room, dls_arena *tmp, dls_active_set *s) {
  const size_t n = (size_t)room;
  *s = (dls_active_set){.room = room, .ld = dls_lanes_ld(room)};
  s->W = DLS_TAKE(tmp, double, n * s->ld);
  s->R = DLS_TAKE(tmp, double, n * s->ld);
  s->b = DLS_TAKE(tmp, double, 5 * n);
  s->active = DLS_TAKE(tmp, int, 2 * n);
  s->presses = DLS_TAKE(tmp, bool, 2 * n);
  if (!s->W || !s->R || !s->b || !s->active || !s->presses) return false;
  s->z = s->b + n, s->w = s->b + 2 * n, s->x = s->b + 3 * n, s->y = s->b + 4 * n;
  s->perm = s->active + n;
  s->holds = s->presses + n;
  return true;
}

size_t dls_active_set_bytes(int room) {
  const size_t n = (size_t)room,
               matrix = dls_arena_bytes(dls_bytes(n, dls_lanes_ld(room)), sizeof(double));
  const size_t rows = dls_arena_bytes(n, 5 * sizeof(double) + 2 * sizeof(int) + 2 * sizeof(bool));
  return dls_bytes_add(dls_bytes_add(matrix, matrix), dls_bytes_add(rows, 256));
}

void dls_active_set_add(dls_active_set *s) {
  const int k = s->n++;
  double *row = dls_active_set_row(s, k);
  for (int j = 0; j < k; j++) row[j] = dls_active_set_row(s, j)[k] = 0;
  row[k] = 1;
  s->b[k] = s->z[k] = s->w[k] = 0;
  s->holds[k] = s->presses[k] = false;
}

/* --- the factor ------------------------------------------------------------------------------- */

/* R'^-1 W_Ap to y; answers what is left of W_pp. */
static double project_row(const dls_active_set *s, int p, double *y) {
  const double *row = dls_active_set_row(s, p);
  for (int i = 0; i < s->m; i++) y[i] = row[s->active[i]];
  dls_dense_forward(s->m, s->R, s->ld, y);
  return row[p] - dls_lanes_best()->dot(s->m, y, y);
}

/* Row p behind the others, by what project_row() gave. */
static void join(dls_active_set *s, int p, const double *y, double left) {
  for (int i = 0; i < s->m; i++) s->R[(size_t)i * s->ld + (size_t)s->m] = y[i];
  s->R[(size_t)s->m * (s->ld + 1)] = sqrt(left);
  s->active[s->m++] = p;
  s->presses[p] = true;
}

/* The k-th of the active rows goes out. */
static void leave(dls_active_set *s, int k) {
  const dls_lanes *lanes = dls_lanes_best();
  s->presses[s->active[k]] = false;
  s->z[s->active[k]] = 0;
  s->m--;
  for (int i = k; i < s->m; i++) s->active[i] = s->active[i + 1];
  for (int i = 0; i <= s->m; i++) {
    double *row = s->R + (size_t)i * s->ld;
    const int from = i > k ? i - 1 : k;
    memmove(row + from, row + from + 1, (size_t)(s->m - from) * sizeof *row);
  }
  for (int i = k; i < s->m; i++) {
    double *a = s->R + (size_t)i * (s->ld + 1), *b = a + s->ld;
    const double size = sqrt(a[0] * a[0] + b[0] * b[0]);
    lanes->rotate(s->m - i, a[0] / size, -b[0] / size, a, b);
  }
}

/* The first n of the active rows of W_AA, or the upper triangle and what kernels touch beside it;
** padded with zeros. */
static void gather_active(dls_active_set *s, int n, bool whole) {
  const int padded = dls_lanes_round(n);
  for (int i = 0; i < n; i++) {
    const double *W = dls_active_set_row(s, s->active[i]);
    double *row = s->R + (size_t)i * s->ld;
    for (int j = whole ? 0 : i & ~15; j < n; j++) row[j] = j < i && !whole ? 0 : W[s->active[j]];
    for (int j = n; j < padded; j++) row[j] = 0;
  }
}

/* Whether the factor of all active rows is one, none of which depends on others. */
static bool factor_all(dls_active_set *s) {
  double pivot;
  gather_active(s, s->m, false);
  if (dls_dense_cholesky(s->m, s->R, s->ld, &pivot) >= 0) return false;
  for (int i = 0; i < s->m; i++) {
    const double r = s->R[(size_t)i * (s->ld + 1)];
    if (!(r * r > DEPENDENT)) return false;
  }
  return true;
}

/* The factor of the active rows, the first n of which are equations: without equations that depend
** on others, then without rows that do. */
static void factor_active(dls_active_set *s, int n) {
  if (factor_all(s)) return;
  const int all = s->m;
  gather_active(s, n, true);
  s->m = dls_dense_cholesky_pivoted(n, s->R, s->ld, DEPENDENT, s->perm);
  for (int i = 0; i < n; i++) s->perm[i] = s->active[s->perm[i]];
  memcpy(s->active, s->perm, (size_t)s->m * sizeof *s->active);
  for (int i = n; i < all; i++) {
    const int p = s->active[i];
    const double left = project_row(s, p, s->y);
    if (left > DEPENDENT) join(s, p, s->y, left);
  }
}

/* --- the method ------------------------------------------------------------------------------- */

/* z_A = -W_AA^-1 b_A. */
static void balance_active(dls_active_set *s) {
  for (int i = 0; i < s->m; i++) s->y[i] = -s->b[s->active[i]];
  dls_dense_forward(s->m, s->R, s->ld, s->y);
  dls_dense_backward(s->m, s->R, s->ld, s->y);
  for (int i = 0; i < s->m; i++) s->z[s->active[i]] = s->y[i];
}

void dls_active_set_start(dls_active_set *s, const double *start) {
  s->m = 0;
  memset(s->z, 0, (size_t)s->n * sizeof *s->z);
  memset(s->presses, 0, (size_t)s->n * sizeof *s->presses);
  for (int i = 0; i < s->n; i++)
    if (s->holds[i]) s->active[s->m++] = i;
  const int n = s->m;
  for (int i = 0; i < s->n; i++)
    if (!s->holds[i] && start[i] > 0) s->active[s->m++] = i;
  factor_active(s, n);
  for (int i = 0; i < s->m; i++) s->presses[s->active[i]] = true;
  for (int lowest = 0; lowest >= 0;) {
    double least = 0;
    lowest = -1;
    balance_active(s);
    for (int i = 0; i < s->m; i++)
      if (!s->holds[s->active[i]] && s->z[s->active[i]] < least)
        least = s->z[s->active[i]], lowest = i;
    if (lowest >= 0) leave(s, lowest);
  }
}

/* w = W z + b. */
static void image_of_active(dls_active_set *s) {
  for (int i = 0; i < s->m; i++) s->x[i] = s->z[s->active[i]];
  memcpy(s->w, s->b, (size_t)s->n * sizeof *s->w);
  dls_lanes_best()->combine(s->m, s->n, s->W, s->ld, s->active, s->x, s->w);
}

/* Row p joins; who comes to zero on the way leaves. False: nothing ends its way, or there were too
** many steps. */
static bool press(dls_active_set *s, int p, int most, int *steps) {
  for (double w = s->w[p]; *steps < most; ++*steps) {
    const double left = project_row(s, p, s->y);
    memcpy(s->x, s->y, (size_t)s->m * sizeof *s->x);
    dls_dense_backward(s->m, s->R, s->ld, s->x);
    double t = left > DEPENDENT ? -w / left : DLS_INF;
    int first = -1;
    for (int i = 0; i < s->m; i++) {
      const double z = s->z[s->active[i]];
      if (!s->holds[s->active[i]] && s->x[i] > 0 && z < t * s->x[i]) t = z / s->x[i], first = i;
    }
    if (!(t < DLS_INF)) return false;
    for (int i = 0; i < s->m; i++) s->z[s->active[i]] -= t * s->x[i];
    s->z[p] += t;
    if (first < 0) {
      join(s, p, s->y, left);
      return true;
    }
    w += t * left;
    leave(s, first);
  }
  return false;
}

bool dls_active_set_solve(dls_active_set *s, double tolerance, int most) {
  bool exact = false; /* z is that of the factor, not of the way here */
  for (int steps = 0;;) {
    int p = -1;
    image_of_active(s);
    for (int i = 0; i < s->n; i++)
      if (!s->presses[i] && !s->holds[i] && s->w[i] < -tolerance && (p < 0 || s->w[i] < s->w[p]))
        p = i;
    if (p < 0 && exact) return true;
    exact = p < 0;
    if (exact) {
      balance_active(s);
      for (int i = 0; i < s->m; i++)
        if (!s->holds[s->active[i]]) s->z[s->active[i]] = dls_max(s->z[s->active[i]], 0);
    } else if (!press(s, p, most, &steps) || ++steps > most) {
      return false;
    }
  }
}
