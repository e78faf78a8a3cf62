/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_SPARSE_LDL_H
#define DLS_MATH_SPARSE_LDL_H

#include "core/base/stop.h"
#include "core/math/sparse_order.h"

/* A_SS + shift I = L D L', S a subset of the rows, A sparse symmetric positive definite; row by row
** over the elimination tree, without recursion. The order and the room for L are found once for the
** whole of A, and serve every S: the fill of a part is a part of the fill.
** Source: T. A. Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, chapter 4. */
typedef struct dls_sparse_ldl {
  const dls_sparse *A;  /* borrowed                                            */
  int n;                /* rows                                                */
  int n_fill;           /* entries of L, all rows taking part                  */
  double work;          /* sum of the squared lengths of its columns           */
  int *order, *place;   /* n each: k-th row to go, and the other way round     */
  int *parent;          /* n: elimination tree, -1 at roots                    */
  int *start, *used;    /* n + 1, n: columns of L                              */
  int *row;             /* n_fill                                              */
  double *value;        /* n_fill                                              */
  double *d;            /* n                                                   */
  double *x;            /* n: scratch                                          */
  int *pattern, *mark;  /* n each: scratch                                     */
  dls_stop *stop;       /* asked while factoring; NULL: nobody is               */
} dls_sparse_ldl;

/* Finds the order and takes memory for it all from the arena, which keeps it. DLS_FULL: it has too
** little room, how much is needed being known only after the order. */
dls_status dls_sparse_ldl_take(dls_sparse_ldl *f, const dls_sparse *A, dls_arena *tmp);

/* The same in two parts: the order, the tree, n_fill and work, and the room for L. What
** dls_sparse_ldl_plan needs of the arena, which keeps part of it, is
** dls_sparse_ldl_plan_bytes(rows, entries). DLS_TOOBIG: an int cannot count the entries of L. */
size_t dls_sparse_ldl_plan_bytes(size_t n, size_t nnz);
dls_status dls_sparse_ldl_plan(dls_sparse_ldl *f, const dls_sparse *A, dls_arena *tmp);
dls_status dls_sparse_ldl_room(dls_sparse_ldl *f, dls_arena *tmp);

/* Factors; S has n flags, NULL for all rows. -1, or a row whose pivot is not above tol times its
** diagonal; or the row where it was stopped. */
int dls_sparse_ldl_factor(dls_sparse_ldl *f, const unsigned char *S, double shift, double tol);

/* x_S = (A_SS + shift I)^-1 b_S, zero elsewhere, with the S of the last factor; x may be b. */
void dls_sparse_ldl_solve(dls_sparse_ldl *f, const unsigned char *S, const double *b, double *x);

#endif
