/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/conjugate_gradients.h"

#include "core/ladder/rung.h"
#include "core/rows/tree_rows.h"

/* A few rows are eliminated as fast. Turns that such a condition never takes. */
enum { SOFT_ROWS = 36, SOFT_TURNS = 60 };
/* Of the first residual, in the norm of the inverse of its diagonal, squared: round-off. */
static const double SOFT_LEFT = 1e-30;
/* Sweeps that a turn costs: it decides nothing. */
static const double SOFT_PRICE = 0.5;

bool dls_is_compliant_island(const dls_rows *rows, const int *blocks, int n) {
  int m = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (block->kind != DLS_ROW_BILATERAL || block->second > 0 || dls_touches_tree(rows, block))
      return false;
    for (int i = 0; i < block->n; i++)
      if (!(rows->gamma[block->row + i] >= rows->W[(size_t)((block->row + i) * rows->nb + i)]))
        return false;
    m += block->n;
  }
  return m > SOFT_ROWS;
}

/* y = (W + gamma) x over the rows of the blocks, number by number; u: scratch, zero before and
** after. */
DLS_WITH_NU void apply_to(int nu, const dls_rows *rows, const int *blocks, int n, const double *x,
                          double *u, double *y) {
  for (int k = 0, at = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++) {
      const double *MJ = rows->MJ + (size_t)i * 2 * (size_t)nu;
      dls_add_u(nu, u + (size_t)block->a * (size_t)nu, x[at], MJ);
      dls_add_u(nu, u + (size_t)block->b * (size_t)nu, x[at], MJ + nu);
    }
  }
  for (int k = 0, at = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++)
      y[at] =
          dls_row_velocity(nu, rows->J + (size_t)i * 2 * (size_t)nu,
                           u + (size_t)block->a * (size_t)nu, u + (size_t)block->b * (size_t)nu) +
          rows->gamma[i] * x[at];
  }
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    memset(u + (size_t)block->a * (size_t)nu, 0, (size_t)nu * sizeof *u);
    memset(u + (size_t)block->b * (size_t)nu, 0, (size_t)nu * sizeof *u);
  }
}

static void apply(const dls_rows *rows, const int *blocks, int n, const double *x, double *u,
                  double *y) {
  if (rows->nu == 3) apply_to(3, rows, blocks, n, x, u, y);
  else apply_to(6, rows, blocks, n, x, u, y);
}

static double dot(int m, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += x[i] * y[i];
  return sum;
}

dls_status dls_solve_compliant(dls_rows *rows, const int *blocks, int n, dls_budget *budget,
                               dls_arena *tmp, int *iterations, bool *converged) {
  const size_t mark = dls_arena_mark(tmp), m = (size_t)dls_count_rows(rows, blocks, n);
  double *room = DLS_TAKE(tmp, double, 6 * m + (size_t)(rows->n_bodies * rows->nu));
  if (!room) {
    rows->need = dls_bytes_add(
        tmp->size, (6 * m + (size_t)(rows->n_bodies * rows->nu)) * sizeof(double) + 4096);
    return DLS_FULL;
  }
  double *p = room, *r = p + m, *x = r + m, *y = x + m, *unit = y + m, *z = unit + m, *u = z + m;
  memset(u, 0, (size_t)(rows->n_bodies * rows->nu) * sizeof *u);
  for (int k = 0, at = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++) {
      unit[at] = 1 / (rows->W[(size_t)(i * rows->nb + i - block->row)] + rows->gamma[i]);
      r[at] = -(dls_row_speed(rows->nu, rows, block, i, rows->u_free) + rows->s[i]);
      p[at] = 0;
      x[at] = z[at] = unit[at] * r[at];
    }
  }
  double size = dot((int)m, r, z);
  const double enough = SOFT_LEFT * size;
  const int most =
      budget->bounded ? dls_budget_times(budget, 1, SOFT_PRICE, SOFT_TURNS) : SOFT_TURNS;
  int turn = 0;
  for (; turn < most && size > enough; turn++) {
    apply(rows, blocks, n, x, u, y);
    const double step = size / dot((int)m, x, y);
    for (size_t i = 0; i < m; i++) {
      p[i] += step * x[i];
      r[i] -= step * y[i];
      z[i] = unit[i] * r[i];
    }
    const double next = dot((int)m, r, z);
    for (size_t i = 0; i < m; i++) x[i] = z[i] + next / size * x[i];
    size = next;
  }
  dls_budget_pay(budget, SOFT_PRICE * turn);
  /* each turn is nearer, and nobody after it has any work left */
  *converged = size <= enough || most < SOFT_TURNS;
  dls_note_iterations(turn, iterations);
  for (int k = 0, at = 0; k < n && *converged; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++) rows->p[i] = p[at];
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

static bool suits(const dls_island *island) {
  return island->method == DLS_SOLVE_AUTO && !island->special &&
         dls_is_compliant_island(island->rows, island->blocks, island->n);
}

static dls_status run(dls_island *island, bool *done) {
  const dls_status status =
      dls_solve_compliant(island->rows, island->blocks, island->n, &island->budget, island->tmp,
                          &island->report->iterations, done);
  if (island->budget.ended) island->report->unconverged++;
  return status;
}

const dls_rung dls_rung_conjugate_gradients = {suits, run};
