/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/state.h"

#include "core/forest/pack.h"
#include "core/forest/quad.h"

void dls_forest_rest(const dls_forest *forest, double *q) {
  for (int i = 0; i < forest->nq; i++) q[i] = 0;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    if (node->kind == DLS_NODE_BALL) q[node->iq] = 1;
    if (node->kind == DLS_NODE_FREE) q[node->iq + 3] = 1;
  }
}

dls_status dls_forest_state_create(dls_forest_state **out, const dls_forest *forest) {
  const dls_alloc *alloc = &forest->alloc;
  dls_forest_state *state = dls_new(alloc, 1, sizeof *state);
  if (state == NULL) return DLS_NOMEM;
  const size_t n_nodes = (size_t)forest->n_nodes, nq = (size_t)forest->nq,
               nu = (size_t)forest->nu;
  state->q = dls_new(alloc, nq, sizeof(double));
  state->u = dls_new(alloc, nu, sizeof(double));
  state->tau = dls_new(alloc, nu, sizeof(double));
  state->udot = dls_new(alloc, nu, sizeof(double));
  state->wrench = dls_new(alloc, 6 * (size_t)forest->n_links, sizeof(double));
  state->drives = dls_new(alloc, (size_t)forest->n_drives, sizeof(dls_drive));
  state->given = dls_new(alloc, (size_t)forest->n_given, sizeof(dls_given));
  state->node = dls_new(alloc, n_nodes, sizeof(dls_node_state));
  state->scratch = dls_new(alloc, DLS_NODE_SCRATCH * n_nodes, sizeof(double));
  if (state->q == NULL || state->u == NULL || state->tau == NULL || state->udot == NULL ||
      state->wrench == NULL || state->drives == NULL || state->given == NULL ||
      state->node == NULL || state->scratch == NULL) {
    dls_forest_state_destroy(state, forest);
    return DLS_NOMEM;
  }
  dls_forest_rest(forest, state->q);
  for (int i = 0; i < forest->n_given; i++) state->given[i].q[0] = 1;
  state->loaded = true;
  *out = state;
  return DLS_OK;
}

void dls_forest_state_destroy(dls_forest_state *state, const dls_forest *forest) {
  if (state == NULL) return;
  const dls_alloc *alloc = &forest->alloc;
  const size_t n_nodes = (size_t)forest->n_nodes, nq = (size_t)forest->nq,
               nu = (size_t)forest->nu;
  dls_free(alloc, state->q, nq, sizeof(double));
  dls_free(alloc, state->u, nu, sizeof(double));
  dls_free(alloc, state->tau, nu, sizeof(double));
  dls_free(alloc, state->udot, nu, sizeof(double));
  dls_free(alloc, state->wrench, 6 * (size_t)forest->n_links, sizeof(double));
  dls_free(alloc, state->drives, (size_t)forest->n_drives, sizeof(dls_drive));
  dls_free(alloc, state->given, (size_t)forest->n_given, sizeof(dls_given));
  dls_free(alloc, state->node, n_nodes, sizeof(dls_node_state));
  dls_free(alloc, state->scratch, DLS_NODE_SCRATCH * n_nodes, sizeof(double));
  dls_forest_packs_destroy(state->packs);
  dls_forest_quad_destroy(state->quad);
  dls_free(alloc, state, 1, sizeof *state);
}
