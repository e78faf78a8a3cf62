/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_CONDENSE_H
#define DLS_STRUCTURE_CONDENSE_H

#include "core/math/sparse_front.h"
#include "core/structure/assembly.h"

/* The structure as its contacts see it: with all links closed and dislocated by zeta = B u,
**
**     x = R zeta + RF,      R symmetric positive semidefinite, RF the load's part.
**
** K itself may be singular: what only contacts hold has no factor. So each link gets a spring rho
** in its place, K_rho = K + sum rho b b', which is definite where the structure with closed links
** is, and with f the loads, W = B K_rho^-1 B', g = B K_rho^-1 f:
**
**     K u = f + B' x,  B u = zeta - s      (s: what prescribed displacements add)
**     K_rho u = f + B' (x + rho (zeta - s)),  so  x = (W^-1 - rho)(zeta - s) - W^-1 g,
**
**     R = W^-1 - rho,   RF = -W^-1 g - R s.
**
** rho is about the local stiffness, so that the difference loses few digits; powers of four make it
** exact where nothing else resists. The columns of B' are solved for many at once, and only in the
** part of the factor that leads from contacts to contacts.
**
** Where a link reads what others read already (a node between two stops, or in a corner), W is
** singular: such a link gets a compliance epsilon, B u = zeta - s - epsilon x, a millionth of the
** structure's there, which counts only while it and those others are all closed. With P = 1 - rho
** epsilon (diagonal)
**
**     R = P^-1 (W + epsilon P^-1)^-1 P^-1 - P^-1 rho,   RF = -P^-1 (W + epsilon P^-1)^-1 g - R s,
**     K_rho u = f + B' (P x + rho (zeta - s)).
**
** Source: Popov & Lovtsov 2023; EQUATIONS D.1. Statuses: DLS_SINGULAR, something is not held:
** *fault. */

/* What solves with K_rho: our own factor, or one lent by the binding (an optional rock). */
typedef struct dls_factor_kind {
  const char *name; /* as users choose it */
  /* A factored, for the others in *self; DLS_SINGULAR (the row in *bad), DLS_NOMEM, DLS_TOOBIG */
  dls_status (*factor)(const dls_sparse *A, void **self, int *bad);
  /* X (n x m, row-major, ldx apart) <- A^-1 X */
  dls_status (*solve)(void *self, int m, double *X, size_t ldx);
  void (*destroy)(void *self);
} dls_factor_kind;

/* One free motion y of the structure with its contacts open (motions.h), B y of unit size where
** lengths of a link are times sqrt(rho). Of the constant and the growing load, sqrt(N m): */
typedef struct dls_free_motion {
  double work[2];  /* y'f                          */
  double parts[2]; /* |y|'|f|                      */
  double blur[2];  /* what rounding makes of zeta'RF */
} dls_free_motion;

typedef struct dls_free_motions {
  dls_alloc alloc;  /* owns the arrays                                      */
  int n, l;         /* motions; links                                       */
  int n_room;       /* motions there is room for                            */
  dls_free_motion *each; /* n                                               */
  double *z;        /* n x l: B y of each times sqrt(rho), orthonormal rows */
  double *root;     /* l: sqrt(rho)                                         */
} dls_free_motions;

typedef struct dls_condensed {
  dls_structure st;  /* a copy: what the user changes later has no effect here      */
  dls_dofs dofs;     /* numbers of the unknowns */
  dls_links links;   /* of contacts */
  dls_stiffness K;   /* K_rho                                                        */
  dls_front front;   /* its factor, where kind is NULL                               */
  const dls_factor_kind *kind; /* another one's; borrowed                            */
  void *other;       /* its factor                                                   */
  double *f[2];      /* dofs.n each: forces on the unknowns, constant and growing    */
  double *R;         /* links.n x links.n                                            */
  double *RF[2];     /* links.n each                                                 */
  dls_free_motions motions; /* that only contacts resist                                  */
  double *W, *g;     /* links.n x links.n, and 2 links.n: of both loads; NULL where no
                        link repeats others */
} dls_condensed;

/* The three stages, in this order, on *c all zero; each may fail: DLS_ARG and a fault, DLS_NOMEM,
** DLS_TOOBIG, DLS_STOPPED. dls_condensed_destroy is needed then too, and may be called twice. */
dls_status dls_condensed_assemble(dls_condensed *c, const dls_structure *st,
                                  dls_structure_fault *fault);
dls_status dls_condensed_factor(dls_condensed *c, const dls_factor_kind *kind, dls_stop *stop,
                                dls_structure_fault *fault);
dls_status dls_condensed_links(dls_condensed *c, dls_stop *stop);
void dls_condensed_destroy(dls_condensed *c);

/* u (dofs.n) = K_rho^-1 f, by the factor and one step of refinement. tmp: dls_condensed_tmp(c)
** numbers. f and u may be one. */
dls_status dls_condensed_solve(const dls_condensed *c, const double *f, double *u, double *tmp,
                               dls_stop *stop);
size_t dls_condensed_tmp(const dls_condensed *c);

#endif
