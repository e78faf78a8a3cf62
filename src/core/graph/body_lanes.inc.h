/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Every path of body_lanes.h is this code, compiled for its processor with vectors of BODY_WIDTH
** numbers: products and sums of every number in one order. */
#include "core/base/vector.inc.h"

#ifdef DLS_PLAIN_C
enum { LANES = 1 };
typedef double vec;
typedef int mask;
typedef double loose;
#else
/* No vector is passed to or from a function that is not inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"
enum { LANES = BODY_WIDTH };
typedef double vec DLS_VECTOR(8 * BODY_WIDTH);
typedef int64_t mask DLS_VECTOR(8 * BODY_WIDTH);
typedef double loose DLS_LOOSE(8 * BODY_WIDTH, 8);
#endif

enum { ROWS = 6 };
#if defined(DLS_PLAIN_C) || defined(__clang__)
#define DLS_UNROLL_ROWS
#else
#define DLS_UNROLL_ROWS _Pragma("GCC unroll 6")
#endif

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
    DLS_UNROLL_ROWS
    for (int i = 0; i < DLS_BODY_BLOCK; i += DLS_BODY_ROW)
      STORE(c + i + l, LOAD(c + i + l) - row_product(a + i, rows));
  }
}

/* b <- a, by vectors: a call or a string instruction takes as long as a product. */
DLS_INLINE void copy_block(const double *a, double *b) {
  DLS_UNROLL_ROWS
  for (int i = 0; i < DLS_BODY_BLOCK; i += DLS_BODY_ROW)
    EACH(l) STORE(b + i + l, LOAD(a + i + l));
}

/* a <- a b. b is not a. */
DLS_INLINE void multiply(double *a, const double *b) {
  double was[DLS_BODY_BLOCK];
  copy_block(a, was);
  EACH(l) {
    vec rows[ROWS];
    read_rows(b, l, rows);
    DLS_UNROLL_ROWS
    for (int i = 0; i < DLS_BODY_BLOCK; i += DLS_BODY_ROW)
      STORE(a + i + l, row_product(was + i, rows));
  }
}

DLS_INLINE void swap(double *a, double *b) {
  EACH(l) {
    const vec x = LOAD(a + l);
    STORE(a + l, LOAD(b + l));
    STORE(b + l, x);
  }
}

/* a <- a^-1 by Gauss and Jordan in place, rows as pivots by size: column k of the inverse stands
** where that of the matrix has become one of 1; the exchanges of rows are undone on its columns.
** Rows are written by whole vectors, which those that read them next would wait for otherwise. */
static void invert(double *a) {
  static const double unit[DLS_BODY_BLOCK] = {
      [0] = 1, [9] = 1, [18] = 1, [27] = 1, [36] = 1, [45] = 1};
  int from[ROWS];
  bool any = false;
  for (int k = 0; k < ROWS; k++) {
    double *pivot_row = a + DLS_BODY_ROW * k;
    const double *one = unit + DLS_BODY_ROW * k;
    double most = fabs(pivot_row[k]);
    int best = k;
    for (int i = k + 1; i < ROWS; i++) {
      const double size = fabs(a[DLS_BODY_ROW * i + k]);
      best = size > most ? i : best;
      most = size > most ? size : most;
    }
    from[k] = best;
    any |= best != k;
    if (best != k) swap(pivot_row, a + DLS_BODY_ROW * best);
    double pivot = pivot_row[k];
    if (!(fabs(pivot) > 1e-30)) pivot = 1e-30;
    const double scale = 1 / pivot;
    EACH(l)
    STORE(pivot_row + l,
          PICK(LOAD(one + l) == 1, LOAD(one + l), LOAD(pivot_row + l)) * scale);
    for (int i = 0; i < ROWS; i++) {
      double *row = a + DLS_BODY_ROW * i;
      const double x = row[k];
      if (i == k || x == 0) continue;
      EACH(l)
      STORE(row + l, KEEP(LOAD(one + l) == 0, LOAD(row + l)) - x * LOAD(pivot_row + l));
    }
  }
  for (int k = ROWS - 1; any && k >= 0; k--)
    for (int i = 0; from[k] != k && i < ROWS; i++) {
      double *own = a + DLS_BODY_ROW * i;
      const double x = own[k];
      own[k] = own[from[k]];
      own[from[k]] = x;
    }
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
      const double *low = K->low + (size_t)e * DLS_BODY_BLOCK,
                   *up = K->up + (size_t)e * DLS_BODY_BLOCK;
      subtract(low, up, K->d + (size_t)i * DLS_BODY_BLOCK);
      for (int f = e + 1, at = start[i]; f < last; f++) {
        while (col[at] != col[f]) at++;
        subtract(low, K->up + (size_t)f * DLS_BODY_BLOCK, K->up + (size_t)at * DLS_BODY_BLOCK);
        subtract(K->low + (size_t)f * DLS_BODY_BLOCK, up, K->low + (size_t)at * DLS_BODY_BLOCK);
      }
    }
  }
}

