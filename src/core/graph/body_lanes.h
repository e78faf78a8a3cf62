/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_GRAPH_BODY_LANES_H
#define DLS_GRAPH_BODY_LANES_H

#include "core/graph/graph_lanes.h"

/* The block LU of body_graph.h in space. A block of 6 x 6 stands as six rows of eight numbers, the last two zero. Every
** path gives the same bits. */
enum { DLS_BODY_ROW = 8, DLS_BODY_BLOCK = 48 };

typedef struct dls_body_rows {
  bool slips; /* or sticks */
  double n, t, w_1, w_2, along_1, along_2; /* of S */
} dls_body_rows;

typedef struct dls_body_lanes {
  const char *name; /* "plain", "avx2", "avx512" */
  /* K <- its factor: d the inverses of the pivots, low L. */
  void (*factor)(const dls_graph_factor *K);
  /* J' S M^-1 J of three rows of two bodies, whose blocks are K[2 i + j] (NULL: none); J and M J are rows of twelve. S is that
  ** of contact_step.h: diag(n, t, t), or where it slips (n, along_1, along_2)' (1, 0, 0) + t (0, -w_2, w_1)' (0, -w_2, w_1). */
  void (*add)(const dls_body_rows *S, const double *J, const double *MJ, double *const *K);
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
