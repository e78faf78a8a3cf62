/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_UNION_FIND_H
#define DLS_BASE_UNION_FIND_H

/* Groups by union and find: up[i] is another of the group of i, none larger; the root of a group,
** its smallest number, is its own, so that nothing depends on the order of unions. Ways to the root
** are halved as they are gone. Source: R. E. Tarjan, J. van Leeuwen, Worst-case analysis of set union
** algorithms, JACM 31, 1984. */
static inline int dls_root_of(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

/* The groups of i and j become one. */
static inline void dls_unite(int *up, int i, int j) {
  const int a = dls_root_of(up, i), b = dls_root_of(up, j);
  if (a < b) up[b] = a;
  else up[a] = b;
}

#endif
