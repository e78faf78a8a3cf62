/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_BATCH_H
#define DLS_FOREST_BATCH_H

#include "core/base/arena.h"
#include "core/forest/state.h"

/* Where the sums of a node lie on the way up. A place is used again once its node has passed up, so
** that those in use stay in the first-level cache: a chain needs two. */
typedef struct dls_batch_sum {
  int slot;   /* number of the place                  */
  bool first; /* the first of its siblings to pass up */
  bool leaf;  /* nothing is passed up to it           */
} dls_batch_sum;

/* Many states of one model at once: the structured sweep on as many lanes as the processor has
** (fast.inc.h compiled for 2, 4 and 8 doubles), each lane with the bits of a single state. Drives,
** given links and gravity are shared; there are no wrenches on links.
**
** States lie in blocks of `width`: number i of state k is at x[((k / width) n_x + i) width + k mod
** width]; use the functions below. */
typedef struct dls_forest_batch {
  const dls_forest *forest; /* borrowed                                        */
  int n;                    /* states                                          */
  int width, n_blocks;      /* lanes; ceil(n / width)                          */
  double *q, *u, *tau;      /* inputs: n_blocks x (nq, nu, nu) x width         */
  double *udot;             /* n_blocks x nu x width: the result               */
  double *q_before, *u_before; /* n_blocks x (nq, nu) x width: before the step */
  dls_batch_sum *sums;      /* forest->n_nodes                                 */
  dls_drive *drives;        /* forest->n_drives                                */
  dls_given *given;         /* forest->n_given                                 */
  double gravity[3];        /* m/s^2                                           */
  const struct dls_forest_lanes *lanes; /* the path                            */
  double *scratch;          /* nq                                              */
  dls_arena arena;          /* holds it all                                    */
} dls_forest_batch;

/* A path: the same source compiled for one instruction set. */
typedef struct dls_forest_lanes {
  const char *name;   /* "plain", "avx2", "avx512"                                    */
  int width;          /* doubles a register                                           */
  size_t node_bytes;  /* work a node                                                  */
  /* udot of all states; -1, or the first block with a joint without inertia.
  ** work: n_nodes x node_bytes */
  int (*accelerate)(const dls_forest_batch *batch, void *work);
} dls_forest_lanes;

/* path 0 is the plain one, the next wider; NULL past the last this processor has. */
const dls_forest_lanes *dls_forest_lanes_at(int path);

/* n >= 1 states, all at the zero pose; path: as above, -1 the widest. DLS_NOMEM, DLS_TOOBIG,
** DLS_ARG; *batch is then empty and destroy accepts it. */
dls_status dls_forest_batch_create(dls_forest_batch *batch, const dls_forest *forest, int n,
                                   int path);
void dls_forest_batch_destroy(dls_forest_batch *batch);

/* One state in and out: x is batch->q (size nq) or u, tau, udot (size nu). */
void dls_forest_batch_set(dls_forest_batch *batch, double *x, int size, int k, const double *from);
void dls_forest_batch_get(const dls_forest_batch *batch, const double *x, int size, int k,
                          double *to);

/* udot of all states. DLS_SINGULAR: fault->index is a state whose block has a joint without inertia
** (which joint: dls_forest_udot on that state). */
dls_status dls_forest_batch_accelerate(dls_forest_batch *batch, dls_fault *fault);

/* One step of the midpoint rule, of second order: q_c = q (+) h/2 u, u_c = u + h/2 udot(q_c, u),
** u' = u + h udot(q_c, u_c), q' = q_c (+) h/2 u'. tau is that of the whole step. On failure the
** states are as before. DLS_SINGULAR: as of dls_forest_batch_accelerate. */
dls_status dls_forest_batch_step(dls_forest_batch *batch, double h, dls_fault *fault);

#endif
