/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/proximal.h"
#include "core/ladder/sweeps.h"
#include "core/rows/residual.h"
#include "core/sweeps/accelerate.h"

/* Islands that the last impulses nearly fit, as those at rest: one look, or a few Newton's steps
** from these impulses. Steps go below the aim, since a rest that is met just so drifts away from
** it: with impulses that led from velocities u_0 to u_1, the next step begins at 2 u_1 - u_0. So
** impulses that have stopped a drift are stale: the next step begins with as much of it as they
** took. Both are solved, and the rest that follows is at rest. To a rough tolerance a rest would be
** left again and again, so slow islands of faces go as far as FINE: 20 boxes on each other to 1e-3
** take 0.3 to 0.5 of the time of sweeps (REST 0.01 to 1, NEARLY_ROUGH 1 to 10, ROUGH_STEPS 12 to
** 30). */
/* residuals over the scale */
static const double NEARLY = 1e-5;
/* of the aim: what is left alone, what steps go for */
static const double CALM = 0.1, DEEP = 0.01;
/* the same over a rough tolerance */
static const double NEARLY_ROUGH = 10;
/* of the scale: speeds of what comes to rest, the aim then */
static const double REST = 0.1, FINE = 1e-6;
/* of the aim, of the residual: see is_stale */
static const double NOISE = 1e-3, STALE = 0.25;

/* Steps; blocks at most, beyond which a few sweeps in lanes cost less, but where faces share
** loads. */
enum { TINY_SWEEPS = 8 };
enum { REFINE_STEPS = 4, ROUGH_STEPS = 12, REFINE_PLANAR = 2500, REFINE_SPATIAL = 120 };

/* The largest velocity of the rows that press, before the step. */
static double speed_before(const dls_island *island) {
  const dls_rows *rows = island->rows;
  double most = 0;
  for (int k = 0; k < island->n; k++) {
    const dls_block *block = &rows->block[island->blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++)
      if (rows->p[i] != 0)
        most = dls_max(most, rows->length[i] *
                                 fabs(dls_row_speed(rows->nu, rows, block, i, rows->u_before)));
  }
  return most;
}

/* Whether two bodies of a tiny island meet by a face, at three points or more: these share loads,
** which sweeps shift from one to the other for long. */
static bool has_faces(const dls_island *island) {
  const dls_block *block = island->rows->block;
  for (int k = 0; k < island->n; k++) {
    const dls_block *one = &block[island->blocks[k]];
    int alike = 0;
    for (int j = 0; j < island->n; j++) {
      const dls_block *other = &block[island->blocks[j]];
      alike += other->a == one->a && other->b == one->b;
    }
    if (alike > 2) return true;
  }
  return false;
}

/* Whether most blocks are of faces (in the plane of edges, at two points). Those of two bodies
** stand side by side, but in tiny islands, which sweeps bring to a rough tolerance at once. */
static bool is_of_faces(const dls_island *island) {
  if (island->n < DLS_TINY_ISLAND) return false;
  const dls_block *block = island->rows->block;
  const int *blocks = island->blocks, points = island->rows->dim;
  int sum = 0;
  for (int k = 0, end; k < island->n; k = end) {
    for (end = k + 1; end < island->n; end++)
      if (block[blocks[end]].a != block[blocks[k]].a || block[blocks[end]].b != block[blocks[k]].b)
        break;
    if (end - k >= points) sum += end - k;
  }
  return 2 * sum >= island->n;
}

/* Whether most of this residual comes with the impulses, as the bodies were slower. */
static bool is_stale(const dls_island *island, double residual, double aim) {
  if (!island->rows->u_before) return false;
  return residual > NOISE * aim && speed_before(island) < STALE * residual;
}

/* Whether an island comes to rest. */
static bool is_slow(const dls_island *island) {
  return island->rows->u_before && speed_before(island) <= REST * island->scale;
}

static bool suits(const dls_island *island) {
  /* what runs out of work ends in sweeps; memory would grow in a late step */
  if (island->budget.bounded) return false;
  return island->method == DLS_SOLVE_AUTO && !island->needs_matrix && !island->special &&
         island->scale > 0 &&
         island->n <= (island->rows->dim == 2 ? REFINE_PLANAR : DLS_PROXIMAL_LARGE) &&
         (island->tolerance < DLS_ROUGH || (is_of_faces(island) && is_slow(island)));
}

static dls_status run(dls_island *island, bool *done) {
  *done = false;
  const bool rough = !(island->tolerance < DLS_ROUGH);
  const double nearly = rough ? NEARLY_ROUGH * island->tolerance : NEARLY;
  const double aim = rough ? dls_min(island->aim, FINE * island->scale) : island->aim;
  const double residual =
      dls_residual_within(island->rows, island->blocks, island->n, nearly * island->scale);
  if (!(residual < DLS_INF)) return DLS_OK;
  bool shares = true;
  const int few = island->rows->dim == 2 ? REFINE_PLANAR : REFINE_SPATIAL;
  const dls_status looked = rough ? DLS_OK : dls_shares_loads(island, few, &shares);
  if (looked != DLS_OK || !shares) return looked;
  *done = residual <= CALM * aim && !is_stale(island, residual, aim);
  if (*done) island->fits = residual;
  if (*done) return DLS_OK;
  if (island->n < DLS_TINY_ISLAND && !has_faces(island)) {
    int own = 0;
    const dls_status swept =
        dls_sweep_island(island->rows, island->blocks, island->n, DEEP * aim, TINY_SWEEPS,
                         INT32_MAX, false, true, island->tmp, &own, done);
    dls_budget_pay(&island->budget, own);
    if (swept != DLS_OK || *done) return swept;
  }
  double reached;
  const dls_status status =
      dls_proximal_points(island, DEEP * aim, aim, rough ? ROUGH_STEPS : REFINE_STEPS, &reached);
  *done = reached <= island->aim;
  return status;
}

const dls_rung dls_rung_refine = {suits, run};
