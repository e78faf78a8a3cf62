/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_LOBATTO_H
#define DLS_MATH_LOBATTO_H

#include "core/base/real.h"

/* The five nodes and weights of Lobatto's rule, of order eight, as shares of a step (Abramowitz and
** Stegun, 25.4.32). */
enum { DLS_LOBATTO = 5 };
static const double dls_lobatto_node[DLS_LOBATTO] = {0, 0.17267316464601143, 0.5,
                                                     0.8273268353539886, 1};
static const double dls_lobatto_weight[DLS_LOBATTO] = {0.05, 49.0 / 180, 16.0 / 45, 49.0 / 180,
                                                       0.05};

#endif
