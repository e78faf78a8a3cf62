/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_PRESSED_ROWS_H
#define DLS_JOINTS_PRESSED_ROWS_H

#include "core/joints/overlap.h"

/* What inequalities of a projection pressed in its last turn: the next one towards the same aim,
** whose rows are nearly the same, starts from there. */
typedef struct dls_pressed_row {
  int a, b, source;       /* as dls_overlap has them */
  double J[2 * DLS_NU(3)]; /* the same                */
  double pi;              /* kg m, > 0               */
} dls_pressed_row;

typedef struct dls_pressed_rows {
  dls_pressed_row *row; /* in the order of the turn's rows */
  int n, room;          /* of them; how many there may be   */
} dls_pressed_rows;

#endif
