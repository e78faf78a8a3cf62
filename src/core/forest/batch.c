/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/batch.h"

#include "core/forest/kinematics.h"
#include "core/forest/wide.h"

static const dls_forest_lanes *const by_isa[DLS_ISA_COUNT] =
    DLS_BY_ISA(dls_forest_lanes_plain, dls_forest_lanes_avx2, dls_forest_lanes_avx512);

const dls_forest_lanes *dls_forest_lanes_at(int i) {
  return i >= 0 && i <= dls_isa() ? by_isa[i] : NULL;
}

static const dls_forest_lanes *choose(int path) {
  return dls_forest_lanes_at(path < 0 ? dls_isa() : path);
}

/* Fills batch->sums; idle: n_nodes numbers to work with. */
static void plan_sums(const dls_forest_batch *batch, int *idle) {
  const dls_node *nodes = batch->forest->nodes;
  dls_batch_sum *sums = batch->sums;
  const int n = batch->forest->n_nodes;
  int n_slots = 0, n_idle = 0;
  for (int i = 0; i < n; i++) sums[i] = (dls_batch_sum){-1, false, false};
  for (int i = n - 1; i >= 0; i--) {
    const int up = nodes[i].up;
    sums[i].leaf = sums[i].slot < 0;
    if (sums[i].leaf) sums[i].slot = n_idle > 0 ? idle[--n_idle] : n_slots++;
    if (up >= 0 && sums[up].slot < 0) {
      sums[i].first = true;
      sums[up].slot = n_idle > 0 ? idle[--n_idle] : n_slots++;
    }
    idle[n_idle++] = sums[i].slot;
  }
}

