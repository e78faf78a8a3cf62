/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SWEEPS_GROUPS_3_H
#define DLS_SWEEPS_GROUPS_3_H

#include "core/base/arena.h"
#include "core/rows/island.h"
#include "core/sweeps/lanes3.h"

/* An island of spatial contacts as groups of eight that share no moving body (sweeps/lanes3.h).
** Blocks of other laws, and contacts whose friction is too steep for the lanes, are visited one by
** one after the groups. */

enum { DLS_GROUP_NUMBERS_3 = 3 * DLS_SWEEP_LANES }; /* impulses of a group */

/* Single precision serves where 1/W and W are far from its ends. */
#define DLS_SPACE_LEAST 1e-9
#define DLS_SPACE_MOST 1e9

/* A block that is visited by itself. */
typedef struct dls_lone_block {
  int block;         /* its number                                    */
  int i, j;          /* where bodies a and b start                    */
  int p;             /* where its impulses do                         */
  double v[6];      /* J u_free + shift, m/s                              */
  double X[6][12];  /* L'J' of its rows: on a, then on b             */
} dls_lone_block;

typedef struct dls_groups_3 {
  const dls_space_lanes *lanes; /* kernels */
  int n;                       /* groups                                                       */
  dls_space_group *group;      /* n                                                            */
  dls_space_turn *turn;        /* n: their friction against turning; NULL: none has any        */
  int *block;                  /* 8 n: whose contact a lane holds, -1: nobody's                */
  double *axis;                /* 16 n: the lane's first tangent in the block's                */
  int n_others;                /* other blocks                                                 */
  /* n_others */
  dls_lone_block *other;
  int n_p;                     /* numbers of p: 24 n, of turning 24 n, those of the others; a
                               ** multiple of 8                                                */
  double *p, *was, *f, *p_old; /* n_p each: impulses, before the sweep, change, earlier ones   */
  int n_bodies, n_u;           /* bodies that move, and numbers of u: a multiple of 8          */
  int *body;                   /* n_bodies: the world's number of each                         */
  double *root;                /* 8 n_bodies: 1/sqrt(m) and L of M^-1 = L L', six numbers      */
  double *u, *u_old;           /* n_u: L^-1 (u - u_free)                                       */
  int *run;                    /* n: of the group                                              */
  const int *place;            /* a body of the world: its number among those that move, -1    */
  bool filled;                 /* group[] is made                                              */
} dls_groups_3;

/* Whether most of the blocks go in lanes, and enough of them. */
bool dls_suits_lanes_3(const dls_rows *rows, const int *blocks, int n);

/* Groups of an island, not yet filled; G->n = 0 where it is none for lanes. DLS_FULL:
** rows->need. */
dls_status dls_group_3(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, dls_groups_3 *G);

/* Group k; p: its impulses, as they stand in the rows. Whether its numbers fit single precision. */
void dls_fill_group_3(const dls_rows *rows, const dls_groups_3 *G, int k, dls_space_group *g,
                      double *p);
bool dls_fits_float_3(const dls_space_group *g);

/* The groups in double precision, if they are not there yet; impulses stay as they are unless they
** are `new`. */
void dls_fill_all_groups_3(const dls_rows *rows, dls_groups_3 *G, bool new);

/* Visits the blocks that are in no group, on impulses and bodies in double or in single precision.
** Answers by how much a visit changed its own velocity at most, m/s. */
double dls_visit_others(const dls_rows *rows, const dls_groups_3 *G, double *p, double *u);
double dls_visit_others_coarsely(const dls_rows *rows, const dls_groups_3 *G, float *p, float *u);

/* Velocities of the groups from their impulses. */
void dls_push_groups_3(const dls_rows *rows, dls_groups_3 *G);

/* Impulses back to the rows; and velocities. */
void dls_give_impulses_3(dls_rows *rows, const dls_groups_3 *G);
void dls_ungroup_3(dls_rows *rows, const dls_groups_3 *G);

#endif
