/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_BROAD_SEARCH_H
#define DLS_COLLIDE_BROAD_SEARCH_H

#include "core/base/real.h"

/* All pairs of boxes that overlap when each is widened by skin / 2. Boxes are swept along the axis
** on which they are spread the most, measured by their mean width, within columns of a grid across
** it: each axis has cells of its own, so that long boxes that lie side by side do not meet all
** others. Columns wrap around; boxes over many cells (floors, planes, drums: they may be infinite)
** are compared with all. Source: Ericson, Real-Time Collision Detection, 2005, ch. 7 (sort and
** sweep, grids). */
typedef struct dls_search_pair {
  int a, b; /* a < b */
} dls_search_pair;

typedef struct dls_broad_search {
  int n, dims;                 /* boxes, axes                                               */
  const double *lo[3], *hi[3]; /* dims: n numbers each                                      */
  const unsigned char *idle;   /* n or NULL: two idle boxes are no pair                     */
  double skin;                 /* m, > 0                                                    */
  int room, entry_room;        /* for pairs; for boxes times columns that they stand in     */
  int *scratch;                /* dls_broad_search_size numbers, aligned as a double        */
  int n_entries;               /* out, at most INT32_MAX; more than entry_room: nothing else */
  int found;                   /* out: pairs; more than room: a and b are untouched         */
  int *a, *b;                  /* out: room each; the pairs with a < b, sorted by (a, b)    */
} dls_broad_search;

size_t dls_broad_search_size(int n, int dims, int room, int entry_room);
void dls_broad_search_run(dls_broad_search *search);

#endif
