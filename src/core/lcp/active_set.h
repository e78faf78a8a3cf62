/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_ACTIVE_SET_H
#define DLS_LCP_ACTIVE_SET_H

#include "core/base/arena.h"

/* w = W z + b with W symmetric positive semidefinite, 0 <= z _|_ w >= 0, or w = 0 where a row is an
** equation; rows may be added and written anew between solutions, each of which goes on from a set
** that is nearly right.
**
** The dual active set method: rows that press have w = 0. The one of the lowest w joins them: its z
** grows until its w is zero, the others follow by z_A -= t W_AA^-1 W_Ap, and who comes to zero on
** the way leaves. The energy -b . z/2 of what presses grows with every row that has joined, so that
** no set comes twice; of rows that depend on each other one is pushed out. W_AA = R'R is a Cholesky
** factor, columns appended and taken out (Givens). Source: Goldfarb & Idnani, Mathematical
** Programming 27, 1983. */
typedef struct dls_active_set {
  int n, room;      /* rows, at most                           */
  size_t ld;        /* doubles between rows of W and R         */
  double *W, *b;    /* room x ld, room: the caller's, diagonal about 1 */
  bool *holds;      /* room: the caller's: an equation         */
  double *z, *w;    /* room: the answer                        */
  int m, *active;   /* m: rows that press, in the factor's order */
  bool *presses;    /* room: whether a row does                */
  double *R;        /* room x ld: the factor                   */
  double *x, *y;    /* room: scratch                           */
  int *perm;        /* room: scratch                           */
} dls_active_set;

/* No rows, and room for so many; false: tmp has none. */
bool dls_active_set_take(int room, dls_arena *tmp, dls_active_set *s);
size_t dls_active_set_bytes(int room);

/* Row i of W. */
static inline double *dls_active_set_row(const dls_active_set *s, int i) {
  return s->W + (size_t)i * s->ld;
}

/* One more row, of zeros but for its unit diagonal; it presses not. */
void dls_active_set_add(dls_active_set *s);

/* The first set: equations, and who has a positive number of the n in `start`; but who depends on
** others, or would be pulled. */
void dls_active_set_start(dls_active_set *s, const double *start);

/* From the set at hand, until no w is below -tolerance. False: more than `most` steps, or there is
** no solution. */
bool dls_active_set_solve(dls_active_set *s, double tolerance, int most);

#endif
