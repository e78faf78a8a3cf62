/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/quad.h"

#ifdef DLS_X86

static bool suits(const dls_forest *forest) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const bool free_root = node->kind == DLS_NODE_FREE && node->parent < 0;
    if (node->kind != DLS_NODE_REVOLUTE && node->kind != DLS_NODE_BALL && !free_root)
      return false;
  }
  return forest->n_nodes > 0 && dls_isa() >= DLS_ISA_AVX2;
}

/* The nodes of one kind, or only how many; padded to four. */
static int list_kind(const dls_forest *forest, dls_node_kind kind, int *list) {
  int n = 0, last = 0;
  for (int i = 0; i < forest->n_nodes; i++) {
    if (forest->nodes[i].kind != kind) continue;
    if (list != NULL) list[n] = i;
    last = i;
    n++;
  }
  for (; n % 4 != 0; n++)
    if (list != NULL) list[n] = last;
  return n;
}

static dls_status build(dls_forest_quad *quad, const dls_forest *forest) {
  const size_t n = (size_t)forest->n_nodes;
  size_t bytes = dls_arena_bytes((size_t)quad->n_hinges, sizeof(int));
  bytes = dls_bytes_add(bytes, dls_arena_bytes((size_t)quad->n_balls, sizeof(int)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, dls_quad_constant_bytes));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, dls_quad_work_bytes));
  const dls_status status = dls_arena_create(&quad->arena, &forest->alloc, bytes);
  if (status != DLS_OK) return status;
  quad->hinge = DLS_TAKE(&quad->arena, int, quad->n_hinges);
  quad->ball = DLS_TAKE(&quad->arena, int, quad->n_balls);
  quad->constants = dls_arena_take(&quad->arena, n, dls_quad_constant_bytes);
  quad->work = dls_arena_take(&quad->arena, n, dls_quad_work_bytes);
  if (quad->work == NULL) return DLS_NOMEM;
  list_kind(forest, DLS_NODE_REVOLUTE, quad->hinge);
  list_kind(forest, DLS_NODE_BALL, quad->ball);
  dls_quad_fill(quad);
  return DLS_OK;
}

dls_status dls_forest_quad_create(dls_forest_quad **out, const dls_forest *forest) {
  *out = NULL;
  if (!suits(forest)) return DLS_OK;
  dls_forest_quad *quad = dls_new(&forest->alloc, 1, sizeof *quad);
  if (quad == NULL) return DLS_NOMEM;
  quad->forest = forest;
  quad->n_hinges = list_kind(forest, DLS_NODE_REVOLUTE, NULL);
  quad->n_balls = list_kind(forest, DLS_NODE_BALL, NULL);
  const dls_status status = build(quad, forest);
  if (status == DLS_OK)
    *out = quad;
  else
    dls_forest_quad_destroy(quad);
  return status;
}

bool dls_forest_quad_accelerate(const dls_forest_quad *quad, dls_forest_state *state) {
  return dls_quad_accelerate(quad, state);
}

#else

dls_status dls_forest_quad_create(dls_forest_quad **out, const dls_forest *forest) {
  (void)forest;
  *out = NULL;
  return DLS_OK;
}
bool dls_forest_quad_accelerate(const dls_forest_quad *quad, dls_forest_state *state) {
  (void)quad, (void)state;
  return false;
}

#endif

void dls_forest_quad_destroy(dls_forest_quad *quad) {
  if (quad == NULL) return;
  const dls_alloc alloc = quad->forest->alloc;
  if (quad->arena.block != NULL) dls_arena_destroy(&quad->arena, &alloc);
  dls_free(&alloc, quad, 1, sizeof *quad);
}
