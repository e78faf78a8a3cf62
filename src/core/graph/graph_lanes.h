/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_GRAPH_GRAPH_LANES_H
#define DLS_GRAPH_GRAPH_LANES_H

#include "core/base/isa.h"

/* The block LU of body_graph.h in the plane, and the search for kinks of path.h. A block of 3 x 3
** stands as three columns of four numbers, a place's three numbers as four; the fourth is zero.
** Every path gives the same bits. */
enum { DLS_GRAPH_ROW = 4, DLS_GRAPH_BLOCK = 12, DLS_PATH_LANES = 4 };

/* Pattern and numbers of the factor, as in body_graph.h. */
typedef struct dls_graph_factor {
  int n; /* bodies */
  const int *start, *col; /* n + 1; a block: its column */
  double *d, *up, *low;   /* n, start[n], start[n] blocks: inverted pivots, beyond the diagonal */
} dls_graph_factor;

/* Contacts side by side: columns of a direction and of the kinks on it (path.h). The contact's own
** law is
**
**     dz_n = -s_n f_n,   dz_t = -s_nt f_n - s_t f_t,   f = J M^-1 y - r,   dv = f + e dz,
**
** and its state ends where one of x_n, x_t (pairs (by z_n, by z_t or v) with these factors) comes
** to zero:
**
**     x_0 = k_zn z_n + k_zt z_t + k_vn v_n,   x_1 = l_zn z_n + l_zt z_t + l_vt v_t. */
#define DLS_PATH_FIELDS(X)                                                                    \
  X(s_n) X(s_nt) X(s_t) X(e_n) X(e_t) X(r_n) X(r_t)                                            \
  X(k_zn) X(k_zt) X(k_vn) X(l_zn) X(l_zt) X(l_vt)                                              \
  X(z_n) X(z_t) X(v_n) X(v_t) X(dz_n) X(dz_t) X(dv_n) X(dv_t)

typedef struct dls_path_group {
  double n_a[3][DLS_PATH_LANES], n_b[3][DLS_PATH_LANES]; /* M^-1 J' of the normal row  */
  double t_a[3][DLS_PATH_LANES], t_b[3][DLS_PATH_LANES]; /* of the tangent's, or zeros */
#define X(name) double name[DLS_PATH_LANES];
  DLS_PATH_FIELDS(X)
#undef X
  int a[DLS_PATH_LANES], b[DLS_PATH_LANES]; /* where the bodies' numbers start in y */
} dls_path_group;

/* The next kink: how far; the contact's lane counted through, -1: none; which of its two. */
typedef struct dls_path_kink {
  double length; /* in t */
  int lane, which; /* -1: none; 0, 1 */
} dls_path_kink;

typedef struct dls_graph_lanes {
  const char *name; /* "plain", "avx2" */
  /* K <- its factor: d the inverses of the pivots, low L. */
  void (*factor)(const dls_graph_factor *K);
  /* y <- L^-1 y and y <- U^-1 y; y: DLS_GRAPH_ROW a place. */
  void (*lower)(const dls_graph_factor *K, double *y);
  void (*upper)(const dls_graph_factor *K, double *y);
  /* dz and dv of all lanes along y, and the first kink in the direction sign dz at most `longest`
  ** away. */
  dls_path_kink (*direct)(int n_groups, dls_path_group *group, const double *y, double sign,
                          double longest);
  /* z += length dz, v += length dv */
  void (*go)(int n_groups, dls_path_group *group, double length);
} dls_graph_lanes;

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the
** last. */
const dls_graph_lanes *dls_graph_lanes_best(void);
const dls_graph_lanes *dls_graph_lanes_at(int i);

/* The paths, for graph_lanes.c alone. */
#ifdef DLS_X86
extern const dls_graph_lanes dls_graph_lanes_avx2;
#endif
extern const dls_graph_lanes dls_graph_lanes_plain;

#endif
