/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_DIM_H
#define DLS_BASE_DIM_H

#include "core/base/real.h"

/* Numbers of the plane and of space: d = 2, 3.
**
**     d    numbers in a point
**     NW   numbers in a rotation rate 1, 3
**     NU   velocities a free body     3 = (v, w), 6 = (v, w), v of the mass centre, world axes
**     NQ   coordinates a free body    3 = (x, y, angle), 7 = (x, y, z, quaternion)
**     NB   rows a block has at most   3 = (n, t, roll), 6 = (n, t1, t2, roll, roll, spin) */
#define DLS_NW(d) ((d) == 2 ? 1 : 3)
#define DLS_NU(d) ((d) == 2 ? 3 : 6)
#define DLS_NQ(d) ((d) == 2 ? 3 : 7)
#define DLS_NB(d) ((d) == 2 ? 3 : 6)

/* Coordinates and velocities of body i in an array of all bodies, S a record with nq and nu. */
#define DLS_Q(S, array, i) ((array) + (size_t)(i) * (size_t)(S)->nq)
#define DLS_U(S, array, i) ((array) + (size_t)(i) * (size_t)(S)->nu)

#endif
