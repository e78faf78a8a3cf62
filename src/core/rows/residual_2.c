/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/residual_2.h"

double dls_residual_wedge(const dls_rows *rows, const dls_block *block, const double *v) {
  const int i = block->row;
  const double *W = rows->W + (size_t)i * 3, p_n = rows->p[i], p_t = rows->p[i + 1];
  const double w = W[0] * W[0] + W[1] * W[1] + W[3] * W[3] + W[4] * W[4];
  return sqrt(dls_wedge_error(w > 0 ? sqrt(w) : 1, block->mu[0], p_n, p_t,
                              v[0] + rows->s[i] + rows->gamma[i] * p_n,
                              v[1] + rows->s[i + 1] + rows->gamma[i + 1] * p_t));
}
