/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_BROAD_PLANE_H
#define DLS_COLLIDE_BROAD_PLANE_H

#include "core/base/isa.h"
#include "core/collide/broad_search.h"

/* The search of broad_search.h in the plane. Boxes stand in a grid of rows and bins by their lower
** corners: rows are 1.5, bins half a mean width. A box looks for partners whose lower corner is not
** below its own: in its own row from itself on, in the rows above from where the widest could
** begin. Several at once; whatever the path, the pairs are the same. */
size_t dls_broad_plane_size(int n, int room);
void dls_broad_plane_run(dls_broad_search *search);

/* Boxes in the order of the grid, lo less the skin. Of all arrays by box four more may be read; of
** a and b four more may be written. */
typedef struct dls_plane_boxes {
  int n;                       /* boxes in the grid                                   */
  double *lo[2], *hi[2];       /* n                                                   */
  int *id;                     /* n: their numbers                                    */
  const unsigned char *idle;   /* by number; NULL: none in the grid is                */
  int *first;                  /* rows bins + 1: where the boxes of a cell begin      */
  int rows, bins;              /* powers of two: cells repeat                         */
  double by_row, by_bin;       /* 1 / their widths, 1/m                               */
  double widest;               /* of the boxes in the grid along their rows, m        */
  int *a, *b;                  /* out: room pairs, a < b; more are only counted       */
  int room, found;             /* pairs */
} dls_plane_boxes;

typedef struct dls_plane_box {
  double lo[2], hi[2]; /* lo less the skin, m */
  int id;              /* its number */
} dls_plane_box;

typedef struct dls_plane_lanes {
  const char *name;                          /* "plain", "avx2"                      */
  void (*search)(dls_plane_boxes *boxes);    /* all pairs of the grid                */
  /* pairs of one that is not in it */
  void (*against)(dls_plane_boxes *boxes, const dls_plane_box *box);
} dls_plane_lanes;

/* Cells are numbered within this; what is farther out shares the last one. */
#define DLS_FAR_CELL 1e9

static inline int dls_cell_of(double x) {
  const double cell = dls_clamp(x, -DLS_FAR_CELL, DLS_FAR_CELL);
  const int down = (int)cell; /* towards zero: one more below it */
  return down - (cell < down);
}

/* The paths, for broad_plane.c alone. */
#ifdef DLS_X86
extern const dls_plane_lanes dls_plane_lanes_avx2;
#endif

#endif
