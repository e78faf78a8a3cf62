/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/block_graph.h"

#include "core/graph/elimination.h"
#include "core/rows/island.h"

static int add_node(int *nodes, int n, int node) {
  for (int i = 0; i < n && node >= 0; i++)
    if (nodes[i] == node) return n;
  if (node >= 0) nodes[n++] = node;
  return n;
}

/* Bodies that move, as the blocks come; place: of n_bodies, set for the bodies of blocks alone. */
static int number_ends(const dls_rows *rows, const dls_block_graph *graph, int *place, int *body) {
  int count = 0;
  dls_arm arms[4];
  for (int turn = 0; turn < 2; turn++)
    for (int k = 0; k < graph->n; k++) {
      const int n_arms = dls_arms_of(rows->nu, rows, &rows->block[graph->block[k]], 0, arms);
      for (int e = 0; e < n_arms; e++) {
        const int i = arms[e].body;
        if (turn == 0) place[i] = -1;
        else if (rows->inv_mass[i] > 0 && place[i] < 0) body[count] = i, place[i] = count++;
      }
    }
  return count;
}

/* Whether the blocks at a node are those at the node before: at numbers of one node of a tree. */
static bool is_like_before(const dls_block_graph *graph, int node) {
  const int *start = graph->node_start + node, n = start[1] - start[0];
  return n == start[0] - start[-1] && memcmp(graph->at_node + start[0], graph->at_node + start[-1],
                                             (size_t)n * sizeof(int)) == 0;
}

dls_status dls_block_graph_join(dls_rows *rows, dls_block_graph *graph, dls_arena *tmp) {
  size_t room = 4 * (size_t)graph->n;
  for (int k = 0; k < graph->n; k++) room += (size_t)graph->on[k].n;
  int *place = DLS_TAKE(tmp, int, rows->n_bodies);
  graph->body = DLS_TAKE(tmp, int, room);
  graph->start = DLS_TAKE(tmp, int, graph->n + 1);
  graph->node = DLS_TAKE(tmp, int, room);
  if (!place || !graph->body || !graph->start || !graph->node)
    return dls_want(rows, tmp, 4 * room * sizeof(int));
  graph->n_bodies = number_ends(rows, graph, place, graph->body);
  graph->n_nodes = graph->n_bodies + graph->n_x;
  int at = 0;
  for (int k = 0; k < graph->n; k++) {
    dls_arm arms[4];
    const int n_arms = dls_arms_of(rows->nu, rows, &rows->block[graph->block[k]], 0, arms);
    int n = 0;
    graph->start[k] = at;
    for (int e = 0; e < n_arms; e++) n = add_node(graph->node + at, n, place[arms[e].body]);
    at += n;
    for (int l = 0; l < graph->on[k].n; l++)
      graph->node[at++] = graph->n_bodies + graph->on[k].at[l];
  }
  graph->start[graph->n] = at;
  graph->node_start = DLS_TAKE(tmp, int, graph->n_nodes + 1);
  graph->at_node = DLS_TAKE(tmp, int, at);
  graph->repeats = DLS_TAKE(tmp, bool, graph->n_nodes);
  if (!graph->node_start || !graph->at_node || !graph->repeats)
    return dls_want(rows, tmp, (size_t)at * sizeof(int));
  int *start = graph->node_start;
  memset(start, 0, (size_t)(graph->n_nodes + 1) * sizeof(int));
  for (int e = 0; e < at; e++) start[graph->node[e] + 1]++;
  for (int i = 0; i < graph->n_nodes; i++) start[i + 1] += start[i];
  for (int k = 0; k < graph->n; k++)
    for (int e = graph->start[k]; e < graph->start[k + 1]; e++)
      graph->at_node[start[graph->node[e]]++] = k;
  for (int i = graph->n_nodes; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
  for (int i = 0; i < graph->n_nodes; i++) graph->repeats[i] = i > 0 && is_like_before(graph, i);
  return DLS_OK;
}

int dls_block_graph_meeting(const dls_block_graph *graph, int k, int lo, int hi, int *mark,
                            int *out) {
  const int others = hi - lo - (k >= lo && k < hi); /* on a tree all may meet at its root */
  int n = 0;
  for (int e = graph->start[k]; e < graph->start[k + 1] && n < others; e++) {
    const int node = graph->node[e];
    if (e > graph->start[k] && graph->node[e - 1] == node - 1 && graph->repeats[node]) continue;
    for (int f = graph->node_start[node]; f < graph->node_start[node + 1]; f++) {
      const int j = graph->at_node[f];
      if (j < lo || j >= hi || j == k || mark[j] == k) continue;
      mark[j] = k;
      out[n++] = j;
    }
  }
  dls_sort_ints(out, n);
  return n;
}
