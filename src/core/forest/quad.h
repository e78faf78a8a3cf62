/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_QUAD_H
#define DLS_FOREST_QUAD_H

#include "core/base/isa.h"
#include "core/base/arena.h"
#include "core/forest/state.h"

/* One state of one forest, node after node, the three coordinates of a vector side by side in a
** register of four doubles: the structured sweep of fast.inc.h for forests of hinges, balls and
** free roots of any shape and size. Every number is got by the operations of the plain path in
** their order, so that it has that path's bits; it takes under half of its instructions. */

typedef struct dls_forest_quad {
  const dls_forest *forest; /* borrowed                                             */
  int n_hinges, n_balls;    /* padded to four by repeating the last                 */
  int *hinge, *ball;        /* n_hinges, n_balls: their nodes                       */
  void *constants, *work;   /* of each node                                         */
  dls_arena arena;          /* holds it all                                         */
} dls_forest_quad;

/* *out = NULL where the forest has other joints or the processor no such registers. DLS_NOMEM. */
dls_status dls_forest_quad_create(dls_forest_quad **out, const dls_forest *forest);
void dls_forest_quad_destroy(dls_forest_quad *quad); /* NULL is accepted */

/* udot from state's q, u, tau and gravity; false where a joint had no inertia. */
bool dls_forest_quad_accelerate(const dls_forest_quad *quad, dls_forest_state *state);

#ifdef DLS_X86
/* quad_avx2.c */
extern const size_t dls_quad_constant_bytes, dls_quad_work_bytes;
void dls_quad_fill(const dls_forest_quad *quad);
bool dls_quad_accelerate(const dls_forest_quad *quad, dls_forest_state *state);
#endif

#endif
