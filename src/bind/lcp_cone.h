/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_LCP_CONE_H
#define DLS_BIND_LCP_CONE_H

#include "bind/array.h"
#include "bind/options.h"
#include "core/cone/cone.h"

/* What lcp.cone and lcp.cone_solver share (bind/lcp_cone.c, bind/lcp_cone_solver.c). */

typedef struct dls_number_or_list {
  bool given;          /* else neither */
  double number;       /* where list.x is NULL      */
  dls_vector_arg list; /* borrowed from the anchors */
} dls_number_or_list;

/* Options of both, as read; pointers live as long as the table of anchors. */
typedef struct dls_cone_request {
  dls_matrix_arg W; /* n x n */
  dls_vector_arg q, start; /* n each */
  dls_number_or_list friction, compliance, shift, length; /* a contact; a row each */
  dls_cone_group *kinds; /* n_kinds as given; NULL: all cones                 */
  int n_kinds;           /* groups */
  bool planar;           /* "cone" is (n, t), "rolling" is (n, t, roll)       */
  int method;            /* place in dls_cone_methods                         */
  double scale;          /* least divisor of the residual                     */
  dls_cone_opts opts;    /* its pointers are not set                          */
} dls_cone_request;

dls_cone_request dls_cone_request_default(void);

/* A closable userdata: memory of a solve, and its answer. User values: 1 the matrix that is kept,
** 2 the anchors of the request. */
typedef struct dls_cone_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_alloc alloc;   /* of all its memory */
  dls_cone_request request; /* as last asked for */
  bool answered;          /* p, v, report are there                     */
  bool busy;              /* the core is at work: Lua code run by a hook keeps off */
  int n;                  /* rows of the last problem                   */
  int room;               /* places of numbers                          */
  int n_solves;           /* since the making or the last reset         */
  double *numbers;        /* 6 room: p, v, start, compliance, shift, length */
  dls_cone_group *groups; /* room                                       */
  dls_arena arena;        /* workspace                                  */
  dls_cone_report report; /* of the last solve                          */
} dls_cone_box;

extern const dls_class dls_cone_solver_class;
extern const dls_option dls_cone_call_options[];
extern const dls_option dls_cone_solver_options[];

/* Pushes a box, open and empty. */
dls_cone_box *dls_cone_push_box(lua_State *L, const dls_cone_request *request);
void dls_cone_release(lua_State *L, void *self);

/* Solves for W and q with the box's request and memory; raises for sizes, memory and failures.
** start may be NULL or the box's own p. once: nobody keeps the box, a stop closes it. */
void dls_cone_box_solve(lua_State *L, dls_cone_box *box, const dls_matrix_arg *W,
                        const dls_vector_arg *q, const double *start, bool once,
                        const char *function);

/* "solved", "ray", "limit", "unsuitable"; the group with the largest residual as a table. */
void dls_cone_push_worst(lua_State *L, const dls_cone_box *box);
int dls_cone_pivots(const dls_cone_box *box); /* 0 for methods without */

/* cone_solver(options) -> solver */
int dls_cone_make_solver(lua_State *L);

#endif
