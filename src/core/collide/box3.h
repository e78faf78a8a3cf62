/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_BOX3_H
#define DLS_COLLIDE_BOX3_H

#include "core/collide/separate3.h"

/* Of the 31 directions that can be written down for two boxes those that may have the largest
** separation. With A and B their rotations, a and b their half sizes, d the way from middle to
** middle, t = A' d, C = A' B:
**
**     s(d/|d|) = |d| - (sum a_i |t_i| + sum b_j |(B' d)_j|) / |d|
**     s(+-A_i) = +-t_i - a_i - sum_j b_j |C_ij|                                   (and so for B)
**     s(+-A_i x B_j) = (+-d . A_i x B_j - sum_k a_k |C_lj| - sum_k b_k |C_il|) / |A_i x B_j|
**
** A direction that has less than another by more than round-off is none of them, so the first best
** of those told is the first best of all, and its bits are the same. Source: Gottschalk, Lin &
** Manocha, SIGGRAPH 1996. */
enum {
  /* the one from middle to middle */
  DLS_BOXES_BETWEEN = 1,
  /* number of the first of a's six faces; b's follow */
  DLS_BOXES_FACE = 1,
  /* number of the first of nine pairs: +-, axis i of a and j of b, 2 (3 i + j) */
  DLS_BOXES_CROSSING = 13,
  /* bits 1 << number */
  DLS_BOXES_ALL = 0x7fffffff
};

/* No more than the gap of two shapes where they stand, by what costs little: their reach, and of
** boxes that are near the separations along their faces; -DLS_INF of what has no bounds. */
double dls_apart3(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                  const dls_pose3 *pose_b);

/* Bits of the directions. As dls_separate3_candidates does, it ends behind the middles, the faces
** of a or those of both where one has more than enough. */
unsigned dls_boxes_directions(const dls_body3 *a, const dls_body3 *b, double enough);

#endif
