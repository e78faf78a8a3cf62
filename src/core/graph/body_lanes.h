/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_GRAPH_BODY_LANES_H
#define DLS_GRAPH_BODY_LANES_H

#include "core/graph/graph_lanes.h"

/* The block LU of body_graph.h in space. A block of 6 x 6 stands as six rows of eight numbers, the last two zero. Every
** path gives the same bits. */
enum { DLS_BODY_ROW = 8, DLS_BODY_BLOCK = 48 };

typedef struct dls_body_lanes {
  const char *name; /* "plain", "avx2", "avx512" */
  /* K <- its factor: d the inverses of the pivots, low L. */
  void (*factor)(const dls_graph_factor *K);
} dls_body_lanes;

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the last. */
const dls_body_lanes *dls_body_lanes_best(void);
const dls_body_lanes *dls_body_lanes_at(int i);

/* The paths, for body_lanes.c alone. */
#ifdef DLS_X86
extern const dls_body_lanes dls_body_lanes_avx2, dls_body_lanes_avx512;
#endif
extern const dls_body_lanes dls_body_lanes_plain;

#endif
