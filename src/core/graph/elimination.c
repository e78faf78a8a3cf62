/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/elimination.h"

void dls_sort_ints(int *x, int n) {
  int sorted = 1;
  while (sorted < n && x[sorted - 1] <= x[sorted]) sorted++;
  if (sorted >= n) return;
  for (int gap = n / 2; gap > 0; gap /= 2)
    for (int i = gap; i < n; i++) {
      int one = x[i], j = i;
      for (; j >= gap && x[j - gap] > one; j -= gap) x[j] = x[j - gap];
      x[j] = one;
    }
}

int dls_elimination_patterns(const dls_sparse *A, const int *order, const int *place_of, int *start,
                             int *col, int room, int *scratch) {
  const int n = A->n_rows;
  int *first_child = scratch, *sibling = scratch + n, *mark = scratch + 2 * n, at = 0;
  for (int k = 0; k < n; k++) first_child[k] = mark[k] = -1;
  for (int k = 0; k < n; k++) {
    start[k] = at;
    mark[k] = k;
    for (int e = A->start[order[k]]; e < A->start[order[k] + 1]; e++) {
      int j = place_of[A->col[e]];
      if (j <= k || mark[j] == k) continue;
      if (at == room) return -1;
      mark[j] = k;
      col[at++] = j;
    }
    for (int c = first_child[k]; c >= 0; c = sibling[c])
      for (int e = start[c]; e < start[c + 1]; e++) {
        int j = col[e];
        if (mark[j] == k) continue;
        if (at == room) return -1;
        mark[j] = k;
        col[at++] = j;
      }
    dls_sort_ints(col + start[k], at - start[k]);
    start[k + 1] = at;
    if (at == start[k]) continue;
    int parent = col[start[k]];
    sibling[k] = first_child[parent];
    first_child[parent] = k;
  }
  start[n] = at;
  return at;
}
