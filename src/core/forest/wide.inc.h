/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of batch.h: the including file defines LANES, WIDE_NAME and WIDE_TABLE. */
typedef double real __attribute__((vector_size(8 * LANES)));
typedef double creal;
typedef long long mask __attribute__((vector_size(8 * LANES)));
typedef struct lane_state {
  real E[9], r[3], v[3], c[3], zeta[3], f[24], y[6], w[6]; /* as in dls_node_state */
} lane_state;
#include "core/forest/lanes.inc.h"

#include "core/forest/fast.inc.h"

static bool accelerate(const dls_forest_batch *batch, int block, void *work) {
  const dls_forest *forest = batch->forest;
  const size_t width = LANES, b = (size_t)block;
  const size_t nq = (size_t)forest->nq * width, nu = (size_t)forest->nu * width;
  lane_state *node = (lane_state *)work;
  const lane_run run = {.forest = forest,
                        .node = node,
                        .sum = (sums *)(void *)(node + forest->n_nodes),
                        .q = (const real *)(const void *)(batch->q + b * nq),
                        .u = (const real *)(const void *)(batch->u + b * nu),
                        .tau = (const real *)(const void *)(batch->tau + b * nu),
                        .udot = (real *)(void *)(batch->udot + b * nu),
                        .drives = batch->drives,
                        .given = batch->given,
                        .gravity = batch->gravity};
  lanes_forward(&run);
  if (lanes_up(&run) >= 0) return false;
  lanes_down(&run);
  return true;
}

const dls_forest_lanes WIDE_TABLE = {WIDE_NAME, LANES, sizeof(lane_state) + sizeof(sums),
                                     accelerate};
