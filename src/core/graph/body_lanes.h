/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_GRAPH_BODY_LANES_H
#define DLS_GRAPH_BODY_LANES_H

#include "core/graph/graph_lanes.h"

/* The block LU of body_graph.h in space. A block of 6 x 6 stands as six rows of eight numbers, the
** last two zero. Every path gives the same bits. */
enum { DLS_BODY_ROW = 8, DLS_BODY_BLOCK = 48 };

/* S of a contact's three rows (ladder/contact_step.h): diag(n, t, t), or where it slips
** (n, along_1, along_2)' (1, 0, 0) + t (0, -w_2, w_1)' (0, -w_2, w_1). */
typedef struct dls_body_rows {
  bool acts;         /* S is not zero                                            */
  bool slips;        /* or sticks                                                */
  double n, t;       /* along the normal, and across it, kg                      */
  double w_1, w_2;   /* the way it slips, a unit vector of its tangents          */
  double along_1, along_2; /* n mu w: friction that follows the normal impulse, kg */
} dls_body_rows;

/* A contact of two bodies for Newton's steps: each of its rows is that of body a and that of
** body b, as rows of blocks. */
enum { DLS_BODY_PAIR = 2 * DLS_BODY_ROW };
typedef struct dls_body_contact {
  double J[3][DLS_BODY_PAIR];  /* rows on bodies a and b                                  */
  double MJ[3][DLS_BODY_PAIR]; /* M^-1 J'                                                 */
  dls_body_rows S;             /* of its law, linearised (ladder/contact_step.h)          */
  double g[3];                 /* of the same, N s (ladder/newton_step.h)                 */
  double mu;                   /* coefficient of friction                                 */
  double still[3]; /* speeds of its rows by bodies that do not move by themselves, m/s */
  int at[2];      /* where the numbers of bodies a and b begin among those by places; -1: none */
  int block, row; /* which of the island's it is; where its impulses are */
  double *K[4];   /* their blocks, 2 i + j; NULL: none                   */
} dls_body_contact;

typedef struct dls_body_lanes {
  const char *name; /* "plain", "avx2", "avx512" */
  /* K <- its factor: d the inverses of the pivots, low L. */
  void (*factor)(const dls_graph_factor *K);
  /* Of n contacts: K += J' S M^-1 J, y -= J' g; v = J x, three numbers each; u += M^-1 J' p, p by
  ** rows. */
  void (*add)(int n, const dls_body_contact *c, double *y);
  void (*speeds)(int n, const dls_body_contact *c, const double *x, double *v);
  void (*push)(int n, const dls_body_contact *c, const double *p, double *u);
} dls_body_lanes;

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the
** last. */
const dls_body_lanes *dls_body_lanes_best(void);
const dls_body_lanes *dls_body_lanes_at(int i);

/* The paths, for body_lanes.c alone. */
#ifdef DLS_X86
extern const dls_body_lanes dls_body_lanes_avx2, dls_body_lanes_avx512;
#endif
extern const dls_body_lanes dls_body_lanes_plain;

#endif
