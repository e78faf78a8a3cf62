/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_SYSTEM_H
#define DLS_CONE_SYSTEM_H

#include "core/cone/cone.h"

/* What the methods work on: a problem copied into blocks, in which compliance, shift and length
** are absorbed, and units (powers of two) keep numbers near one,
**
**     u = A z + c,   A = L (W + diag gamma) L / a,   c = L (b + s) / v,   z = L^-1 p a / v,
**
** L = diag length, so that every group's law reads as in cone.h with gamma = s = 0. Block row g
** holds the blocks beside the diagonal that are not zero, row-major, by ascending group. */
typedef struct dls_cone_system {
  const dls_cone_problem *problem; /* borrowed                                              */
  int n, n_groups;                 /* rows, groups                                          */
  const dls_cone_group *groups;    /* n_groups, borrowed                                    */
  int *dim;                        /* n_groups: rows of each group                          */
  dls_cone_shape *shape;           /* n_groups: scaled coefficients                         */
  double *lo, *hi;                 /* n_groups: scaled bounds of the rows without parts     */
  int *start;                      /* n_groups + 1: blocks of block row g                   */
  int *col;                        /* start[n_groups]: group of each block                  */
  size_t *at;                      /* n_groups + 1: first value of block row g              */
  double *value;                   /* at[n_groups]: blocks d x d' beside the diagonal       */
  size_t *diag_at;                 /* n_groups: first value of the diagonal block           */
  double *diag;                    /* n_groups blocks of d x d: the diagonal                */
  /* of each block row, its diagonal too: runs of columns, first and how many */
  int *run_start, *run;
  size_t *row_at;                  /* n_groups + 1: first value of block row g in rows      */
  double *rows;                    /* row_at[n_groups]: d rows a block row, along its runs  */
  double *gathered;                /* n: scratch of the image                               */
  double *c;                       /* n                                                     */
  double *norm;                    /* n_groups: |A_gg| Frobenius, 1 where zero              */
  double scale;                    /* divisor of the residual, in units of v                */
  double unit_v, unit_a;           /* v and a: the units of c and of A                      */
} dls_cone_system;

/* Builds the system in the arena; the problem is checked first. DLS_ARG, DLS_FULL. */
dls_status dls_cone_system_build(const dls_cone_problem *problem, dls_arena *tmp,
                                 dls_cone_system *sys, dls_fault *fault);
size_t dls_cone_system_bytes(const dls_cone_problem *problem);

/* Somebody wants the method to end; asked after `times` products with A. */
static inline bool dls_cone_stopped(const dls_cone_system *sys, double times) {
  return dls_stop_poll(sys->problem->stop,
                       times * (double)(sys->at[sys->n_groups] + (size_t)sys->n));
}

/* Blocks beside the diagonal that are not zero. */
size_t dls_cone_system_blocks(const dls_cone_problem *problem);

/* out = c + sum over the blocks beside the diagonal of block row g (dim[g] numbers). */
void dls_cone_system_off(const dls_cone_system *sys, int g, const double *z, double *out);

/* u = A z + c; with constant = false u = A z. */
void dls_cone_system_image(const dls_cone_system *sys, const double *z, bool constant, double *u);

/* z <- P_g(z) for one group. */
void dls_cone_system_admit(const dls_cone_system *sys, int g, double *z);

/* max_g r_g / scale from z and u, as in cone.h with rho from the system's blocks. */
double dls_cone_system_residual(const dls_cone_system *sys, const double *z, const double *u);

/* Copies between impulses of the problem and of the system. */
void dls_cone_system_start(const dls_cone_system *sys, const double *p, double *z); /* NULL: 0 */
void dls_cone_system_finish(const dls_cone_system *sys, const double *z, double *p);

/* --- one group at a time (cone/local.c) ------------------------------------------------------- */

/* What the exact solution of one group needs of its diagonal block, computed once (the matrices
** only for a normal with one part of two rows). */
typedef struct dls_cone_local {
  double a_nn;             /* normal diagonal, 1                                           */
  double S[4];             /* A_TT - A_TN A_NT / A_NN, row-major                        */
  double nt[2], tn[2];     /* A_NT / A_NN, A_TN / A_NN                                  */
  double alpha_0;          /* the slip parameter that counts as sticking                */
  double alpha;            /* last slip parameter |u_T| / |p_T|: the next start         */
} dls_cone_local;

void dls_cone_local_make(const dls_cone_system *sys, int g, dls_cone_local *local);

/* z_g <- solution of the group's law for u_g = A_gg z_g + off, off given. Exact (Coulomb's law in
** closed form but for one scalar root); where the group alone has no solution (a singular or, by
** friction, negative diagonal) one step of projection is made instead. */
void dls_cone_local_solve(const dls_cone_system *sys, int g, dls_cone_local *local,
                          const double *off, double *z);

#endif
