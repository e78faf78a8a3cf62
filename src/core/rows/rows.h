/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_ROWS_H
#define DLS_ROWS_ROWS_H

#include "core/base/arena.h"
#include "core/base/stop.h"
#include "core/forest/dynamics.h"
#include "core/rows/budget.h"

/* Everything that is not a mass: rows. Row i has a Jacobian J_i and an impulse p_i,
**
**     u' = u_f + M^-1 J' p,    v = J u' = W p + J u_f,    W = J M^-1 J',
**
** and rows stand in blocks that obey one law together (EQUATIONS G.1):
**
**     bilateral    v + gamma p + s = 0
**     unilateral   0 <= p  _|_  v + gamma p + s >= 0
**     box          v + s = 0, but v + s > 0 at p = lo and v + s < 0 at p = hi allowed
**     cone         0 <= p_n  _|_  v_n + gamma p_n + s_n >= 0 and for each group g of rows with the
**                  bound r_g:  |p_g| <= r_g p_n, p_g against v_g + s_g where it is not zero.
**                  Groups: friction (r = mu), rolling and spinning (r an arm in metres).
**
** A block acts between bodies a and b: each row has 2 NU numbers, first those of a, then of b.
** All bodies have velocities; static and kinematic ones have M^-1 = 0. */
typedef enum dls_row_kind {
  DLS_ROW_BILATERAL,  /* any number of rows up to NB                                        */
  DLS_ROW_UNILATERAL, /* 1 row                                                              */
  DLS_ROW_BOX,        /* 1 row                                                              */
  DLS_ROW_CONE,       /* D rows: normal, tangents                                           */
  DLS_ROW_ROLLING     /* NB rows: normal, tangents, spinning (in space), rolling            */
} dls_row_kind;

typedef struct dls_block { /* short: read again and again */
  union {
    double mu[3]; /* cone: friction coefficient; rolling: then the arms in metres of spinning
                     (space only) and rolling                                                */
    struct {
      double lo, hi; /* box: bounds of p                                                       */
    };
  };
  int a, b;     /* bodies                                                                  */
  int row;      /* its rows: row .. row + n - 1                                            */
  int source;   /* whose block it is: a number of the maker's                              */
  int second;    /* 1 + number among rows->second where its one row acts on four bodies; 0 */
  unsigned char kind, n; /* dls_row_kind; rows                                             */
  /* a contact across a gap that nothing has closed yet: s = gap / (theta h) */
  bool speculative : 1;
  /* filled by prepare: one for the sweeps of the special case (special.h) */
  bool special : 1;
  /* of the special case, and not written out: no J, MJ, W, gamma, length */
  bool compact : 1;
} dls_block;

/* A gear's row acts between c and d as well: islands that hold one are assembled. */
typedef struct dls_second {
  int c, d;      /* bodies                    */
  double K[12];  /* 2 NU: of c, then of d, m  */
  double MK[12]; /* M^-1 K'                   */
} dls_second;

typedef struct dls_special dls_special;

