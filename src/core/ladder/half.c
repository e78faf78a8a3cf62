/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/rung.h"

#include "core/sweeps/gauss_seidel.h"
#include "core/rows/residual.h"

/* Normal impulses with friction held, then friction with its bounds held (Panagiotopoulos); one
** projected Gauss-Seidel sweep each. Blocks without friction are visited as ever. */
DLS_WITH_NU void half_visit(int nu, int nb, dls_rows *rows, const dls_block *block, bool friction) {
  double *u_a = rows->u + (size_t)block->a * (size_t)nu,
         *u_b = rows->u + (size_t)block->b * (size_t)nu;
  bool cone = block->kind == DLS_ROW_CONE || block->kind == DLS_ROW_ROLLING;
  if (!cone) {
    if (!friction) (void)dls_sweep_block(rows, block);
    return;
  }
  const int parts_2[] = {1, 1}, parts_3[] = {2, 1, 2};
  const int *parts = nu == 3 ? parts_2 : parts_3;
  double *p = rows->p + block->row, bound = p[0];
  for (int i = friction ? 1 : 0, g = 0; i < (friction ? block->n : 1); g++) {
    int n = friction ? parts[g] : 1;
    double now[2], w = 0, length = 0;
    for (int k = 0; k < n; k++)
      w = dls_max(w, rows->W[(size_t)((block->row + i + k) * nb + i + k)] +
                         rows->gamma[block->row + i + k]);
    for (int k = 0; k < n && w > 0; k++) {
      int row = block->row + i + k;
      double v = dls_row_velocity(nu, rows->J + (size_t)row * 2 * (size_t)nu, u_a, u_b) +
                 rows->s[row] + rows->gamma[row] * p[i + k];
      now[k] = p[i + k] - v / w;
      length += now[k] * now[k];
    }
    length = sqrt(length);
    double most = friction ? block->mu[g] * bound : 0;
    for (int k = 0; k < n && w > 0; k++) {
      if (!friction) now[k] = dls_max(now[k], 0);
      else if (length > most) now[k] *= most / length;
      const double *MJ = rows->MJ + (size_t)(block->row + i + k) * 2 * (size_t)nu;
      dls_add_u(nu, u_a, now[k] - p[i + k], MJ);
      dls_add_u(nu, u_b, now[k] - p[i + k], MJ + nu);
      p[i + k] = now[k];
    }
    i += n;
  }
}

static void half_sweep(dls_rows *rows, const int *blocks, int n, bool friction) {
  for (int k = 0; k < n; k++) {
    if (rows->nu == 3) half_visit(3, 3, rows, &rows->block[blocks[k]], friction);
    else half_visit(6, 6, rows, &rows->block[blocks[k]], friction);
  }
}

static bool half_sweeps(dls_rows *rows, const int *blocks, int n, double limit,
                        dls_budget *budget, int *iterations) {
  const int max_iterations = dls_budget_times(budget, 1, 1, INT32_MAX);
  for (int done = 0;; done++) {
    bool converged = dls_rows_residual_of(rows, blocks, n) <= limit;
    if (done > *iterations) *iterations = done;
    if (done > 0) dls_budget_pay(budget, 1);
    if (converged || done >= max_iterations || dls_given_up(rows, n, 10)) return converged;
    half_sweep(rows, blocks, n, false);
    half_sweep(rows, blocks, n, true);
  }
}

static bool suits(const dls_island *island) {
  return island->method == DLS_SOLVE_PGS && !island->needs_matrix;
}

static dls_status run(dls_island *island, bool *done) {
  const double limit = island->tolerance * island->scale;
  if (!half_sweeps(island->rows, island->blocks, island->n, limit, &island->budget,
                   &island->report->iterations))
    island->report->unconverged++;
  *done = true;
  return DLS_OK;
}

const dls_rung dls_rung_half = {suits, run};
