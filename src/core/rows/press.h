/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_PRESS_H
#define DLS_ROWS_PRESS_H

#include "core/base/arena.h"
#include "core/base/real.h"

/* A touch in the plane that turns no body: a way apart of d costs each body a shift along n. */
typedef struct dls_press {
  double nx, ny; /* from a to b, unit                     */
  double gap;    /* m                                     */
  double size;   /* what the gap is small or large against, m */
  int a, b;      /* bodies                                */
  bool both;     /* the gap is to be zero; else at least zero */
} dls_press;

size_t dls_press_bytes(int n, int n_bodies);

/* The smallest change of places in the M-norm with
**
**     0 <= pi  _|_  gap + J dq >= 0,   dq = M^-1 J' pi,
**
** by sweeps with momentum in lanes of single precision (rows/round.h), until no gap is changed by more than
** `left` of its size, `most` sweeps at most. dq: n_bodies x 2; bodies with inv_mass = 0 do not move. *done: false
** where a body has too many touches for colours, or numbers are out of all bounds; then dq is not written.
** DLS_FULL where tmp has not dls_press_bytes() left. */
dls_status dls_press_apart(int n, const dls_press *touch, int n_bodies, const double *inv_mass, double left,
                           int most, dls_arena *tmp, double *dq, bool *done);

#endif
