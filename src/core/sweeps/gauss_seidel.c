/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/gauss_seidel.h"

#include "core/rows/coulomb.h"

DLS_WITH_NU double sweep_block(int nu, int nb, dls_rows *rows, const dls_block *block) {
  double *u_a = rows->u + (size_t)block->a * (size_t)nu,
         *u_b = rows->u + (size_t)block->b * (size_t)nu;
  const double *J = rows->J + (size_t)block->row * 2 * (size_t)nu;
  const double *MJ = rows->MJ + (size_t)block->row * 2 * (size_t)nu;
  const double *gamma = rows->gamma + block->row, *s = rows->s + block->row;
  double *p = rows->p + block->row, now[DLS_MOST_ROWS] = {0}, v[DLS_MOST_ROWS] = {0}, most = 0;
  for (int i = 0; i < block->n; i++) {
    now[i] = p[i];
    v[i] = dls_row_velocity(nu, J + i * 2 * nu, u_a, u_b) + s[i] + gamma[i] * p[i];
  }
  dls_visit_block(nb, block, rows->W + (size_t)block->row * (size_t)nb, gamma, now, v);
  for (int i = 0; i < block->n; i++) {
    double change = now[i] - p[i];
    if (change == 0) continue;
    p[i] = now[i];
    most = dls_max(most, fabs(change) * rows->W[(size_t)((block->row + i) * nb + i)] *
                             rows->length[block->row + i]);
    dls_add_u(nu, u_a, change, MJ + i * 2 * nu);
    dls_add_u(nu, u_b, change, MJ + i * 2 * nu + nu);
  }
  return most;
}

double dls_sweep_block(dls_rows *rows, const dls_block *block) {
  return rows->nu == 3 ? sweep_block(3, 3, rows, block) : sweep_block(6, 6, rows, block);
}

dls_status dls_sweep_to_and_fro(dls_rows *rows, const int *blocks, int n, int count,
                                dls_arena *tmp) {
  if (rows->dim == 2) return dls_sweep_to_and_fro_2(rows, blocks, n, count, tmp);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < n; k++)
      (void)sweep_block(6, 6, rows, &rows->block[blocks[(i & 1) != 0 ? n - 1 - k : k]]);
  return DLS_OK;
}
