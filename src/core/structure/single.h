/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_SINGLE_H
#define DLS_STRUCTURE_SINGLE_H

#include "core/structure/law.h"

/* The state under one load, LCP(M, q + p d) of law.h without tightening. In this order: the state
** that the path from p = 0 reaches first; Lemke's method at that load alone, by several covering
** vectors (where a path ends before p, a state that hangs together with none before it may still
** be there); all bases, where there are few. */
#define DLS_SINGLE_ENDS(X)                                                                  \
  X(SOLVED, "solved")       /* z solves                                                  */ \
  X(LIMIT, "limit")         /* its residual is above the tolerance, said by who has one  */ \
  X(NONE, "none")           /* small enough to look at every basis: there is no solution */ \
  X(MECHANISM, "mechanism") /* the path of growing p ends before, nothing else was found */ \
  X(UNSOLVED, "unsolved")   /* nothing was found                                         */

typedef enum dls_single_end {
#define X(code, text) DLS_SINGLE_##code,
  DLS_SINGLE_ENDS(X)
#undef X
} dls_single_end;

#define DLS_SINGLE_FEW 12 /* rows up to which every basis is looked at: 4096 of them */

typedef struct dls_single {
  dls_single_end end; /* how it ended */
  double p_limit;   /* where the path ended, infinite on a ray             */
  int n_solutions;  /* where every basis was looked at, else -1            */
  int pivots;       /* of all methods                                      */
} dls_single;

/* Room of solves, kept from one to the next; all zero at first. Its memory is law->alloc's. */
typedef struct dls_single_room {
  dls_arena tmp;         /* of every method                           */
  dls_path path;         /* the one followed last                     */
  dls_lcp_solutions all; /* those of the last look at every basis     */
} dls_single_room;
void dls_single_room_destroy(dls_single_room *room, const dls_alloc *alloc);

/* z: law->n numbers, those of the last basis where nothing solves. DLS_NOMEM, DLS_FULL,
** DLS_STOPPED. */
dls_status dls_single_solve(const dls_law *law, double p, dls_stop *stop, dls_single_room *room,
                            double *z, dls_single *answer);

#endif
