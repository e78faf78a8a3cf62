/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_GRAPH_BLOCK_GRAPH_H
#define DLS_GRAPH_BLOCK_GRAPH_H

#include "core/rows/support.h"

/* Which blocks of an island meet, and where. */

/* The island's blocks, bilateral ones first, with the bodies and numbers (nodes) they meet on. */
typedef struct dls_block_graph {
  int n, n_equal;     /* blocks, bilateral ones                           */
  int *block;         /* n: numbers in rows->block                        */
  dls_support *on;    /* n: their supports                                */
  int n_x;            /* numbers of trees                                 */
  int n_bodies, *body; /* those that move by themselves                   */
  int n_nodes;         /* of the graph */
  int *start, *node;   /* n + 1: nodes of each block                        */
  int *node_start, *at_node; /* n_nodes + 1: blocks at each, ascending       */
  bool *repeats;             /* n_nodes: the blocks at the one before        */
} dls_block_graph;

/* Fills bodies and nodes from blocks and supports. DLS_FULL: rows->need. */
dls_status dls_block_graph_join(dls_rows *rows, dls_block_graph *graph, dls_arena *tmp);

/* The blocks lo .. hi - 1 that meet block k, ascending, k not among them; mark: n, not k on entry.
** Answers how many. */
int dls_block_graph_meeting(const dls_block_graph *graph, int k, int lo, int hi, int *mark,
                            int *out);

#endif
