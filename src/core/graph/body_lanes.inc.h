/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Every path of body_lanes.h is this code, compiled for its processor with vectors of BODY_WIDTH numbers: products and
** sums of every number in one order. */
#include "core/base/vector.inc.h"

#ifdef DLS_PLAIN_C
enum { LANES = 1 };
typedef double vec;
typedef double loose;
#else
/* No vector is passed to or from a function that is not inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"
enum { LANES = BODY_WIDTH };
typedef double vec DLS_VECTOR(8 * BODY_WIDTH);
typedef double loose DLS_LOOSE(8 * BODY_WIDTH, 8);
#endif

enum { ROWS = 6 };

/* The parts of a row. */
#define EACH(l) for (int l = 0; l < DLS_BODY_ROW; l += LANES)

/* The row a of six numbers times the rows b. */
DLS_INLINE vec row_product(const double *a, const vec *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

DLS_INLINE void read_rows(const double *b, int l, vec *out) {
  out[0] = LOAD(b + l), out[1] = LOAD(b + 8 + l), out[2] = LOAD(b + 16 + l);
  out[3] = LOAD(b + 24 + l), out[4] = LOAD(b + 32 + l), out[5] = LOAD(b + 40 + l);
}

/* c -= a b. c is neither. */
DLS_INLINE void subtract(const double *a, const double *b, double *c) {
  EACH(l) {
    vec rows[ROWS];
    read_rows(b, l, rows);
    for (int i = 0; i < DLS_BODY_BLOCK; i += DLS_BODY_ROW) STORE(c + i + l, LOAD(c + i + l) - row_product(a + i, rows));
  }
}

/* a <- a b. b is not a. */
DLS_INLINE void multiply(double *a, const double *b) {
  double was[DLS_BODY_BLOCK];
  memcpy(was, a, sizeof was);
  EACH(l) {
    vec rows[ROWS];
    read_rows(b, l, rows);
    for (int i = 0; i < DLS_BODY_BLOCK; i += DLS_BODY_ROW) STORE(a + i + l, row_product(was + i, rows));
  }
}

DLS_INLINE void swap(double *a, double *b) {
  EACH(l) {
    const vec x = LOAD(a + l);
    STORE(a + l, LOAD(b + l));
    STORE(b + l, x);
  }
}

DLS_INLINE void scale_row(double *a, double x) { EACH(l) STORE(a + l, LOAD(a + l) * x); }

DLS_INLINE void subtract_row(double *a, double x, const double *b) { EACH(l) STORE(a + l, LOAD(a + l) - x * LOAD(b + l)); }

/* a <- a^-1 by Gauss and Jordan, rows as pivots by size. */
static void invert(double *a) {
  double own[DLS_BODY_BLOCK] = {0};
  for (int i = 0; i < ROWS; i++) own[DLS_BODY_ROW * i + i] = 1;
  for (int k = 0; k < ROWS; k++) {
    double *pivot_row = a + DLS_BODY_ROW * k, *pivot_own = own + DLS_BODY_ROW * k;
    int best = k;
    for (int i = k + 1; i < ROWS; i++)
      if (fabs(a[DLS_BODY_ROW * i + k]) > fabs(a[DLS_BODY_ROW * best + k])) best = i;
    if (best != k) swap(pivot_row, a + DLS_BODY_ROW * best), swap(pivot_own, own + DLS_BODY_ROW * best);
    double pivot = pivot_row[k];
    if (!(fabs(pivot) > 1e-30)) pivot = 1e-30;
    const double scale = 1 / pivot;
    scale_row(pivot_row, scale), scale_row(pivot_own, scale);
    for (int i = 0; i < ROWS; i++) {
      const double x = a[DLS_BODY_ROW * i + k];
      if (i == k || x == 0) continue;
      subtract_row(a + DLS_BODY_ROW * i, x, pivot_row), subtract_row(own + DLS_BODY_ROW * i, x, pivot_own);
    }
  }
  memcpy(a, own, sizeof own);
}

static void factor(const dls_graph_factor *K) {
  const int *start = K->start, *col = K->col;
  for (int k = 0; k < K->n; k++) {
    double *d = K->d + (size_t)k * DLS_BODY_BLOCK;
    const int last = start[k + 1];
    invert(d);
    for (int e = start[k]; e < last; e++) multiply(K->low + (size_t)e * DLS_BODY_BLOCK, d);
    for (int e = start[k]; e < last; e++) {
      const int i = col[e];
      const double *low = K->low + (size_t)e * DLS_BODY_BLOCK, *up = K->up + (size_t)e * DLS_BODY_BLOCK;
      subtract(low, up, K->d + (size_t)i * DLS_BODY_BLOCK);
      for (int f = e + 1, at = start[i]; f < last; f++) {
        while (col[at] != col[f]) at++;
        subtract(low, K->up + (size_t)f * DLS_BODY_BLOCK, K->up + (size_t)at * DLS_BODY_BLOCK);
        subtract(K->low + (size_t)f * DLS_BODY_BLOCK, up, K->low + (size_t)at * DLS_BODY_BLOCK);
      }
    }
  }
}

enum { BOTH = 2 * ROWS, ROW_OF_BOTH = 2 * DLS_BODY_ROW };

/* K += the sum of columns times rows, of one body's side and another. */
DLS_INLINE void add_products(int terms, double column[3][BOTH], double row[3][ROW_OF_BOTH], int side, int other, double *K) {
  EACH(l) {
    vec part[3];
    for (int k = 0; k < terms; k++) part[k] = LOAD(row[k] + DLS_BODY_ROW * other + l);
    for (int i = 0; i < ROWS; i++) {
      double *own = K + DLS_BODY_ROW * i + l;
      const int at = ROWS * side + i;
      vec sum = column[0][at] * part[0] + column[1][at] * part[1];
      if (terms == 3) sum = sum + column[2][at] * part[2];
      STORE(own, LOAD(own) + sum);
    }
  }
}

DLS_INLINE void add_blocks(int terms, double column[3][BOTH], double row[3][ROW_OF_BOTH], double *const *K) {
  if (K[0]) add_products(terms, column, row, 0, 0, K[0]);
  if (K[1]) add_products(terms, column, row, 0, 1, K[1]);
  if (K[2]) add_products(terms, column, row, 1, 0, K[2]);
  if (K[3]) add_products(terms, column, row, 1, 1, K[3]);
}

/* The row x of both bodies as rows of blocks. */
DLS_INLINE void pad_row(const double *x, double *row) {
  for (int side = 0; side < 2; side++, x += ROWS, row += DLS_BODY_ROW) {
    memcpy(row, x, ROWS * sizeof *row);
    row[ROWS] = row[ROWS + 1] = 0;
  }
}

static void add(const dls_body_rows *S, const double *J, const double *MJ, double *const *K) {
  double column[3][BOTH], row[3][ROW_OF_BOTH], turned[BOTH];
  const double *J_1 = J + BOTH, *J_2 = J + 2 * BOTH, *MJ_1 = MJ + BOTH, *MJ_2 = MJ + 2 * BOTH, n = S->n, t = S->t;
  pad_row(MJ, row[0]);
  if (S->slips) {
    const double w_1 = S->w_1, w_2 = S->w_2, along_1 = S->along_1, along_2 = S->along_2;
    for (int i = 0; i < BOTH; i++) column[0][i] = n * J[i] + along_1 * J_1[i] + along_2 * J_2[i];
    for (int i = 0; i < BOTH; i++) column[1][i] = t * (w_1 * J_2[i] - w_2 * J_1[i]);
    for (int i = 0; i < BOTH; i++) turned[i] = w_1 * MJ_2[i] - w_2 * MJ_1[i];
    pad_row(turned, row[1]);
    add_blocks(2, column, row, K);
    return;
  }
  pad_row(MJ_1, row[1]);
  pad_row(MJ_2, row[2]);
  for (int i = 0; i < BOTH; i++) column[0][i] = n * J[i];
  for (int i = 0; i < BOTH; i++) column[1][i] = t * J_1[i];
  for (int i = 0; i < BOTH; i++) column[2][i] = t * J_2[i];
  add_blocks(3, column, row, K);
}

const dls_body_lanes BODY_TABLE = {.name = BODY_NAME, .factor = factor, .add = add};
