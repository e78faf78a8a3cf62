/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/sort.h"
#include "core/cone/newton.h"
#include "core/math/cone.h"
#include "core/math/lanes.h"
#include "core/math/sparse_order.h"
#include "core/rows/lanes.h"
#include "core/rows/round.h"
#include "core/rows/rows.h"

#define DLS_D 2
#include "core/base/dim.h"

#include "core/rows/short_names.h"
#include "core/rows/coupling.inl"
#include "core/rows/trees.inl"
#include "core/rows/prepare.inl"
#include "core/rows/lean.inl"
#include "core/rows/residual.inl"
#include "core/rows/assemble.inl"
#include "core/rows/solve.inl"

const dls_rows_kernels dls_rows_planar = {
    .prepare = prepare,
    .solve = solve,
    .hold = solve_held_rows,
    .gives = own_gives,
    .residual = residual,
    .residual_of = residual_of,
};
