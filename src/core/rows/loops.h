/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_LOOPS_H
#define DLS_ROWS_LOOPS_H

#include "core/rows/rows.h"

/* Whether block k presses and slides, faster than `still`, m/s, at the impulses and velocities of a
** solution. */
bool dls_rows_slide(const dls_rows *rows, int k, double still);

/* Of n <= DLS_POINTS_ROWS blocks of an island, all written out, those that may have impulses that
** the laws leave open (cone/points.h), into `left`; how many, 0 where none of them slides. Where
** the rows on a free body that keep their velocities are independent on it alone, none of them has
** such, and they go: body by body, until none is left that does. */
int dls_rows_in_loops(const dls_rows *rows, const int *blocks, int n, double still, int *left);

#endif
