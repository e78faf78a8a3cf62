/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_RESIDUAL_2_H
#define DLS_ROWS_RESIDUAL_2_H

#include "core/rows/mass.h"

/* Residuals of planar contacts, whose set is a wedge, written out. */

/* r^2 of a planar contact, whose set is a wedge, written out; norm: |W|. Contacts stick, slide and
** open as they come, so both answers are made and one is taken, without a branch. */
static inline __attribute__((always_inline)) double
dls_wedge_error(double norm, double mu, double p_n, double p_t, double v_n, double y_t) {
  const double y_n = v_n + mu * fabs(y_t);
  const double x_n = norm * p_n - y_n, x_t = norm * p_t - y_t, size = fabs(x_t);
  const double side = (x_n + mu * size) / (1 + mu * mu); /* outside: the apex, or a side */
  const double z_n = dls_choose(side > 0, side, 0), z_t = copysign(mu * z_n, x_t);
  const bool outside = (x_n < 0) | (size > mu * x_n);
  const double d_n = dls_choose(outside, norm * p_n - z_n, y_n);
  const double d_t = dls_choose(outside, norm * p_t - z_t, y_t);
  return d_n * d_n + d_t * d_t;
}

/* Whether a planar block is such a contact. */
static inline bool dls_is_wedge(const dls_rows *rows, const dls_block *block) {
  const double *length = rows->length + block->row;
  return block->kind == DLS_ROW_CONE && length[0] == 1 && length[1] == 1;
}

/* r of one, m/s; v: velocities of its two rows. */
double dls_residual_wedge(const dls_rows *rows, const dls_block *block, const double *v);

#endif
