/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_GRAPH_BODY_GRAPH_H
#define DLS_GRAPH_BODY_GRAPH_H

#include "core/base/arena.h"
#include "core/rows/island.h"

/* An island's bodies as the nodes of a graph, joined by its blocks, and the block LU
**
**     (1 + sum over the blocks J' S M^-1 J) y = r,    nu x nu blocks, S a block's own matrix,
**
** whose unknowns are the bodies' impulses y. Bodies are ordered by minimum degree; there is no
** pivoting between bodies. The pattern of a body at place k are the later places it is joined to
** when its turn comes (elimination.h).
**
** A place has `dls_graph_row` numbers of y; element (i, j) of a block of `dls_graph_size` numbers
** stands at i dls_graph_down + j dls_graph_across. Both are made for lanes (graph_lanes.h,
** body_lanes.h). Source: George & Liu, Computer Solution of Large Sparse Positive Definite
** Systems, 1981, ch. 5. */
static inline int dls_graph_row(int nu) { return nu == 3 ? 4 : 8; }
static inline int dls_graph_size(int nu) { return nu == 3 ? 12 : 48; }
static inline int dls_graph_down(int nu) { return nu == 3 ? 1 : 8; }
static inline int dls_graph_across(int nu) { return nu == 3 ? 4 : 1; }

typedef struct dls_body_graph {
  int nu;         /* 3, 6                                                       */
  int n;          /* bodies that move                                           */
  int late;       /* place from which on they come last; n: none does           */
  int *body;      /* n: by place                                                */
  int *place;     /* n_bodies: of the bodies that move; others undefined        */
  int *start;     /* n + 1: pattern of place k is col[start[k] .. start[k+1]-1] */
  int *col;       /* start[n]: later places, ascending                          */
  double *d;      /* n blocks: diagonal, then inverses of the pivots            */
  double *up;     /* start[n] blocks: K_kj                                      */
  double *low;    /* start[n] blocks: K_jk, then L_jk                           */
} dls_body_graph;

/* Orders the island's bodies and takes the room of their factor; `late`, by body or NULL: those
** that come last, graph->late on. DLS_FULL: rows->need. */
dls_status dls_body_graph_build(dls_rows *rows, const int *blocks, int n, const bool *late,
                                dls_arena *tmp, dls_body_graph *graph);

/* Where K_kj stands, k < j. */
static inline int dls_body_graph_entry(const dls_body_graph *graph, int k, int j) {
  int lo = graph->start[k], hi = graph->start[k + 1];
  while (lo < hi) {
    const int mid = lo + (hi - lo) / 2;
    if (graph->col[mid] < j) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/* K <- 1. */
void dls_body_graph_clear(dls_body_graph *graph);

/* Multiplications of a factor. */
double dls_body_graph_cost(const dls_body_graph *graph);

/* K <- its factor; y <- K^-1 y, by places. */
void dls_body_graph_factor(dls_body_graph *graph);
void dls_body_graph_solve(const dls_body_graph *graph, double *y);

/* The same of a y that is zero before the late places: of y by these what they become,
** of y by all places all. */
void dls_body_graph_solve_late(const dls_body_graph *graph, double *y);
void dls_body_graph_spread_late(const dls_body_graph *graph, double *y);

#endif
