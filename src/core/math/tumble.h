/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_TUMBLE_H
#define DLS_MATH_TUMBLE_H

#include "core/math/quat.h"

/* The free rotation of a rigid body, whatever it turns by. With the angular momentum L, constant in
** the world, the principal axes e_1, e_2, e_3 and 1/J = (a_1, a_2, a_3) about them, T = (a_j |L|^2
** + (a_k - a_j) L_k^2 + (a_i - a_j) L_i^2)/2 is a sum of three energies whose motions are known: a
** rotation of the body about L by a_j |L| t, which commutes with the others, and rotations about
** its own axes e_k, e_i by (a_k - a_j) L_k t, (a_i - a_j) L_i t. These two are composed in the
** sequence S_10 of order six (S. Blanes, P. C. Moan, J. Comput. Appl. Math. 142, 2002), in parts
** that turn by PART at most. So L is kept exactly, the energy to 1e-8 and without drift; where two
** principal moments are equal all is exact in one part. a_i and a_j are the two nearest to each
** other. */
typedef struct dls_tumble {
  dls_quat frame;  /* of the principal axes k, i, j in the body        */
  double inverse[3]; /* 1/J about them                                  */
} dls_tumble;

/* inverse: 1/J in the body's axes, row by row, symmetric. */
dls_tumble dls_tumble_of(const double inverse[9]);

/* Where a body with the angular momentum L that stands at `from` is after the time t. */
dls_quat dls_tumble_on(const dls_tumble *of, dls_quat from, dls_vec3 L, double t);

/* The rotation as a power series in the share of a span of time, for who asks often: sum of c[k]
** (t/span)^k, n terms, the last two of them below the last digit of a rotation. n = 0: it turns too
** far for that in so long a span. */
enum { DLS_TUMBLE_TERMS = 18 };
typedef struct dls_tumble_path {
  int n;       /* terms */
  double rate; /* 1/span */
  dls_quat c[DLS_TUMBLE_TERMS]; /* n, of (t/span)^k */
} dls_tumble_path;

void dls_tumble_take_path(const dls_tumble *of, dls_quat from, dls_vec3 L, double span,
                          dls_tumble_path *path);
/* Where the body is after the time t, 0 .. span; of a path with terms. */
dls_quat dls_tumble_along(const dls_tumble_path *path, double t);

/* Whether it is round about its first axis: then its angular velocity, and what of it is across
** that axis, keep their lengths. */
bool dls_tumble_is_round(const dls_tumble *of);

/* Its angular velocity, and no less than the length of that at any time. */
dls_vec3 dls_tumble_rate(const dls_tumble *of, dls_quat at, dls_vec3 L);
double dls_tumble_most(const dls_tumble *of, dls_quat at, dls_vec3 L);

#endif
