/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_CONSTRAINED_H
#define DLS_LADDER_CONSTRAINED_H

#include "core/cone/cone.h"
#include "core/graph/equality.h"
#include "core/ladder/rung.h"

/* Islands that joints constrain: trees, and rows that are bilateral. The latter are eliminated
** (equality.h); the others, the inequalities, are swept in velocity space, where a visit
** touches the velocities of its free bodies and the numbers of x of its support (support.h).
** What sweeps leave goes to a method of core/cone, which then sees the inequalities alone. */

typedef struct dls_constrained {
  dls_block_graph graph; /* bilateral blocks first, then the inequalities          */
  dls_equality equality; /* eliminated rows */
  dls_equality_walk walk; /* of trees */
  const int *inequal; /* blocks of inequalities: graph.block + graph.n_equal       */
  int n_inequal;         /* blocks left */
  const dls_support *on; /* of these                                               */
  double *W;          /* own W of each while the equalities hold: nb nb numbers    */
  int n_x;            /* numbers in x: of trees, then white ones                   */
  double *x, *x_0;    /* n_x: now; without impulses of inequalities                          */
  double *r, *t;      /* n_equal x nb each; scratch                                 */
} dls_constrained;

/* Whether an island is such. A few soft equations (rows/tree_rows.h) among contacts do not make
** one: a spring in a pile is solved as a contact that always presses. (Eliminated, one makes
** steps of 60 to 150 bodies 3 to 13 times as long.) */
bool dls_is_constrained_island(const dls_rows *rows, const int *blocks, int n);

/* Bodies that move by themselves as they are without impulses; x += y p of a block. */
void dls_constrained_unpush(dls_rows *rows, const dls_block_graph *x);
void dls_constrained_push_support(const dls_rows *rows, const dls_block *block,
                                  const dls_support *on, double *x);

/* u and x from the impulses of the inequalities at hand. */
void dls_constrained_push(dls_rows *rows, dls_constrained *c);

/* Whether residuals of the inequalities are at most `limit`, m/s. */
bool dls_constrained_holds(const dls_rows *rows, const dls_constrained *c, double limit);

/* Sweeps over the inequalities, `most` at most, until residuals are below `limit`, m/s; their
** count in *iterations. DLS_FULL: rows->need. */
dls_status dls_constrained_sweep(dls_rows *rows, dls_constrained *c, double limit, int most,
                                 dls_arena *tmp, int *iterations, bool *converged);

/* r: v + s of the bilateral rows from u and x at hand, place by place. Answers the largest by
** its length. */
double dls_constrained_residual(const dls_rows *rows, const dls_constrained *c, double *r);

/* Equations that depend on others are asked for what these make of them, where that is a part of
** COMPATIBLE of `scale` or of what moves: no impulse changes it, and it comes of places (gaps of
** joints times rates, slopes of what is nearly straight times speeds), which projections have to
** shut. u and x are those of all impulses. */
void dls_constrained_ask_dependent(dls_rows *rows, const dls_constrained *c, double scale);

/* The inequalities alone, by a method of core/cone on a sparse problem, from the impulses at
** hand, with a share of what is left of the budget. DLS_FULL: rows->need. */
dls_status dls_constrained_to_cone(dls_rows *rows, dls_constrained *c,
                                   const dls_cone_method *method, double tolerance, double scale,
                                   dls_budget *budget, double share, dls_arena *tmp,
                                   dls_cone_report *report);

/* The inequalities as an island. */
dls_island dls_constrained_part(const dls_island *island, const dls_constrained *c);

/* The path of exact solutions (path.h) in the plane: whether at most so many rows of the inequalities
** have supports; from the impulses at hand, to which small islands go back where it does not come to
** `limit`, m/s. DLS_FULL: rows->need. */
bool dls_constrained_suits_path(const dls_island *island, const dls_constrained *c);
dls_status dls_constrained_follow_path(dls_island *island, const dls_constrained *c, double limit,
                                       bool *converged);

/* Unilateral rows in one unit. */
typedef struct dls_row_lcp {
  const double *per; /* a row: 1 over what its velocities are measured by */
  double scale;      /* the largest |v + s| of all rows in these          */
  double tolerance;  /* of that                                           */
} dls_row_lcp;

/* The inequalities alone, all of them unilateral rows, as an LCP by block principal pivoting; p
** out. *solved: to the tolerance. DLS_FULL: rows->need. */
dls_status dls_constrained_settle(dls_rows *rows, dls_constrained *c, const dls_row_lcp *lcp,
                                  dls_arena *tmp, bool *solved);

/* The largest |v + gamma p + s| of rows, m/s; and how near to each other they are. */
typedef struct dls_held_left {
  double held;      /* of those that are independent                               */
  double dependent; /* of those that depend on them: what no impulses would change */
  double pivot;     /* the least of the independent ones', a share of their own W  */
} dls_held_left;

/* What is left of rows that depend on others, and of the others. */
dls_held_left dls_constrained_left(const dls_rows *rows, const dls_constrained *c);

/* All islands at once where all blocks are bilateral, from J, MJ, s and gamma, without their W
** and without islands: p out, u with it where bodies move by themselves. Rows that depend on
** others get no impulse. scale: of |v + gamma p + s|, m/s. DLS_FULL: rows->need. */
dls_status dls_rows_hold(dls_rows *rows, double scale, dls_arena *tmp, dls_held_left *left);

/* The same with unilateral rows beside them, by dls_constrained_settle: after dls_rows_prepare.
** *solved: these are. */
dls_status dls_rows_settle(dls_rows *rows, const dls_row_lcp *lcp, dls_arena *tmp,
                           dls_held_left *left, bool *solved);

/* J M^-1 J' of the rows of all blocks that are not bilateral, each by itself while the
** bilateral ones are held and nothing else is: give[row] of each. After prepare, with u_free,
** p, s and gamma all zero. DLS_FULL: rows->need. */
dls_status dls_rows_gives(dls_rows *rows, dls_arena *tmp, double *give);

#endif
