/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_PACK_H
#define DLS_FOREST_PACK_H

#include "core/base/isa.h"
#include "core/base/arena.h"
#include "core/forest/state.h"

/* One state of one forest in lanes, in two ways.
**
** Level by level, where it is bushy: nodes of one depth and kind (hinge, ball, free root) side by
** side in lanes. The order of nodes is fixed by the model, blocks are padded to eight, and sums
** into a parent are taken in that order, so that 2, 4 and 8 lanes give the same bits. Where all
** parents of a pack are themselves a pack in the same lanes, nothing is gathered or scattered.
**
** A chain of balls or of hinges cut into four or eight segments (chain.inc.h, hinges.inc.h), a lane
** each. */

struct dls_forest_packs;

/* A path: the same source compiled for one instruction set. */
typedef struct dls_pack_lanes {
  const char *name;      /* of the instruction set */
  int width;             /* nodes side by side */
  size_t constant_bytes; /* constants of a pack                              */
  size_t work_bytes;     /* state and sums of a pack                         */
  size_t link_bytes[2];  /* constants of a pack of a chain: balls, hinges    */
  size_t chain_bytes[2]; /* state of a pack of a chain                       */
  void (*fill)(struct dls_forest_packs *packs); /* constants of a model */
  /* udot from state's q, u, tau; false where a joint had no inertia */
  bool (*accelerate)(const struct dls_forest_packs *packs, dls_forest_state *state);
  bool (*chain[2])(const struct dls_forest_packs *packs, dls_forest_state *state);
} dls_pack_lanes;

typedef struct dls_pack_group {
  dls_node_kind kind; /* REVOLUTE, BALL or FREE */
  int first, n;       /* slots, n of them used; the next group starts at a multiple of 8 */
} dls_pack_group;

typedef struct dls_forest_packs {
  const dls_forest *forest; /* borrowed                                             */
  const dls_pack_lanes *lanes; /* kernels */
  int length;               /* links a segment of a chain; 0: level by level        */
  int segments;             /* of a chain                                           */
  bool hinges;              /* of a chain: hinges, not balls                        */
  int n_slots, n_groups;    /* places of nodes; packs of one level */
  int n_fours;              /* packs of four that hold a node                       */
  int *node;                /* n_slots: node of each slot, -1 padding               */
  int *slot;                /* n_nodes: slot of each node                           */
  int *parent;              /* n_slots: slot of its parent, -1 none                 */
  dls_pack_group *groups;   /* n_groups, parents first                              */
  signed char *aligned;     /* n_slots / width: 1 all parents one pack, 0 not, -1 roots */
  void *constants;          /* n_slots / width x constant_bytes                     */
  void *work;               /* n_slots / width x work_bytes                         */
  dls_arena arena;          /* holds it all                                         */
} dls_forest_packs;

/* Packs for the forest, or *out = NULL where it is neither a chain (of at least 12 balls or 24
** hinges) nor bushy enough (two nodes in eight slots), or has other kinds of joints. path: 0 plain,
** ..., -1 the widest. DLS_NOMEM. */
dls_status dls_forest_packs_create(dls_forest_packs **out, const dls_forest *forest, int path);
/* udot, whichever way. */
static inline bool dls_forest_packs_accelerate(const dls_forest_packs *packs,
                                               dls_forest_state *state) {
  return packs->length > 0 ? packs->lanes->chain[packs->hinges](packs, state)
                           : packs->lanes->accelerate(packs, state);
}
void dls_forest_packs_destroy(dls_forest_packs *packs); /* NULL is accepted */

#ifdef DLS_X86
extern const dls_pack_lanes dls_pack_lanes_avx2;
extern const dls_pack_lanes dls_pack_lanes_avx512;
extern const dls_pack_lanes dls_pack_lanes_avx512_four;
#endif
extern const dls_pack_lanes dls_pack_lanes_plain;

#endif
