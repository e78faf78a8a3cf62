/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_SHORT_NAMES_H
#define DLS_ROWS_SHORT_NAMES_H

#include "core/base/dim.h"
#include "core/rows/coulomb.h"
#include "core/rows/mass.h"

/* Short names of rows/mass.h and rows/coulomb.h for the .inl files that are compiled for one dimension (base/dim.h). It
** goes with the last of them. */
#define dot_u(x, y) dls_dot_u(NU, x, y)
#define add_u(u, p, MJ) dls_add_u(NU, u, p, MJ)
#define row_velocity(J, u_a, u_b) dls_row_velocity(NU, J, u_a, u_b)
#define second_of(rows, block) dls_second_of(rows, block)
#define row_speed(rows, block, i, u) dls_row_speed(NU, rows, block, i, u)
#define apply_inverse(rows, body, j, out) dls_apply_inverse(NU, rows, body, j, out)
#define visit(block, W, gamma, p, q) dls_visit_block(NB, block, W, gamma, p, q)
#define visit_group(W, i, n, bound, p, q) dls_visit_disk(NB, W, i, n, bound, p, q)

#endif
