/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_GRAPH_EQUALITY_H
#define DLS_GRAPH_EQUALITY_H

#include "core/graph/block_graph.h"

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
** Source: T. A. Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, chapters 4 and 6. */
typedef struct dls_equality {
  int n;          /* bilateral blocks, in the order of elimination        */
  int *which;     /* n: number in the island's list, by place             */
  int *place;     /* n: the other way round                               */
  int *start;     /* n + 1: later places that place k fills               */
  int *col;       /* start[n], ascending in each                          */
  size_t *first;  /* start[n]: first number of the block in B             */
  double *B;      /* B_ik, d_i x d_k (the first rank_k columns count)     */
  double *F;      /* n x nb nb: F_k, rank_k x d_k                         */
  int *rank;      /* n: independent rows                                  */
  int *white;     /* n + 1: first white number of each                    */
} dls_equality;

/* Scratch of walks along the elimination tree. */
typedef struct dls_equality_walk {
  int *mark;    /* n: block that came by last     */
  int *way;     /* n: places on the way                         */
  int *spot;    /* n: number in the way     */
  int *met;     /* graph->n: blocks of the island that were met */
  int *seen;    /* graph->n: block that saw one last */
  double *work; /* n x nb nb                */
} dls_equality_walk;

/* Order, pattern and room of the bilateral blocks' factor. DLS_FULL: rows->need. */
dls_status dls_equality_plan(dls_rows *rows, const dls_block_graph *graph, dls_arena *tmp,
                             dls_equality *E);
dls_status dls_equality_walk_take(dls_rows *rows, const dls_block_graph *graph,
                                  const dls_equality *E, dls_arena *tmp, dls_equality_walk *walk);

/* The factor; diag: n x nb nb, own: n x nb, scratch. */
void dls_equality_factor(const dls_rows *rows, const dls_block_graph *graph, dls_equality *E,
                         double *diag, double *own);

/* Whether row i of the block at place k is none that depends on those before it. */
bool dls_equality_is_independent(const dls_rows *rows, const dls_block_graph *graph,
                                 const dls_equality *E, int k, int i);

/* t = B^-1 r; r (place by place, nb numbers each) is lost. */
void dls_equality_forward(const dls_rows *rows, const dls_block_graph *graph, const dls_equality *E,
                          double *r, double *t);

/* p = B'^-1 t, place by place; t is lost. */
void dls_equality_backward(const dls_rows *rows, const dls_block_graph *graph,
                           const dls_equality *E, double *t, double *p);

/* Adds g of block c to its support. DLS_FULL: rows->need. */
dls_status dls_equality_support(dls_rows *rows, dls_block_graph *graph, const dls_equality *E,
                                int c, dls_equality_walk *walk, dls_arena *tmp);

#endif
