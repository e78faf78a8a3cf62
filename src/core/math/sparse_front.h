/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_SPARSE_FRONT_H
#define DLS_MATH_SPARSE_FRONT_H

#include "core/base/stop.h"
#include "core/math/sparse.h"

/* A = R'R, A sparse symmetric positive definite and large: the multifrontal method.
**
** Rows of A come in blocks of equal pattern (the degrees of freedom of a node); order, elimination
** tree and fill are found on the graph of the blocks, by minimum degree. Columns of R with (nearly)
** the same pattern form a supernode: k rows of R, kept as one dense k x (k + r) matrix over the
** supernode's own columns and the r columns `below`. A front is the dense matrix of a supernode:
** its entries of A and the updates of its children; k pivots are taken, what is left, r x r, is
** the update for the parent. All arithmetic is that of dense blocks (math/lanes.h): same bits on
** every path.
**     R_J = [ R11  R12 ],  R11 in columns 0 .. k-1, R12 from column round8(k) on
** Source: J. W. H. Liu, The multifrontal method for sparse matrix solution, SIAM Review 34, 1992;
** T. A. Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, ch. 4 and 6. */
typedef struct dls_front {
  dls_alloc alloc;    /* owns the arrays                                                       */
  int n;              /* rows of A                                                             */
  int n_super;        /* supernodes, children before their parents                             */
  int *order, *place; /* n each: the row of A in place k of the elimination, and its inverse   */
  int *first;         /* n_super + 1: first place of a supernode                               */
  int *parent;        /* n_super: the supernode that takes the update, -1 at roots             */
  int *super_of;      /* n: supernode of a place                                               */
  size_t *below_at;   /* n_super + 1: where its list begins                                    */
  int *below;         /* below_at[n_super]: places of the columns of R12, ascending            */
  size_t *value_at;   /* n_super + 1: where its rows begin in value                            */
  double *value;      /* value_at[n_super]: the rows of R                                      */
  size_t n_stack;     /* numbers that updates need at once                                     */
  int n_widest;       /* the largest r                                                         */
  double n_entries;   /* of R, the padding not counted                                         */
} dls_front;

/* Finds order and patterns. block[k] is the first row of block k, block[n_blocks] = n; *f all zero
** before. A failure (NOMEM, TOOBIG) leaves it all zero. */
dls_status dls_front_plan(dls_front *f, const dls_sparse *A, int n_blocks, const int *block,
                          const dls_alloc *alloc);
void dls_front_destroy(dls_front *f);

/* The numbers. A pivot not above tol times the diagonal of A ends it: *bad is that row of A (else
** -1) and the status DLS_SINGULAR. DLS_NOMEM, DLS_STOPPED. May be repeated for another A of the
** same pattern. */
dls_status dls_front_factor(dls_front *f, const dls_sparse *A, double tol, dls_stop *stop,
                            int *bad);

/* After DLS_SINGULAR at row bad: v (n) with A v = 0 to round-off, v_bad = 1. */
void dls_front_null(const dls_front *f, int bad, double *v);

/* Marks (n_super flags) the supernode of a row of A and all above it: what a solve needs to visit
** whose right sides and wanted answers are in such rows. */
void dls_front_reach(const dls_front *f, int row, unsigned char *reach);

/* X <- A^-1 X for m right sides, m a MULTIPLE OF 8: row order[k] of A is row k of X, ldx apart.
** reach: as above, rows outside of it are zero before and of no meaning after; NULL: all.
** tmp: n_widest x m numbers. DLS_STOPPED. */
dls_status dls_front_solve(const dls_front *f, const unsigned char *reach, int m, double *X,
                           size_t ldx, double *tmp, dls_stop *stop);

#endif