typedef struct dls_rows {
  int dim;         /* 2 or 3                                                               */
  int nu;          /* velocities of a body: 3 or 6                                         */
  int nb;          /* rows a block has at most: 3 or 6                                     */
  int n_bodies;    /* bodies there are                                                     */
  int n_blocks;    /* blocks made                                                          */
  int n_rows;      /* rows made                                                            */
  dls_block *block;   /* n_blocks                                                          */
  /* what knows compact blocks, borrowed; NULL: there are none (special.h) */
  const dls_special *special;
  void *compact;      /* n_blocks: what it keeps of them, borrowed                         */
  int *compact_run;   /* of these the runs, ascending: first and last + 1; a run's rows stand
                      ** one behind the other                                              */
  int n_compact;      /* runs                                                              */
  int n_general;      /* filled by prepare: 0 where all blocks are special                 */
  double *J;       /* n_rows x 2 NU                                                        */
  double *MJ;      /* n_rows x 2 NU: M^-1 J'                                               */
  double *W;       /* n_rows x NB: row i of its block's own W (without gamma)              */
  double *s;       /* n_rows: shift, m/s or rad/s                                          */
  double *gamma;   /* n_rows: compliance, m/s per N s                                      */
  double *length;  /* n_rows: 1 for rows in m/s, radius of gyration for rows in rad/s       */
  double *p;       /* n_rows: impulse; the start on entry                                  */
  double *v;       /* n_rows: J u'                                                         */
  int n_fitted;    /* filled by solve: blocks whose impulses and velocities stay as they were; */
  double fit;      /* their residual, m/s; v is that of the end                            */
  double *inv_mass;    /* n_bodies: 1/m; 0 where it does not move freely                   */
  double *inv_inertia; /* n_bodies x (1 or 9): J^-1 about the mass centre, world axes      */
  double *u;       /* n_bodies x NU: velocities, in u_f, out u'                             */
  double *u_free;  /* n_bodies x NU: u_f kept                                              */
  const double *u_before; /* n_bodies x NU: velocities before the step, borrowed; NULL: not known */
  double *height;     /* n_blocks: sweeps go by this, to and fro (along gravity); NULL: by number */
  size_t need;        /* after DLS_FULL of solve: bytes that it wants                      */
  dls_stop *stop;     /* asked while it solves, borrowed; NULL: nobody is                  */
  /* Bodies in trees answer to impulses together; NULL where there are none. The forest is placed
  ** and factored; inv_mass and inv_inertia of its bodies are zero. All borrowed. */
  const dls_forest *forest;
  dls_forest_state *state; /* of it                                                       */
  dls_second *second; /* borrowed; NULL: there are none                                   */
  const int *tree;    /* n_bodies: first body of its tree, -1 for bodies in no tree        */
  const int *link;    /* n_bodies: link of the forest                                      */
  const int *link_body; /* forest->n_links: body of each                                   */
  double *g_free, *g; /* forest->nu: velocities without and with impulses                  */
  double *dg;         /* forest->nu: scratch                                               */
  double *wrench;     /* 6 n_links: impulses on links, moment about the centre first       */
  double *velocity;   /* 6 n_links: scratch                                                */
  bool pushed;        /* rows push on trees: wrench holds their impulses                  */
  /* filled by solve: something strikes, much faster than what gravity does in a step */
  bool impacting;
  int *body_island;   /* n_bodies: island, -1 where none; see dls_rows_body_islands         */
  int n_islands;      /* islands                                                           */
  int *island_start;  /* n_islands + 1: into island_block                                  */
  int *island_block;  /* n_blocks: blocks island by island, ascending in each              */
  int *block_island;  /* n_blocks: the island of each                                      */
} dls_rows;

/* Makes rows for so many bodies, blocks and rows out of tmp; none is made yet. DLS_FULL where
** tmp has not dls_rows_bytes() left. Velocities, masses and rows are not cleared. */
dls_status dls_rows_take(dls_rows *rows, dls_arena *tmp, int dim, int bodies, int blocks,
                         int n_rows);
size_t dls_rows_bytes(int dim, int bodies, int blocks, int n_rows);

/* Independent problems: dynamic bodies joined through blocks. Fills the island arrays, but for
** body_island; the islands stand in the order of their first block. */
void dls_rows_islands(dls_rows *rows);

/* Fills body_island, once after dls_rows_islands(): seldom wanted. */
void dls_rows_body_islands(dls_rows *rows);

typedef struct dls_solve_opts {
  int method;         /* dls_solve_method                                                  */
  double tolerance;   /* on the relative residual; 0: 1e-10 up to 200 rows, 1e-6 beyond    */
  int max_iterations; /* sweeps an island, of all methods together (rows/budget.h)          */
  bool bounded;       /* by true prices, set-ups included                                  */
  double scale;       /* h |g|: a floor of the residual's scale, m/s                       */
} dls_solve_opts;

typedef enum dls_solve_method {
  DLS_SOLVE_AUTO,
  DLS_SOLVE_NSGS,
  DLS_SOLVE_ADMM,
  DLS_SOLVE_NEWTON,
  DLS_SOLVE_LEMKE,
  DLS_SOLVE_ENERGY,
  DLS_SOLVE_BLOCK,
  DLS_SOLVE_PGS,
  DLS_N_SOLVE
} dls_solve_method;

typedef struct dls_solve_report {
  int islands;       /* islands solved                                                     */
  int unconverged;   /* islands that missed their tolerance                                */
  int iterations;    /* sweeps or Newton steps, the most an island took                    */
  int pivots;        /* pivots of pivoting methods, in all                                 */
  double work;       /* sweeps, or what costs as many: the most an island took             */
  bool limited;      /* max_iterations ended an island that missed its tolerance           */
  double residual;   /* max_i r_i / scale over all rows (dls_rows_residual)                */
  double scale;      /* max(h |g|, max |b|), m/s                                           */
} dls_solve_report;

#endif
