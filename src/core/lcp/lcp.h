/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_LCP_H
#define DLS_LCP_LCP_H

#include "core/base/arena.h"
#include "core/base/stop.h"
#include "core/math/sparse.h"

/* Linear complementarity:  given M (n x n) and q (n), find z with
**
**     w = M z + q,    0 <= z  _|_  w >= 0.                                (LCP)
**
** All solvers take the problem, their options and a workspace, and return the same report; they
** differ only by name, so that a table can hold them (lcp/method.h).
** Source: Cottle, Pang & Stone, The Linear Complementarity Problem, SIAM 2009, ch. 3-5. */
typedef struct dls_lcp {
  int n;               /* number of complementary pairs, >= 0                        */
  const double *M;     /* n x n, row-major, borrowed; NULL where S is given          */
  const dls_sparse *S; /* the same as a sparse matrix, borrowed; NULL where M is     */
  const double *q;     /* n, borrowed                                                */
} dls_lcp;

/* How a solve ended, and its word. These are outcomes, not errors. */
#define DLS_OUTCOMES(X)                                                                        \
  X(SOLVED, "solved")         /* residual <= tolerance                                      */ \
  X(RAY, "ray")               /* it ran into a direction without a solution: report->proven */ \
  X(LIMIT, "limit")           /* pivots, iterations or accuracy exhausted                   */ \
  X(UNSUITABLE, "unsuitable") /* the matrix is not of the method's class: report->fault     */

typedef enum dls_outcome {
#define X(code, text) DLS_##code,
  DLS_OUTCOMES(X)
#undef X
} dls_outcome;

/* States of a pivoting method, kept when asked for: the state before each pivot and the last. */
typedef struct dls_lcp_entry {
  int pivot;        /* row about to be exchanged, 0-based; -1 in the last entry      */
  int partner;      /* the second row of a 2 x 2 principal pivot; -1 where none      */
  double criterion; /* the method's criterion at that row                            */
  double energy;    /* 1/2 z'Mz + q'z of the basic solution                          */
} dls_lcp_entry;

typedef struct dls_lcp_trace {
  dls_alloc alloc;        /* grows the arrays below (traces may allocate, solves do not)   */
  int n;                  /* size of the problem                                           */
  int n_entries;          /* entries recorded                                              */
  int n_room;             /* entries there is room for                                     */
  dls_lcp_entry *entries; /* n_entries                                                     */
  unsigned char *basis;   /* n_entries x n: 1 where the row holds z, 0 where it holds w    */
  double *q;              /* n_entries x n: right side of the tableau                      */
  double *tableau;        /* n_entries x n x n, row-major                                  */
} dls_lcp_trace;

/* The solutions that `enumerate` found, kept when asked for. */
typedef struct dls_lcp_solutions {
  dls_alloc alloc; /* grows z (may allocate, solves do not) */
  int n;           /* size of the problem                   */
  int n_found;     /* solutions kept                        */
  size_t room;     /* numbers that z has room for           */
  double *z;       /* n_found x n                           */
} dls_lcp_solutions;

typedef struct dls_lcp_opts {
  double tolerance;     /* on report->residual; default 1e-10                                    */
  int max_pivots;       /* pivoting methods; 0: the method's own (50 n, at least 100)            */
  int max_iterations;   /* iterative methods; 0: the method's own                                */
  double relaxation;    /* over-relaxation of pgs, in (0, 2); 0: the method's own                */
  const double *start;  /* n, a z to start from, borrowed; NULL: zero                            */
  bool check;           /* test symmetry and definiteness in full beforehand; default false      */
  dls_lcp_trace *trace; /* NULL: none. Methods without tableaux leave it empty                   */
  dls_stop *stop;       /* asked now and then whether to go on (base/stop.h); NULL: nobody is    */
  dls_lcp_solutions *solutions; /* enumerate: all of them; NULL: it stops at the first           */
} dls_lcp_opts;

typedef struct dls_lcp_report {
  dls_outcome outcome;  /* DLS_SOLVED only if residual <= tolerance                              */
  int pivots;           /* principal or simplex exchanges                                        */
  int iterations;       /* sweeps, Newton steps, block steps                                     */
  double residual;      /* max_i |min(d_i z_i, w_i)| / max |q| (residual.h)                       */
  double natural;       /* max_i |min(z_i, w_i)|                                                 */
  /* DLS_RAY: M is copositive plus, so that there is no solution at all */
  bool proven;
  bool fallback;        /* a finite rule took over from the method's own                         */
  const char *method;   /* name of the method that answered, static                              */
  dls_fault fault;      /* row and value that make the matrix unsuitable                         */
} dls_lcp_report;

dls_lcp_opts dls_lcp_opts_default(void);

/* What every method is.
**   z, w    n each: the answer reached, whatever the outcome; w = M z + q computed from z
**   tmp     needs the method's own bytes(p); left as found
**   report  always filled, by dls_lcp_judge at the end: no method grades itself
** DLS_FULL workspace too small; DLS_NOMEM the trace could not grow; DLS_ARG a size or number
** outside what the method takes; DLS_STOPPED by opts->stop, z, w and report being worth nothing
** then. */
typedef dls_status (*dls_lcp_run)(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp,
                                  double *z, double *w, dls_lcp_report *report);
typedef size_t (*dls_lcp_bytes)(const dls_lcp *p);

/* M_ij: a search of row i where the matrix is sparse. */
double dls_lcp_at(const dls_lcp *p, int i, int j);

/* w = M z + q, dense or sparse, in the order of the contract (math/lanes.h). */
void dls_lcp_image(const dls_lcp *p, const double *z, double *w);

#endif
