/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_LDL_H
#define DLS_FOREST_LDL_H

#include "core/forest/dynamics.h"

/* The published forms, behind dls_forest_accelerate; after place and move. They fill udot, w, R.
** DLS_SINGULAR with the link in fault->index, DLS_FULL. */

/* Block L' D L (sweep = false) or Vereshchagin's sweep (true). */
dls_status dls_forest_ldl(const dls_forest *forest, dls_forest_state *state, bool sweep,
                          dls_arena *tmp, dls_fault *fault);
size_t dls_forest_ldl_bytes(const dls_forest *forest);

/* The full symmetric system (5) in (udot, R, w) of all nodes by LU with partial pivoting: cubic in
** the number of nodes; gravity is a force here, as in the paper. */
dls_status dls_forest_dense(const dls_forest *forest, dls_forest_state *state, dls_arena *tmp,
                            dls_fault *fault);
size_t dls_forest_dense_bytes(const dls_forest *forest);

#endif
