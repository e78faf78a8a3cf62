/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_ACC_ROW_H
#define DLS_JOINTS_ACC_ROW_H

#include "core/base/arena.h"
#include "core/lcp/lcp.h"
#include "core/rows/rows.h"

/* A row on accelerations, of a joint, a gear or a contact, at the world's coordinates and
** velocities. */
typedef struct dls_acc_row {
  double J[24];  /* 2 NU numbers: of a, then of b; of gears then those of c and d               */
  int kind;      /* dls_row_kind                                                               */
  int what;      /* number of the limit; 4 + k holds the velocity k; -1: held by a rigid joint  */
  int a, b, c, d; /* bodies                                                                    */
  int n_ends;    /* 2; 4 for gears                                                             */
  double gap;    /* m or rad                                                                   */
  double v;      /* J u, less what it should be (drives, a motor's speed)                      */
  double bias;   /* the row's acceleration is J (accelerations of the bodies) - bias           */
  double lo, hi; /* of its force, N or N m                                                     */
  /* of a contact */
  double arm[3]; /* friction number; spinning (space only), rolling, m; BOX: [0] its bound      */
  double length; /* 1 for rows in m/s, a radius of gyration for rows in rad/s; 0: 1             */
  bool pressed;  /* compliant: the first row's force is known, it is lo                        */
  int back;      /* BOX: so many rows before it stands the normal that bounds it               */
} dls_acc_row;

/* Room of rows on accelerations and of the solver of their laws (accelerations/laws.h), kept from
** evaluation to evaluation. */
typedef struct dls_acc_room {
  dls_alloc alloc;       /* of all that follows                                    */
  dls_arena contacts;    /* rows of contacts, before they are listed behind joints */
  dls_arena laws;        /* the laws posed, and one solution                       */
  dls_arena search;      /* of a search for solutions                              */
  dls_arena method;      /* of one method of that search                           */
  dls_lcp_solutions all; /* solutions that enumeration lists                       */
} dls_acc_room;

/* Whether it is that of a motor without bound. */
static inline bool dls_acc_row_holds_speed(const dls_acc_row *row) {
  return row->kind == DLS_ROW_BOX && row->what == 4 && row->hi == DLS_INF;
}

#endif
