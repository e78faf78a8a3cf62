/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_PACK_H
#define DLS_CONE_PACK_H

#include "core/base/isa.h"
#include "core/cone/system.h"

/* Gauss-Seidel sweeps eight groups at a time. Groups are coloured so that no two of one colour meet
** in A; the groups of a colour stand eight to a pack, a lane each, and a pack is visited at once:
** its lanes do not see one another, so every width computes the same bits, and the order of visits
** is that of the colours.
**
** Vectors (z, c, ...) in lanes: row k of the group in lane l of pack p is element (p d + k) 8 + l,
** d the most rows of a group; rows that a group does not have, and lanes without a group, hold
** zeros. Eight d zeros behind the last pack are what a lane with fewer neighbours reads. */
#define DLS_CONE_LANES 8

/* Rows of numbers that a visit needs of a pack, 8 each. */
enum {
  DLS_CONE_PLANAR_ROWS =
      9, /* A_NN A_NT A_TN A_TT, 1/det, 1/(A_NN + mu A_NT), 1/(A_NN - mu A_NT),
                                mu, norm                                                          */
  DLS_CONE_SPATIAL_ROWS =
      13 /* 1/A_NN, S (4), A_NT/A_NN (2), A_TN/A_NN (2), mu, alpha_0, norm,
                                alpha (the last slip parameter: changes)                          */
};

struct dls_cone_pack;

/* A path: the same source compiled for one instruction set. */
typedef struct dls_cone_lanes {
  const char *name; /* of the instruction set */
  int width;        /* groups side by side */
  /* one sweep in place; the largest change of an impulse times its group's norm */
  double (*sweep_2)(struct dls_cone_pack *pack, double *z);
  double (*sweep_3)(struct dls_cone_pack *pack, double *z);
  /* sum (y_i - g_i)(g_i - x_i), n a multiple of 8, in eight partial sums as in math/lanes.h */
  double (*turn)(int n, const double *y, const double *g, const double *x);
  /* (y, x) <- (g + beta (g - x), g), g = y before; n a multiple of 8 */
  void (*leap)(int n, double beta, double *y, double *x);
} dls_cone_lanes;

typedef struct dls_cone_pack {
  const dls_cone_system
      *sys; /* borrowed                                                       */
  const dls_cone_lanes
      *lanes;        /* the path                                                       */
  bool ready;        /* false: too dense, or groups of six rows; nothing below is set  */
  int d, n_packs, n; /* rows of a lane, packs, 8 d n_packs                             */
  int *group;        /* 8 n_packs: group of a lane, -1 none                            */
  int *start;        /* n_packs + 1: neighbours ("slots") of a pack                    */
  int *index;        /* 8 a slot: first element of each lane's neighbour in a vector   */
  double *value;     /* 8 d d a slot: block entries, row by row                        */
  double *c;         /* n: constants                                                   */
  double *own;       /* 8 x ROWS a pack: see above                                     */
  unsigned char
      *general; /* n_packs: bit l set: lane l goes the way of cone/local.c        */
  dls_cone_local
      *locals; /* n_groups, borrowed, ready                                      */
} dls_cone_pack;

/* Colours and packs; DLS_FULL where the arena is short of dls_cone_pack_bytes. path: 0 plain, 1,
** ...; -1 the widest. */
dls_status dls_cone_pack_make(const dls_cone_system *sys, dls_cone_local *locals,
                              int path, dls_arena *tmp, dls_cone_pack *pack);
size_t dls_cone_pack_bytes(const dls_cone_problem *problem);

/* One sweep, whichever d. */
static inline double dls_cone_pack_sweep(dls_cone_pack *pack, double *z) {
  return pack->d == 2 ? pack->lanes->sweep_2(pack, z) : pack->lanes->sweep_3(pack, z);
}

/* Between a vector of the system and one in lanes: n numbers (what a sweep takes has 8 d zeros
** behind them). */
void dls_cone_pack_load(const dls_cone_pack *pack, const double *z, double *lanes);
void dls_cone_pack_unload(const dls_cone_pack *pack, const double *lanes, double *z);

/* The i-th path that this processor can run (0 is the plain one), NULL past the last. */
const dls_cone_lanes *dls_cone_lanes_at(int i);

/* The paths' tables, for pack.c alone. */
#ifdef DLS_X86
extern const dls_cone_lanes dls_cone_lanes_avx2;
extern const dls_cone_lanes dls_cone_lanes_avx512;
#endif
extern const dls_cone_lanes dls_cone_lanes_plain;

#endif
