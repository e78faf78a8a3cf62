/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/coupling.h"

DLS_WITH_NU double coupling(int nu, const dls_rows *rows, const dls_block *x, int i,
                            const dls_block *y, int j) {
  dls_arm a[4], b[4];
  const int n_a = dls_arms_of(nu, rows, x, i, a), n_b = dls_arms_of(nu, rows, y, j, b);
  double sum = 0;
  for (int k = 0; k < n_a; k++)
    for (int l = 0; l < n_b; l++)
      if (a[k].body == b[l].body) sum += dls_dot_u(nu, a[k].J, b[l].MJ);
  return sum;
}

double dls_coupling(const dls_rows *rows, const dls_block *x, int i, const dls_block *y, int j) {
  return rows->nu == 3 ? coupling(3, rows, x, i, y, j) : coupling(6, rows, x, i, y, j);
}
