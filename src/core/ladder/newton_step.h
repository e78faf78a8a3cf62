/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_NEWTON_STEP_H
#define DLS_LADDER_NEWTON_STEP_H

#include "core/graph/body_graph.h"
#include "core/graph/body_lanes.h"
#include "core/ladder/supported.h"

/* Semismooth Newton on a whole island, matrix-free in its rows. With z, y, |W| a block's impulses,
** velocities and measure as in the residual, x = z - rho y, rho = times / |W|, the laws read F = 0,
**
**     normal   z_n - max(0, x_n)         part   z_k - P(x_k),  P on the disk of mu_k max(0, x_n)
**     row      z - clamp(x, lo, hi)
**
** (Alart & Curnier, 1991). One step solves, with X = dF/dy, Y = dF/dz and a damping E = damp |W|
** (contacts may be redundant),
**
**     X (J du + E dz) + Y dz = -F,    du = M^-1 J' dz,
**
** (about a fixed centre: E (z - centre) stands in y, too) by taking each block's dz = -g - S J du,
** S = (X E + Y)^-1 X, g = (X E + Y)^-1 F, to the bodies: the block LU of body_graph.h. It is cut by
** a line search on sum |F / rho|^2. */

typedef struct dls_linear_law {
  double norm;       /* |W|, Frobenius, rows by their length         */
  double *S, *g;     /* nb nb numbers, row-major, block->n a row; nb */
  bool acts;         /* S is not zero                                */
  bool contact;      /* its numbers are those of contact_step.h, not S and g here */
  /* E / (damp |W|) of its first row and of the others: 1 until somebody weighs them (proximal.c) */
  double drag[2];
  bool apart;        /* it has a support: it is none of the bodies' matrix (supported.h) */
} dls_linear_law;

/* A part of a contact that turns (contact_step.h). */
typedef struct dls_turning {
  int first;     /* which of its block's rows comes first */
  int rows;      /* how many: 1, spinning, or 2, rolling  */
  double length; /* of them, m                            */
} dls_turning;

typedef struct dls_newton {
  dls_body_graph graph; /* of the bodies */
  dls_linear_law *law; /* n blocks                                   */
  double *dp;      /* by block: rows->nb each                        */
  double *dv;      /* n x nb: change of J u, m/s                     */
  double *best;    /* n x nb: impulses of the least residual, N s    */
  double *raw;     /* n x nb: impulses before they are cut, N s      */
  double times;    /* rho |W|                                        */
  double damp;     /* E / |W|                                        */
  dls_supported *supported; /* NULL: no block is apart */
  const double *centre; /* by block: impulses about which E damps; NULL: those at hand */
  /* graph.n x dls_graph_row: impulses of bodies, change of their velocities, these */
  double *y, *du, *u;
  dls_body_contact *plain; /* n_plain: those of the blocks that contact_step.h has */
  int n_plain;             /* how many                                             */
  double *speed;  /* n_plain x 3: J u where the laws were linearised */
  double *change; /* n_plain x 3: J du of a step                     */
  dls_turning *turning;     /* n_turning: parts of theirs that turn */
  dls_body_contact *turned; /* the same as contacts                 */
  int n_turning;            /* how many                             */
  double *turn_speed, *turn_change; /* n_turning x 3, as speed and change */
} dls_newton;

/* Room for n blocks, and the order of the bodies (`late`: body_graph.h); none is apart yet.
** DLS_FULL: rows->need. */
dls_status dls_newton_take(dls_rows *rows, const int *blocks, int n, const bool *late,
                           dls_arena *tmp, dls_newton *N);

/* The blocks that are contacts and not apart, as contact_step.h has them: once it is known which
** these are. */
void dls_newton_pack(const dls_rows *rows, const int *blocks, int n, dls_newton *N);

/* u = u_free + M^-1 J' p of the island. */
void dls_newton_push(dls_rows *rows, const int *blocks, int n, const dls_newton *N);

/* S and g of all blocks at the p and u at hand; answers sum |F / rho|^2 there. */
double dls_newton_linearise(const dls_rows *rows, const int *blocks, int n, dls_newton *N);

/* dp of a step from where the laws were linearised; dv that belongs to it. */
void dls_newton_step(const dls_rows *rows, const int *blocks, int n, dls_newton *N);
void dls_newton_follow(const dls_rows *rows, const int *blocks, int n, dls_newton *N);

/* sum |F / rho|^2 at p + t dp, from where the laws were linearised; t > 0 needs dv. */
double dls_newton_merit(const dls_rows *rows, const int *blocks, int n, double t,
                        const dls_newton *N);

/* p += t dp; velocities do not follow. */
void dls_newton_go(dls_rows *rows, const int *blocks, int n, double t, const dls_newton *N);

#endif
