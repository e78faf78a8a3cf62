/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACT_MATRIX_H
#define DLS_SCHEME_IMPACT_MATRIX_H

#include "core/cone/points.h"
#include "core/scheme/impact_expand.h"

/* A phase of Poisson's law on one island as a dense problem of its rows, in the order of the
** island's blocks. Rows of what is set aside, or moves nothing, have x = 0. */

/* From the arena, at the impulses and velocities at hand. DLS_FULL: rows.need is set. */
dls_status dls_impact_matrix_take(dls_points *N, const dls_expansion *of);

/* Impulses x of the island: rows.p and u follow. */
void dls_impact_matrix_apply(const dls_points *N, const dls_expansion *of, const double *x);

#endif
