/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/sort.h"
#include "core/cone/newton.h"
#include "core/math/cone.h"
#include "core/math/sparse_order.h"
#include "core/rows/lanes3.h"
#include "core/rows/conjugate_gradients.h"
#include "core/rows/elimination.h"
#include "core/rows/gauss_seidel.h"
#include "core/rows/impulses.h"
#include "core/rows/lean_rows.h"
#include "core/rows/newton.h"
#include "core/rows/path.h"
#include "core/rows/residual.h"
#include "core/rows/smooth.h"
#include "core/rows/sweeps.h"
#include "core/rows/to_cone.h"
#include "core/rows/tree_rows.h"

#define DLS_D 3
#include "core/base/dim.h"

#include "core/rows/short_names.h"
#include "core/rows/solve.inl"

const dls_rows_kernels dls_rows_spatial = {
    .prepare = dls_rows_prepare,
    .solve = solve,
    .hold = solve_held_rows,
    .gives = own_gives,
    .residual = dls_rows_residual,
    .residual_of = dls_rows_residual_of,
};
