/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_BASIS_H
#define DLS_LCP_BASIS_H

#include "core/lcp/lcp.h"

/* A basis of  w - M z - d t = q,  the system whose complementary paths Lemke's method and the load
** parameter follow, in factor form: no tableau is kept, only the inverse of its kernel.
**
** Variables are numbered w_i = i, z_i = n + i, t = 2n. With R the rows whose w is not basic and C
** the basic columns among z and t (|R| = |C| = k), N = (-M, -d) and K = N_RC,
**
**     x_C = K^-1 q_R,   w_i = q_i - N_iC x_C,   u_C = K^-1 a_R,   u_i = a_i - N_iC u_C
**
** for the values x of the basic variables and the column u of an entering variable with column a.
** A pivot borders, shrinks or replaces a row or a column of K^-1: O(k^2), and O(n k) for a column,
** against O(n^2) of a tableau. Every column is checked in the rows R, where it must vanish, and
** the inverse is made anew where it does not.
** M and q should be equilibrated: zero tests are relative to numbers near 1.
** Source: Cottle, Pang & Stone 2009, sec. 4.4 and 4.9 (lexicographic ratio test). */
typedef struct dls_basis {
  int n;            /* size of the problem                                                       */
  int k;            /* size of the kernel                                                        */
  int ld;           /* row distance of inverse                                                   */
  double *columns;  /* n + 1 columns of n: -M by columns, then -d                                */
  double *q;        /* n, right side of the ratio test                                           */
  double *q_true;   /* n, right side of the answer (the same but for a margin)                   */
  double *inverse;  /* ld x ld: K^-1, row c for the c-th of cols, column r for the r-th of rows  */
  int *rows, *cols; /* n + 1: R and C in the order of the kernel; C counts z_i as i, t as n      */
  int *row_at, *col_at; /* n + 1: position in R and C, or -1                                     */
  int *variable;    /* n: basic variable of each slot                                            */
  int *slot;        /* 2n + 1: slot of each basic variable, -1 of the others                     */
  double *x;        /* n, by slot: values for q                                                  */
  double *x_true;   /* n, by slot: values for q_true                                             */
  double *u;        /* n, by slot: entering column                                               */
  double *noise;    /* n, by slot: what round-off may have done to x                             */
  double *tilt;     /* n, by slot: values for a right side of positive random numbers            */
  double *work;     /* 5 (n + 1), scratch                                                        */
  int *ties;        /* n + 1, scratch                                                            */
  double *tie_rows; /* n + 1, scratch                                                            */
  int n_since;      /* pivots since the inverse was made                                         */
  dls_stop *stop;   /* asked by long work; NULL: nobody is                                       */
  bool two;         /* q_true differs from q, and x_true is kept                                 */
  bool tilted;      /* tilt is kept and parts ties before the rows of B^-1 do                    */
} dls_basis;

size_t dls_basis_bytes(int n);

/* Takes the arrays from tmp and starts with all w basic. M (n x n, row-major), d (n) and q (n) are
** copied. DLS_FULL tmp too small. */
dls_status dls_basis_begin(dls_basis *b, int n, const double *M, const double *d, const double *q,
                           dls_arena *tmp);

/* A second right side q + margin for the ratio tests beside q for the answer; w must be basic. */
void dls_basis_margin(dls_basis *b, const double *margin);

/* From now on ties are parted by the lexicographic order of (q, tilt, I) B^-1 in place of (q, I):
** as finite, and seldom in need of rows of B^-1. w must be basic. */
void dls_basis_tilt(dls_basis *b);

/* The number of that right side for row i, in (1, 2). */
double dls_basis_tilt_of(int i);

/* Another covering vector; the basis returns to all w. */
void dls_basis_restart(dls_basis *b, const double *d);

/* The other one of a complementary pair; t has none: -1. */
static inline int dls_basis_complement(const dls_basis *b, int v) {
  return v == 2 * b->n ? -1 : (v < b->n ? v + b->n : v - b->n);
}

/* Another column for t, which must not be basic. */
void dls_basis_load(dls_basis *b, const double *d);

static inline bool dls_basis_has(const dls_basis *b, int v) { return b->slot[v] >= 0; }

/* Value of a variable in the answer, entry of u: 0 where it is not basic. */
static inline double dls_basis_value(const dls_basis *b, int v) {
  return b->slot[v] < 0 ? 0.0 : (b->two ? b->x_true : b->x)[b->slot[v]];
}
static inline double dls_basis_entry(const dls_basis *b, int v) {
  return b->slot[v] < 0 ? 0.0 : b->u[b->slot[v]];
}

/* u of an entering variable; false: the inverse is worthless (the basis is singular), or it was
** stopped. */
bool dls_basis_column(dls_basis *b, int entering);

/* The lexicographic ratio test over u > 0: the variable that leaves, or -1 where u has no positive
** entry. preferred (or -1) wins a tie. */
int dls_basis_ratio(dls_basis *b, int preferred);

/* Where t enters first, all w basic and some q < 0: the lexicographically first row of q / d. */
int dls_basis_cover(const dls_basis *b, const double *d);

/* The pivot: u must be the column of `entering`. false: the pivot is zero to working accuracy. */
bool dls_basis_pivot(dls_basis *b, int entering, int leaving);

/* Values for q and q_true from the kernel, refined by the residual. */
void dls_basis_values(dls_basis *b);

#endif
