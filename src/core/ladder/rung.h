/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_RUNG_H
#define DLS_LADDER_RUNG_H

#include "core/base/arena.h"
#include "core/rows/island.h"

/* The ladder: solvers of an island in the order in which they are asked (docs/design/solvers.md).
** Between rungs rows->u = u_free + M^-1 J' p of the island's bodies, and p is the best so far. */

/* An island on its way down the ladder of solvers. */
typedef struct dls_island {
  dls_rows *rows; /* the problem, with the impulses and velocities at hand */
  const int *blocks;  /* n: numbers of its blocks                                             */
  int n, n_rows;      /* blocks, rows */
  int method;         /* dls_solve_method: "auto" asks all rungs, the others name one          */
  bool small;         /* at most 200 rows                                                      */
  /* dls_all_special(): it has sweeps of its own; J, M^-1 J' and W of its blocks may not be there
  ** (dls_write_out_blocks() makes them) */
  bool special;
  /* no tolerance was named: no answer may rest on a residual in single precision */
  bool strict;
  bool needs_matrix;  /* rows on trees or gears: no sweeps over bodies                         */
  /* many times as many contacts as bodies: no factor on contacts (proximal.c) */
  bool crowded;
  double tolerance;   /* on the residual, of scale                                             */
  double scale;       /* m/s                                                                   */
  double fall;        /* h |g|, m/s                                                            */
  /* n: what its blocks share beside bodies (supported.h); NULL: nothing */
  const struct dls_support *on;
  const double *x_0;  /* as many numbers as these share: their values without impulses         */
  double aim;         /* what rungs go for: a part of tolerance * scale, m/s                   */
  /* residual where impulses and velocities stay as they were, m/s; -1: not so */
  double fits;
  dls_budget budget;  /* of all rungs together                                                 */
  dls_arena *tmp; /* scratch of a rung */
  dls_solve_report *report; /* of all islands */
} dls_island;

/* A rung: a method for some islands, which goes on from the impulses and velocities at hand and
** leaves the best it has found. *done: the island is solved, or nobody shall be asked after it
** (then it has counted what it misses in report->unconverged). DLS_FULL: rows->need. */
typedef struct dls_rung {
  bool (*suits)(const dls_island *island); /* whether it is asked */
  dls_status (*run)(dls_island *island, bool *done); /* as above */
} dls_rung;

/* The ladder, from the top: each rung X stands in a file of its own as `const dls_rung
** dls_rung_X`; X is its name, too (DLS_LADDER_WITHOUT of ladder.c). */
#define DLS_LADDER(X)                                                                          \
  X(conjugate_gradients) /* nothing but compliant equations                                 */ \
  X(constrained)         /* bilateral rows and trees eliminated, the rest swept             */ \
  X(refine)              /* nearly at rest: steps from the last impulses                    */ \
  X(half)                /* method "pgs": normal impulses and friction in turn              */ \
  X(path)                /* plane: a path of exact solutions                                */ \
  X(sweeps)              /* Gauss-Seidel with momentum, in lanes                            */ \
  X(late_path)           /* plane: the path, to rough tolerances                            */ \
  X(proximal)            /* space, fine tolerances: proximal points on bodies               */ \
  X(newton)              /* Newton on bodies                                                */ \
  X(sparse)              /* "auto" of core/cone on a sparse problem                         */ \
  X(dense)               /* a method of core/cone on the dense problem                      */

#define X(name) extern const dls_rung dls_rung_##name;
DLS_LADDER(X)
#undef X

enum { DLS_SMALL_ISLAND = 200, DLS_DENSE_ROWS = 1500 }; /* rows */
/* blocks, beyond which a sparse factor's ordering costs more than it saves */
enum { DLS_SPARSE_MOST = 6000 };

/* Whether an island is swept over its bodies, and ends with what that and Newton's steps reach: it
** is no dense problem. */
static inline bool dls_sweeps_only(const dls_island *island) {
  return island->method == DLS_SOLVE_NSGS || island->n_rows > DLS_DENSE_ROWS ||
         (island->method == DLS_SOLVE_AUTO && !island->small);
}

/* Whether its sweeps in double precision end early, since Newton's steps are cheaper (sweeps.c). */
bool dls_is_swept_briefly(const dls_island *island);

#endif
