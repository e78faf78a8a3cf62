/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_RIGID_ROWS_H
#define DLS_ACCELERATIONS_RIGID_ROWS_H

#include "core/joints/trees.h"

/* The rows of a rigid joint as a user reads them. The directions it holds are orthonormal
** functionals d on the twist of b's joint frame against a's; the pose's error e against the nearest
** pose that the joint allows gives G = d.e, the velocities give Gdot, and the wrench (m, f) that
** the joint exerted on b in the last step gives lambda = d.(m, f): what else acts along the free
** directions is orthogonal to d. */
typedef struct dls_rigid_row {
  double J[12];  /* of a, of b: (linear, angular); in the plane 3 numbers each, 6 in all */
  bool linear;   /* a push, in metres; else a turn, in radians                           */
  double G;      /* m, rad                                                               */
  double rate;   /* m/s, rad/s                                                           */
  double lambda; /* N, N m; 0 where no step has told                                     */
} dls_rigid_row;

enum { DLS_RIGID_ROWS = 6 };

/* Answers how many. */
int dls_rigid_rows(dls_world *w, int index, dls_rigid_row out[DLS_RIGID_ROWS]);

#endif
