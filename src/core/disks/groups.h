/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_GROUPS_H
#define DLS_DISKS_GROUPS_H

#include "core/base/arena.h"
#include "core/rows/island.h"
#include "core/disks/sweep_lanes.h"

/* An island of rigid contacts of disks as groups of sixteen that share no moving body
** (sweep_lanes.h). */

/* A contact of an island: its bodies, first row and number of rows; where it stands: its lane,
** counted through. */
typedef struct dls_disk_member {
  int a, b, row, n, at; /* bodies; first row; rows; lane */
} dls_disk_member;

/* Colours whose ends are kept. */
enum { DLS_DISK_FULL = 4 };

typedef struct dls_disk_groups {
  const dls_disk_lanes *lanes; /* kernels */
  dls_disk_bed bed;       /* what they work on */
  int n_laws;             /* taken of bed.law                                           */
  int colour_end[DLS_DISK_FULL]; /* groups up to the end of each of the first colours          */
  dls_disk_member *contact; /* one a block of the island                                 */
  float *p, *p_old;       /* 32 a group: after the last sweep and the one before        */
  int n_bodies;           /* places of bodies                                           */
  int *body;              /* n_bodies: the world's number of each, -1: nobody's place  */
  float *root;            /* n_u: 1/m twice and J^(-1/2), 0 at the end                  */
  float *u, *u_old;       /* n_u: U after the last sweep and the one before             */
  double slope, bend;     /* p . (J u_free + s) and p . W p at the start               */
  double fastest;         /* the largest number among the bodies' velocities           */
} dls_disk_groups;

/* Groups of an island of such contacts; G->bed.n = 0 where colours do not suffice. DLS_FULL:
** rows->need. */
dls_status dls_disk_groups_make(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                                dls_disk_groups *G);

/* Impulses back to the rows, cut to their sets; velocities from them where they are wanted. */
void dls_disk_groups_return(dls_rows *rows, const int *blocks, int n, const dls_disk_groups *G,
                            bool push);

/* For dls_disk_groups_make(): the law of most contacts; a contact into its lane (x->at), compact or
** written out; a lane without a contact. */
void dls_disk_begin_laws(const dls_block *one, dls_disk_groups *G);
void dls_disk_fill_lane(const dls_rows *rows, int block, const dls_disk_member *x, const int *place,
                        dls_disk_groups *G);
void dls_disk_leave_lane(dls_disk_groups *G, int at);

#endif