dls_status dls_forest_batch_create(dls_forest_batch *batch, const dls_forest *forest, int n,
                                   int path) {
  *batch = (dls_forest_batch){.forest = forest, .n = n};
  const dls_forest_lanes *lanes = choose(path);
  if (n < 1 || lanes == NULL) return DLS_ARG;
  const int width = lanes->width, n_blocks = n / width + (n % width != 0);
  const size_t all = (size_t)n_blocks * (size_t)width;
  const size_t nq = (size_t)forest->nq, nu = (size_t)forest->nu;
  size_t bytes = dls_arena_bytes(dls_bytes(all, nq), sizeof(double));
  bytes = dls_bytes_add(bytes, bytes);
  for (int i = 0; i < 4; i++)
    bytes = dls_bytes_add(bytes, dls_arena_bytes(dls_bytes(all, nu), sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes((size_t)forest->n_drives, sizeof(dls_drive)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes((size_t)forest->n_given, sizeof(dls_given)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(nq, sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes((size_t)forest->n_nodes, sizeof(dls_batch_sum)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes((size_t)forest->n_nodes, lanes->node_bytes));
  if (bytes > SIZE_MAX / 2) return DLS_TOOBIG;
  const dls_status status = dls_arena_create(&batch->arena, &forest->alloc, bytes);
  if (status != DLS_OK) return status;
  dls_arena *arena = &batch->arena;
  batch->width = width;
  batch->n_blocks = n_blocks;
  batch->lanes = lanes;
  batch->q = DLS_TAKE(arena, double, all *nq);
  batch->q_before = DLS_TAKE(arena, double, all *nq);
  batch->u = DLS_TAKE(arena, double, all *nu);
  batch->u_before = DLS_TAKE(arena, double, all *nu);
  batch->tau = DLS_TAKE(arena, double, all *nu);
  batch->udot = DLS_TAKE(arena, double, all *nu);
  batch->sums = DLS_TAKE(arena, dls_batch_sum, forest->n_nodes);
  batch->drives = DLS_TAKE(arena, dls_drive, forest->n_drives);
  batch->given = DLS_TAKE(arena, dls_given, forest->n_given);
  batch->scratch = DLS_TAKE(arena, double, nq);
  memset(batch->u, 0, all * nu * sizeof(double));
  memset(batch->tau, 0, all * nu * sizeof(double));
  memset(batch->udot, 0, all * nu * sizeof(double));
  memset(batch->drives, 0, (size_t)forest->n_drives * sizeof(dls_drive));
  memset(batch->given, 0, (size_t)forest->n_given * sizeof(dls_given));
  for (int i = 0; i < forest->n_given; i++) batch->given[i].q[0] = 1;
  const size_t mark = dls_arena_mark(arena);
  plan_sums(batch, DLS_TAKE(arena, int, forest->n_nodes)); /* where the nodes' work will lie */
  dls_arena_release(arena, mark);
  dls_forest_rest(forest, batch->scratch);
  for (int k = 0; k < n; k++)
    dls_forest_batch_set(batch, batch->q, forest->nq, k, batch->scratch);
  return DLS_OK;
}

void dls_forest_batch_destroy(dls_forest_batch *batch) {
  if (batch->arena.block != NULL) dls_arena_destroy(&batch->arena, &batch->forest->alloc);
  *batch = (dls_forest_batch){0};
}

static size_t place_of(const dls_forest_batch *batch, int size, int k) {
  const size_t width = (size_t)batch->width;
  return ((size_t)k / width) * (size_t)size * width + (size_t)k % width;
}

void dls_forest_batch_set(dls_forest_batch *batch, double *x, int size, int k,
                          const double *from) {
  /* the last state also fills the lanes behind it, so that they hold numbers */
  const int last = k == batch->n - 1 ? batch->n_blocks * batch->width : k + 1;
  for (int lane = k; lane < last; lane++) {
    double *to = x + place_of(batch, size, lane);
    for (int i = 0; i < size; i++) to[(size_t)i * (size_t)batch->width] = from[i];
  }
}

void dls_forest_batch_get(const dls_forest_batch *batch, const double *x, int size, int k,
                          double *to) {
  const double *from = x + place_of(batch, size, k);
  for (int i = 0; i < size; i++) to[i] = from[(size_t)i * (size_t)batch->width];
}

dls_status dls_forest_batch_accelerate(dls_forest_batch *batch, dls_fault *fault) {
  dls_arena *arena = &batch->arena;
  const size_t mark = dls_arena_mark(arena);
  void *work = dls_arena_take(arena, (size_t)batch->forest->n_nodes, batch->lanes->node_bytes);
  dls_status status = work != NULL ? DLS_OK : DLS_FULL;
  const int bad = work != NULL ? batch->lanes->accelerate(batch, work) : -1;
  if (bad >= 0) {
    *fault = (dls_fault){bad * batch->width, 0};
    status = DLS_SINGULAR;
  }
  dls_arena_release(arena, mark);
  return status;
}

/* q (+) h u of every state. */
static void advance(dls_forest_batch *batch, double h) {
  const dls_forest *forest = batch->forest;
  const size_t width = (size_t)batch->width;
  const size_t nq = (size_t)forest->nq * width, nu = (size_t)forest->nu * width;
  for (size_t b = 0; b < (size_t)batch->n_blocks; b++)
    dls_forest_advance_lanes(forest, batch->q + b * nq, h, batch->u + b * nu, batch->width);
}

/* u_before + h udot of every state. */
static void push(dls_forest_batch *batch, double h) {
  const size_t width = (size_t)batch->width, blocks = (size_t)batch->n_blocks;
  const size_t n = blocks * width * (size_t)batch->forest->nu;
  for (size_t i = 0; i < n; i++) batch->u[i] = batch->u_before[i] + h * batch->udot[i];
}

dls_status dls_forest_batch_step(dls_forest_batch *batch, double h, dls_fault *fault) {
  const size_t all = (size_t)batch->n_blocks * (size_t)batch->width * sizeof(double);
  const size_t of_q = all * (size_t)batch->forest->nq, of_u = all * (size_t)batch->forest->nu;
  memcpy(batch->q_before, batch->q, of_q);
  memcpy(batch->u_before, batch->u, of_u);
  advance(batch, h / 2);
  dls_status status = dls_forest_batch_accelerate(batch, fault);
  if (status == DLS_OK) {
    push(batch, h / 2);
    status = dls_forest_batch_accelerate(batch, fault);
  }
  if (status != DLS_OK) {
    memcpy(batch->q, batch->q_before, of_q);
    memcpy(batch->u, batch->u_before, of_u);
    return status;
  }
  push(batch, h);
  advance(batch, h / 2);
  return DLS_OK;
}
