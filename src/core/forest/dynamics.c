/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/dynamics.h"

#include "core/forest/ldl.h"

size_t dls_forest_bytes(const dls_forest *forest, dls_forest_method method) {
  switch (method) {
    case DLS_FOREST_FAST: return 0;
    case DLS_FOREST_LDL:
    case DLS_FOREST_SWEEP: return dls_forest_ldl_bytes(forest);
    case DLS_FOREST_DENSE: return dls_forest_dense_bytes(forest);
  }
  return 0;
}

dls_status dls_forest_accelerate(const dls_forest *forest, dls_forest_state *state,
                                 dls_forest_method method, dls_arena *tmp, dls_fault *fault) {
  *fault = (dls_fault){-1, 0};
  dls_forest_place(forest, state);
  dls_forest_move(forest, state);
  switch (method) {
    case DLS_FOREST_FAST: return dls_forest_udot(forest, state, fault);
    case DLS_FOREST_LDL: return dls_forest_ldl(forest, state, false, tmp, fault);
    case DLS_FOREST_SWEEP: return dls_forest_ldl(forest, state, true, tmp, fault);
    case DLS_FOREST_DENSE: return dls_forest_dense(forest, state, tmp, fault);
  }
  return DLS_ARG;
}
