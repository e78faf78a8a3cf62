/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_GRAPH_EQUALITY_H
#define DLS_GRAPH_EQUALITY_H

#include "core/graph/block_graph.h"
#include "core/math/runs.h"

/* Bilateral rows eliminated. W_BB of the bilateral blocks has the pattern of their graph (two meet
** on a body, or on a tree's node) and is factored block by block in an order of least degree,
**
**     P W_BB P' = B B',    B_kk = F_k^+,  B_ik = A_ik F_k',    F_k A_kk F_k' = 1,
**
** with pivots inside a block; a row that adds nothing to those before it has no part in F_k and
** gets no impulse. With the white numbers t = B^-1 (v_B + s_B) of these rows without their own
** impulses,
**
**     p_B = -B'^-1 t,    and row c of the others has   v_c = J_c u - g_c' t,    g_c = B^-1 W_Bc,
**
** g_c being zero but on the ways to the root of the elimination tree from where c meets them.
**
** B' is kept by rows, as runs of columns: row k of W is that of its bodies, and what it has of the
** numbers that it shares with later blocks in trees (support.h); the rows of B' before it that fill
** it are taken off, each times its block in column k (left-looking). Source: T. A. Davis, Direct
** Methods for Sparse Linear Systems, SIAM 2006, chapters 4 and 6. */

/* What bilateral blocks share in trees: numbers that the same blocks have are a group, a matrix
** y' of as many rows, by runs of the blocks' columns. */
typedef struct dls_shared_numbers {
  int n;             /* groups                                                      */
  int *group;        /* n_x: group of which a number is the first, -1 none          */
  int *size;         /* n: numbers, up to DLS_MOST_ROWS                             */
  int *run_start;    /* n + 1: first run of each                                    */
  int *run;          /* runs: first column, how many                                */
  size_t *at;        /* n + 1: first number of each in y                            */
  double *y;         /* of the blocks' supports                                     */
  dls_runs_place *spot; /* n: where the place at hand is in each                    */
} dls_shared_numbers;

typedef struct dls_equality {
  int n;          /* bilateral blocks, in the order of elimination        */
  int *which;     /* n: number in the island's list, by place             */
  int *place;     /* n: the other way round                               */
  int *start;     /* n + 1: later places that place k fills               */
  int *col;       /* start[n], ascending in each                          */
  int *column;    /* n + 1: first row of each block among those of all    */
  int *run_start; /* n + 1: first run of row k of B'                      */
  int *run;       /* runs: first column, how many                         */
  size_t *at;     /* n + 1: first number of row k in B                    */
  double *B;      /* rows k of B' right of the diagonal, d_k (the first rank_k count) by runs */
  double *F;      /* n x nb nb: F_k, rank_k x d_k                         */
  int *rank;      /* n: independent rows                                  */
  double least;   /* pivot of those: a share of their own W               */
  int *white;     /* n + 1: first white number of each                    */
  dls_shared_numbers shared; /* in trees                                  */
  int *head, *next, *entry;  /* n: rows that wait for a place; their next column in col */
  int *mark;                 /* n: place that met one last                */
  dls_runs_place *spot;      /* n: where that column is in its row        */
  size_t ld;                 /* column[n] and some                        */
  double *work;              /* nb x ld: rows of one block                */
} dls_equality;

/* Scratch of walks along the elimination tree. */
typedef struct dls_equality_walk {
  int *mark;    /* n: block that came by last     */
  int *way;     /* n: places on the way                         */
  int *met;     /* graph->n: blocks of the island that were met */
  int *seen;    /* graph->n: block that saw one last */
} dls_equality_walk;

/* Order, pattern and room of the bilateral blocks' factor. DLS_FULL: rows->need. */
dls_status dls_equality_plan(dls_rows *rows, const dls_block_graph *graph, dls_arena *tmp,
                             dls_equality *E);
dls_status dls_equality_walk_take(dls_rows *rows, const dls_block_graph *graph,
                                  const dls_equality *E, dls_arena *tmp, dls_equality_walk *walk);

/* The factor. */
void dls_equality_factor(const dls_rows *rows, const dls_block_graph *graph, dls_equality *E);

/* Whether row i of the block at place k is none that depends on those before it. */
bool dls_equality_is_independent(const dls_rows *rows, const dls_equality *E, int k, int i);

/* t = B^-1 r; r: place by place, nb numbers each. */
void dls_equality_forward(const dls_rows *rows, const dls_equality *E, const double *r, double *t);

/* p = B'^-1 t, place by place; t is lost. */
void dls_equality_backward(const dls_rows *rows, const dls_equality *E, double *t, double *p);

/* Adds g of block c to its support. DLS_FULL: rows->need. */
dls_status dls_equality_support(dls_rows *rows, dls_block_graph *graph, const dls_equality *E,
                                int c, dls_equality_walk *walk, dls_arena *tmp);

#endif
