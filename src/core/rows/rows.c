/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/rows.h"

#include "core/base/dim.h"

/* Every array once: name, element, how many. */
#define ARRAYS(X, d, bodies, blocks, rows)           \
  X(block, dls_block, (blocks))                      \
  X(compact_run, int, ((d) == 2 ? 2 * (blocks) : 0)) \
  X(J, double, (rows) * 2 * DLS_NU(d))               \
  X(MJ, double, (rows) * 2 * DLS_NU(d))              \
  X(W, double, (rows) * DLS_NB(d))                   \
  X(s, double, (rows))                               \
  X(gamma, double, (rows))                           \
  X(length, double, (rows))                          \
  X(p, double, (rows))                               \
  X(v, double, (rows))                               \
  X(inv_mass, double, (bodies))                      \
  X(inv_inertia, double, (bodies) * ((d) == 2 ? 1 : 9)) \
  X(u, double, (bodies) * DLS_NU(d))                 \
  X(u_free, double, (bodies) * DLS_NU(d))            \
  X(body_island, int, (bodies))                      \
  X(island_start, int, (blocks) + 1)                 \
  X(island_block, int, (blocks))                      \
  X(block_island, int, (blocks))

size_t dls_rows_bytes(int dim, int bodies, int blocks, int n_rows) {
  size_t total = 0, n_b = (size_t)bodies, n_k = (size_t)blocks, n_r = (size_t)n_rows;
#define ADD(name, type, n) total = dls_bytes_add(total, dls_arena_bytes((size_t)(n), sizeof(type)));
  ARRAYS(ADD, dim, n_b, n_k, n_r)
#undef ADD
  return total;
}

dls_status dls_rows_take(dls_rows *rows, dls_arena *tmp, int dim, int bodies, int blocks,
                         int n_rows) {
  size_t mark = dls_arena_mark(tmp);
  bool full = false;
  *rows = (dls_rows){.dim = dim,
                     .nu = DLS_NU(dim),
                     .nb = DLS_NB(dim),
                     .n_bodies = bodies};
#define TAKE(name, type, n) full = (rows->name = DLS_TAKE(tmp, type, n)) == NULL || full;
  ARRAYS(TAKE, dim, bodies, blocks, n_rows)
#undef TAKE
  if (full) dls_arena_release(tmp, mark);
  return full ? DLS_FULL : DLS_OK;
}
