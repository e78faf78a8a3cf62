/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_LCP_H
#define DLS_BIND_LCP_H

#include "bind/options.h"
#include "bind/array.h"
#include "core/lcp/method.h"

/* What lcp.solve and lcp.solver share (bind/lcp.c, bind/lcp_solver.c). */

/* Workspace beyond this is refused with a message instead of being asked for: 2 GiB. */
#define DLS_LCP_MOST_BYTES ((size_t)1 << 31)

/* Options of both, as read. */
typedef struct dls_lcp_request {
  dls_matrix_arg M;             /* n x n */
  dls_vector_arg q, start;      /* n each */
  const dls_lcp_method *method; /* "auto" where not given            */
  dls_lcp_opts opts;            /* its pointers are not set          */
  bool trace;                   /* states wanted                     */
  int n;                        /* of lcp.solver: the size to expect */
} dls_lcp_request;

dls_lcp_request dls_lcp_request_default(void);

/* A closable userdata: memory of a solve, and its answer. */
typedef struct dls_lcp_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_alloc alloc;   /* of all its memory */
  const dls_lcp_method *method; /* as asked for */
  dls_lcp_opts opts;           /* start, trace and solutions set for each solve            */
  bool traced;                 /* states are kept                                          */
  bool busy;                   /* the core is at work: Lua code run by a hook keeps off     */
  bool answered;               /* z, w, report are there                                   */
  int n;                       /* size of the last problem                                 */
  int room;                    /* places of numbers                                        */
  int n_solves;                /* since the making or the last reset                       */
  long long n_pivots;          /* in all of them                                           */
  double *numbers;             /* 3 room: z, w and the start                               */
  dls_arena arena;             /* workspace                                                */
  dls_lcp_trace trace;         /* of the last solve                                        */
  dls_lcp_solutions solutions; /* of the last solve                                        */
  dls_lcp_report report;       /* of the last solve                                        */
} dls_lcp_box;

extern const dls_class dls_lcp_solver_class;

/* Pushes a box, open and empty. User value 1 is for the matrix that is kept. */
dls_lcp_box *dls_lcp_push_box(lua_State *L, const dls_lcp_request *request);
void dls_lcp_release(lua_State *L, void *self);

/* Room for answers of n numbers. false: out of memory. */
bool dls_lcp_box_expect(dls_lcp_box *box, int n);

/* Solves p with the box's memory; raises for sizes, memory and failures, and what a hook raises
** (Ctrl-C). start may be NULL; once: after such an error nobody needs the box. */
void dls_lcp_box_solve(lua_State *L, dls_lcp_box *box, const dls_lcp *p, const double *start,
                       bool once, const char *function);

/* The problem of M and q; raises where they do not fit. */
dls_lcp dls_lcp_problem(lua_State *L, const dls_matrix_arg *M, const dls_vector_arg *q,
                        const char *function);

/* The number of the method that is named at idx, of those that name_of lists (NULL past the
** last). */
void dls_read_method(lua_State *L, int idx, const dls_at *at, const char *(*name_of)(int),
                     int *choice);

/* What the answers of lcp.solve and lcp.cone have in common. */
typedef struct dls_verdict {
  const char *method;      /* that answered            */
  dls_outcome outcome;     /* converged and status     */
  int pivots, iterations;  /* 0 where there are none   */
  double residual;         /* relative                 */
  double natural;          /* residual, as z and w    */
  bool fallback;           /* a safeguard had to help  */
} dls_verdict;

/* Sets a field for each in the table on the top of the stack. */
void dls_lcp_set_verdict(lua_State *L, const dls_verdict *verdict);
const char *dls_lcp_outcome_name(dls_outcome outcome);

/* Push one field of the answer. */
void dls_lcp_push_fault(lua_State *L, const dls_lcp_box *box);
void dls_lcp_push_trace(lua_State *L, const dls_lcp_box *box);

/* lcp_solver(options) -> solver */
int dls_lcp_make_solver(lua_State *L);

extern const dls_option dls_lcp_solve_options[];
extern const dls_option dls_lcp_solver_options[];

#endif