enum { PAIR = DLS_BODY_PAIR };
#define EACH_OF_PAIR(l) for (int l = 0; l < PAIR; l += LANES)

/* K_a, K_b += the sum of columns times rows: of one body's side and of both, or of that of `other`
** alone. */
DLS_INLINE void add_to_both(int terms, const double *column, const double *const *row,
                            double *K_a, double *K_b) {
  EACH(l) {
    const vec a_0 = LOAD(row[0] + l), a_1 = LOAD(row[1] + l),
              b_0 = LOAD(row[0] + DLS_BODY_ROW + l),
              b_1 = LOAD(row[1] + DLS_BODY_ROW + l);
    const vec a_2 = terms == 3 ? LOAD(row[2] + l) : a_0,
              b_2 = terms == 3 ? LOAD(row[2] + DLS_BODY_ROW + l) : b_0;
    DLS_UNROLL_ROWS
    for (int i = 0; i < ROWS; i++) {
      const double x = column[i], y = column[PAIR + i],
                   z = terms == 3 ? column[2 * PAIR + i] : 0;
      vec a = x * a_0 + y * a_1, b = x * b_0 + y * b_1;
      if (terms == 3) a = a + z * a_2, b = b + z * b_2;
      STORE(K_a + DLS_BODY_ROW * i + l, LOAD(K_a + DLS_BODY_ROW * i + l) + a);
      STORE(K_b + DLS_BODY_ROW * i + l, LOAD(K_b + DLS_BODY_ROW * i + l) + b);
    }
  }
}

DLS_INLINE void add_to_one(int terms, const double *column, const double *const *row,
                           int other, double *K) {
  EACH(l) {
    const int at = DLS_BODY_ROW * other + l;
    const vec a_0 = LOAD(row[0] + at), a_1 = LOAD(row[1] + at),
              a_2 = terms == 3 ? LOAD(row[2] + at) : a_0;
    DLS_UNROLL_ROWS
    for (int i = 0; i < ROWS; i++) {
      vec a = column[i] * a_0 + column[PAIR + i] * a_1;
      if (terms == 3) a = a + column[2 * PAIR + i] * a_2;
      STORE(K + DLS_BODY_ROW * i + l, LOAD(K + DLS_BODY_ROW * i + l) + a);
    }
  }
}

DLS_INLINE void add_blocks(int terms, double column[3][PAIR], const double *const *row,
                           double *const *K) {
  if (K[1]) {
    add_to_both(terms, column[0], row, K[0], K[1]);
    add_to_both(terms, column[0] + DLS_BODY_ROW, row, K[2], K[3]);
  } else if (K[0])
    add_to_one(terms, column[0], row, 0, K[0]);
  else if (K[3])
    add_to_one(terms, column[0] + DLS_BODY_ROW, row, 1, K[3]);
}

