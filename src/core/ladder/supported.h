/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_SUPPORTED_H
#define DLS_LADDER_SUPPORTED_H

#include "core/graph/body_graph.h"
#include "core/ladder/rung.h"
#include "core/rows/support.h"

/* Newton's step (newton_step.h) of an island of which few blocks meet on more than bodies that move
** by themselves: on trees, or through rows that are eliminated (rows/support.h). Their velocities
** are
**
**     v = J u + z' x_0 + T p,    T_kl = z_k' y_l,
**
** of which z' x_0 + T p stands in their shifts while Newton's steps look at them. The bodies'
** matrix is that of the other blocks, K y = r + J' dp, and the impulses of these follow from the
** dense system
**
**     (1 + S (J M^-1 K^-1 J' + T)) dp = -g - S J M^-1 K^-1 r.
**
** Bodies that these act on come last in K's order: K^-1 J' is asked for there alone. */
typedef struct dls_supported {
  int n, m;      /* blocks, their rows                              */
  const dls_support *on; /* of the island's blocks                  */
  int n_shared;  /* numbers of all supports                         */
  double *shared; /* n_shared: y p                                  */
  int *which;    /* n: place in the island, ascending               */
  int *first;    /* n + 1: first of its rows among m                */
  double *T;     /* m x m                                           */
  double *own;   /* m: shifts                                       */
  double *s;     /* m: shifts, and what moves without impulses      */
  double *dp;    /* m: of a step                                    */
  double *column; /* m x late places: K^-1 J' of each row           */
  double *change; /* places: K^-1 J' dp                             */
  double *S;     /* m x DLS_MOST_ROWS: of each block's law, dp = -g - S dv  */
  double *A;     /* m rows, ld apart: the system, then its LU       */
  double *even;  /* m: the largest number of each of its rows       */
  double *length; /* m: of the rows, as rows->length                */
  double *right; /* m                                               */
  size_t ld;     /* distance of its rows: numbers                   */
  int *pivot;    /* m                                               */
} dls_supported;

/* Blocks of an island that have supports, its `on`, and their rows; false where a block acts on
** four bodies. */
bool dls_count_supported(const dls_island *island, int *count, int *n_rows);

/* Whether few enough blocks of an island have supports, its `on`, and none acts on four bodies. */
bool dls_few_supported(const dls_island *island);

/* Whether each body is one that they act on. */
void dls_mark_supported(const dls_island *island, bool *late);

/* Room beside a factor; shifts of the island as they are. DLS_FULL: rows->need. */
dls_status dls_supported_take(const dls_island *island, const dls_body_graph *graph,
                              dls_supported *x);

/* Multiplications of a step, beside a factor. */
double dls_supported_cost(const dls_supported *x, const dls_body_graph *graph);

/* Shifts for the impulses at hand; as they were. */
void dls_supported_shift(dls_rows *rows, const int *blocks, const dls_supported *x);
void dls_supported_end(dls_rows *rows, const int *blocks, const dls_supported *x);

/* The system of the laws x->S by K's factor; then x->dp of x->right = -g, and y with what it does:
** K^-1 r on entry. */
void dls_supported_factor(const dls_rows *rows, const int *blocks, const dls_body_graph *graph,
                          const dls_supported *x);
void dls_supported_solve(const dls_rows *rows, const int *blocks, const dls_body_graph *graph,
                         const dls_supported *x, double *y);

struct dls_newton;

/* x->dp of a step, and N->y with what it does; N->y: K^-1 r on entry. */
void dls_supported_step(const dls_rows *rows, const int *blocks, struct dls_newton *N);

#endif
