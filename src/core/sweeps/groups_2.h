/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SWEEPS_GROUPS_2_H
#define DLS_SWEEPS_GROUPS_2_H

#include "core/base/arena.h"
#include "core/rows/island.h"
#include "core/sweeps/lanes.h"

/* An island of planar contacts as groups of eight that share no moving body (sweeps/lanes.h). */

enum {
  DLS_COLOURS_2 = 63  /* most; a body with more contacts stays with the visits one by one */
};

typedef struct dls_groups_2 {
  const dls_sweep_lanes *lanes; /* kernels */
  int n;                       /* groups                                                       */
  dls_sweep_group *group;      /* n                                                            */
  dls_sweep_turn *turn;        /* n: their rolling friction; NULL: none has any                */
  int n_p;                     /* impulses: 16 n, and of rolling 8 n behind them               */
  int *block;                  /* 8 n: whose contact a lane holds, -1: nobody's                */
  double *p, *was, *f, *p_old; /* n_p each: impulses, before the sweep, change, earlier ones   */
  int n_bodies, n_u;           /* bodies, and numbers of u: a multiple of 8                    */
  int *body;                   /* n_bodies: the world's number of each                         */
  double *u, *u_old;           /* n_u                                                          */
  bool fits_float;             /* its numbers suit single precision                            */
} dls_groups_2;

/* Whether all blocks are contacts whose law the lanes know, and enough of them. */
bool dls_suits_lanes_2(const dls_rows *rows, const int *blocks, int n);

/* Groups of an island; G->n = 0 where it is none for lanes. DLS_FULL: rows->need. */
dls_status dls_group_2(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, dls_groups_2 *G);

/* Impulses and velocities back to the rows. */
void dls_ungroup_2(dls_rows *rows, const dls_groups_2 *G);

/* Velocities of the groups from their impulses. */
void dls_push_groups_2(const dls_rows *rows, dls_groups_2 *G);

#endif