static void add_slipping(const dls_body_contact *c) {
  double column[3][PAIR], turned[PAIR];
  const double *const row[3] = {c->MJ[0], turned, turned};
  const dls_body_rows *S = &c->S;
  const double n = S->n, t = S->t, w_1 = S->w_1, w_2 = S->w_2, along_1 = S->along_1,
               along_2 = S->along_2;
  EACH_OF_PAIR(l) {
    const vec J_1 = LOAD(c->J[1] + l), J_2 = LOAD(c->J[2] + l);
    STORE(column[0] + l, n * LOAD(c->J[0] + l) + along_1 * J_1 + along_2 * J_2);
    STORE(column[1] + l, t * (w_1 * J_2 - w_2 * J_1));
    STORE(turned + l, w_1 * LOAD(c->MJ[2] + l) - w_2 * LOAD(c->MJ[1] + l));
  }
  add_blocks(2, column, row, c->K);
}

static void add_sticking(const dls_body_contact *c) {
  double column[3][PAIR];
  const double *const row[3] = {c->MJ[0], c->MJ[1], c->MJ[2]};
  EACH_OF_PAIR(l) {
    STORE(column[0] + l, c->S.n * LOAD(c->J[0] + l));
    STORE(column[1] + l, c->S.t * LOAD(c->J[1] + l));
    STORE(column[2] + l, c->S.t * LOAD(c->J[2] + l));
  }
  add_blocks(3, column, row, c->K);
}

static void add(int n, const dls_body_contact *c, double *y) {
  for (; n > 0; n--, c++) {
    for (int side = 0; side < 2; side++) {
      if (c->at[side] < 0) continue;
      double *own = y + c->at[side];
      const double *J = c->J[0] + DLS_BODY_ROW * side;
      EACH(l) {
        const vec sum = c->g[0] * LOAD(J + l) + c->g[1] * LOAD(J + PAIR + l) +
                        c->g[2] * LOAD(J + 2 * PAIR + l);
        STORE(own + l, LOAD(own + l) - sum);
      }
    }
    if (c->S.acts && c->S.slips)
      add_slipping(c);
    else if (c->S.acts)
      add_sticking(c);
  }
}

static void speeds(int n, const dls_body_contact *c, const double *x, double *v) {
  static const double none[DLS_BODY_ROW];
  for (; n > 0; n--, c++, v += 3) {
    const double *a = c->at[0] < 0 ? none : x + c->at[0],
                 *b = c->at[1] < 0 ? none : x + c->at[1];
    double sum[3][DLS_BODY_ROW];
    EACH(l) {
      const vec x_a = LOAD(a + l), x_b = LOAD(b + l);
      DLS_UNROLL
      for (int k = 0; k < 3; k++)
        STORE(sum[k] + l,
              LOAD(c->J[k] + l) * x_a + LOAD(c->J[k] + DLS_BODY_ROW + l) * x_b);
    }
    DLS_UNROLL
    for (int k = 0; k < 3; k++)
      v[k] =
          ((sum[k][0] + sum[k][4]) + sum[k][2]) + ((sum[k][1] + sum[k][5]) + sum[k][3]);
  }
}

static void push(int n, const dls_body_contact *c, const double *p, double *u) {
  for (; n > 0; n--, c++) {
    const double p_0 = p[c->row], p_1 = p[c->row + 1], p_2 = p[c->row + 2];
    for (int side = 0; side < 2; side++) {
      if (c->at[side] < 0) continue;
      double *own = u + c->at[side];
      const double *MJ = c->MJ[0] + DLS_BODY_ROW * side;
      EACH(l)
      STORE(own + l, LOAD(own + l) + (p_0 * LOAD(MJ + l) + p_1 * LOAD(MJ + PAIR + l) +
                                      p_2 * LOAD(MJ + 2 * PAIR + l)));
    }
  }
}

const dls_body_lanes BODY_TABLE = {
    .name = BODY_NAME, .factor = factor, .add = add, .speeds = speeds, .push = push};
