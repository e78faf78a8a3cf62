/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_SUPPORT_H
#define DLS_ROWS_SUPPORT_H

#include "core/base/arena.h"
#include "core/rows/coupling.h"

/* What rows share beside single bodies. A factor of the shared masses, M^-1 = a sum of squares,
** turns them into numbers x that are independent of each other:
**
**     v = J u + z' x,    x += y p,    W_rs = J_r M^-1 J_s' + sum over common numbers of z_r y_s.
**
** Trees give the numbers of the nodes on a row's way to the root (forest/dynamics.h), bilateral
** rows that are eliminated the numbers of equality.h. The support of a row are the few numbers
** where its z and y are not zero. */
typedef struct dls_support {
  int n;     /* numbers of the support                        */
  int *at;   /* n: which, ascending                           */
  double *z; /* n x rows of the block                         */
  double *y; /* n x rows of the block                         */
} dls_support;

/* Room for n numbers of a block of n_rows. DLS_FULL: rows->need. */
dls_status dls_support_take(dls_rows *rows, dls_support *x, int n, int n_rows, dls_arena *tmp);

/* The blocks' supports in trees; *n_x: numbers of these in all. DLS_FULL: rows->need. */
dls_status dls_supports_in_trees(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                                 dls_support *out, int *n_x);

/* W (x->n x y->n) <- J_x M^-1 J_y' over the bodies that both act on. */
void dls_couple_bodies(const dls_rows *rows, const dls_block *x, const dls_block *y, double *W);

/* W (x->n x y->n) <- J_x M^-1 J_y' over these and the numbers that both have. */
void dls_couple(const dls_rows *rows, const dls_block *x, const dls_support *on_x,
                const dls_block *y, const dls_support *on_y, double *W);

/* W += z_x' y_y over the numbers that both supports have: n_x rows, ld numbers apart, of n_y. */
void dls_couple_supports(const dls_support *x, int n_x, const dls_support *y, int n_y, int ld,
                         double *W);

/* v += z' x of a block of d rows. */
static inline void dls_support_read(int d, const dls_support *on, const double *x, double *v) {
  if (d == 3) { /* of contacts in space, written out */
    double a = 0, b = 0, c = 0;
    for (int l = 0; l < on->n; l++) {
      const double now = x[on->at[l]], *z = on->z + 3 * l;
      a += z[0] * now, b += z[1] * now, c += z[2] * now;
    }
    v[0] += a, v[1] += b, v[2] += c;
    return;
  }
  double sum[6] = {0};
  for (int l = 0; l < on->n; l++) {
    const double now = x[on->at[l]];
    for (int i = 0; i < d; i++) sum[i] += on->z[l * d + i] * now;
  }
  for (int i = 0; i < d; i++) v[i] += sum[i];
}

/* x += y change of a block of d rows. */
static inline void dls_support_move(int d, const dls_support *on, const double *change, double *x) {
  if (d == 3) {
    const double a = change[0], b = change[1], c = change[2];
    for (int l = 0; l < on->n; l++) {
      const double *y = on->y + 3 * l;
      x[on->at[l]] += y[0] * a + y[1] * b + y[2] * c;
    }
    return;
  }
  for (int l = 0; l < on->n; l++) {
    double sum = 0;
    for (int i = 0; i < d; i++) sum += on->y[l * d + i] * change[i];
    x[on->at[l]] += sum;
  }
}

#endif
