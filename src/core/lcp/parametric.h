/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_PARAMETRIC_H
#define DLS_LCP_PARAMETRIC_H

#include "core/lcp/lcp.h"

/* Lemke's path in a load parameter:
**
**     w = M z + q + p d,   0 <= z  _|_  w >= 0,   p from 0 up to `to`.
**
** p enters first; after that each variable that leaves calls its complement, so that the path runs
** through every change of the active set, backwards in p too where the problem snaps back. It ends
**   DLS_PATH_REACHED    the next change lies beyond `to`: the last state is at p = to
**   DLS_PATH_RAY        the entering column has no positive entry and p grows along it: the active
**                       set does not change any more, the last state goes on for every larger p
**   DLS_PATH_MECHANISM  the same but p cannot grow: the path has no solution past p_limit (or came
**                       back to p = 0)
**   DLS_PATH_UNSOLVED   q has negative entries and no solution of LCP(M, q) was found to start at
**   DLS_PATH_LIMIT      max_steps, or a pivot that is zero to working accuracy
** Ratio tests work on q + margin, lexicographic in ties; the states are those of q itself.
** A start with q < 0 solves LCP(M, q + margin) by Lemke's method, up to n = 12 where that leads
** nowhere by looking at every basis, and goes on from its basis.
** Source: Popov & Lovtsov 2023; Cottle, Pang & Stone 2009, sec. 4.5. */
typedef struct dls_path_problem {
  int n;                /* number of complementary pairs                                     */
  const double *M;      /* n x n, row-major, borrowed                                        */
  const double *q;      /* n, constant part, borrowed                                        */
  const double *d;      /* n, part that grows with p, borrowed                               */
  const double *margin; /* n, >= 0, added to q in ratio tests, borrowed; NULL: zero          */
  int contacts;         /* m: rows are (n, +, -) of m contacts, 3 m = n, and 1e-7 max |q| is
                           added to the margin of the last 2 m; 0: not so                    */
  double to;            /* target of p, >= 0, may be infinite                                */
  double size;          /* what `wrong` of the path is relative to beside p d; 0: max |q|    */
  double growing;       /* the same per unit of p, at least max |d|                          */
  double most_rate;     /* |dz/dp| beyond which M has no inverse along an unbounded or last
                           segment: a mechanism; 0: any is taken                             */
  dls_stop *stop;       /* asked now and then whether to go on; NULL: nobody is              */
  int max_steps;        /* pivots of the path; 0: 50 n, at least 1000                        */
} dls_path_problem;

#define DLS_PATH_ENDS(X)                                        \
  X(REACHED, "reached") X(RAY, "ray") X(MECHANISM, "mechanism") \
  X(UNSOLVED, "unsolved") X(LIMIT, "limit")

typedef enum dls_path_end {
#define X(code, text) DLS_PATH_##code,
  DLS_PATH_ENDS(X)
#undef X
} dls_path_end;

/* The word of an end. */
const char *dls_path_end_name(dls_path_end end);

/* A change of the active set. Variables: w_i is i, z_i is n + i, p is 2 n. */
typedef struct dls_path_event {
  double p;     /* where                   */
  int entering; /* becomes basic           */
  int leaving;  /* has come down to zero   */
} dls_path_event;

typedef struct dls_path {
  dls_alloc alloc;        /* owns the arrays                                                 */
  int n;                  /* size of the problem                                             */
  dls_path_end end;       /* how the path ended                                              */
  int n_events;           /* changes of the active set                                       */
  int n_states;           /* n_events + 1, and one more where `to` was reached               */
  int n_room;             /* states (and events) there is room for                           */
  dls_path_event *events; /* n_events                                                        */
  double *p;              /* n_states: 0, those of the events, `to`                          */
  double *z;              /* n_states x n; between two states z is linear in p               */
  double *ray;            /* n: dz/dp beyond the last state of a ray, else zero              */
  double p_limit;         /* largest p with a known state: infinite for a ray                */
  double residual;        /* worst of the states and of one along a ray (residual.h), relative to
                             q, or `size` where that is more, and p d                        */
  double wrong;           /* the same, relative to the load's `size` and p d                 */
  int pivots;             /* of the path and of its start                                    */
} dls_path;

/* Follows the path. *path must be all zero, or one followed before, whose arrays are used again;
** they come from alloc.
** DLS_ARG 3 contacts != n; DLS_NOMEM; DLS_FULL tmp smaller than dls_path_bytes(n). On failure the
** path is empty. */
dls_status dls_path_follow(const dls_path_problem *load, const dls_alloc *alloc, dls_arena *tmp,
                           dls_path *path);
size_t dls_path_bytes(int n);

/* Gives the arrays back; may be called twice. */
void dls_path_destroy(dls_path *path);

/* The next state at p in the order of the path: *segment is where to go on, 0 at first. Writes z
** (n, >= 0); false: no more. The first call answers the first state reached. */
bool dls_path_next(const dls_path *path, double p, int *segment, double *z);

/* w = M z + q + p d of a state; the load is that of the path. */
void dls_path_image(const dls_path_problem *load, double p, const double *z, double *w);

#endif
