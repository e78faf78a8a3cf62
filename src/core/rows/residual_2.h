/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_RESIDUAL_2_H
#define DLS_ROWS_RESIDUAL_2_H

#include "core/rows/mass.h"

/* Residuals of planar contacts, whose set is a wedge, written out. */

/* Whether a planar block is such a contact. */
static inline bool dls_is_wedge(const dls_rows *rows, const dls_block *block) {
  const double *length = rows->length + block->row;
  return block->kind == DLS_ROW_CONE && length[0] == 1 && length[1] == 1;
}

/* r of one, m/s; v: velocities of its two rows. */
double dls_residual_wedge(const dls_rows *rows, const dls_block *block, const double *v);

/* r of a lean block (lean.h) at the u at hand, m/s. */
double dls_residual_lean(const dls_rows *rows, const dls_block *block);

/* The largest r of a run of lean blocks at the u at hand, m/s; fills their v. */
double dls_residual_lean_run(dls_rows *rows, int run);

/* max |J u_free| of a run. */
double dls_scale_lean_run(const dls_rows *rows, int run);

#endif
