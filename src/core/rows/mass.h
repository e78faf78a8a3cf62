/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_MASS_H
#define DLS_ROWS_MASS_H

#include "core/base/vector.h"
#include "core/rows/rows.h"

/* Rows and the velocities of single bodies. Bodies have nu velocities, (v, w) with v that of the
** mass centre in world axes: 3 in the plane, 6 in space. Without loops, so that nu may be a
** constant or not. */

/* A body that takes nu, and is called with the constants 3 and 6. */
#define DLS_WITH_NU DLS_INLINE

/* x . y over the velocities of one body, in order. */
static inline double dls_dot_u(int nu, const double *x, const double *y) {
  double sum = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  if (nu == 6) sum = sum + x[3] * y[3] + x[4] * y[4] + x[5] * y[5];
  return sum;
}

/* u += p M^-1 J' of one row and one body. */
static inline void dls_add_u(int nu, double *u, double p, const double *MJ) {
  u[0] += p * MJ[0], u[1] += p * MJ[1], u[2] += p * MJ[2];
  if (nu == 6) u[3] += p * MJ[3], u[4] += p * MJ[4], u[5] += p * MJ[5];
}

/* J u of a row between bodies a and b. */
static inline double dls_row_velocity(int nu, const double *J, const double *u_a,
                                      const double *u_b) {
  return dls_dot_u(nu, J, u_a) + dls_dot_u(nu, J + nu, u_b);
}

/* What a gear's row acts on beside a and b; NULL: nothing. */
static inline dls_second *dls_second_of(const dls_rows *rows, const dls_block *block) {
  return block->second > 0 ? &rows->second[block->second - 1] : NULL;
}

/* J u of row i of a block, whatever it acts on. */
static inline double dls_row_speed(int nu, const dls_rows *rows, const dls_block *block, int i,
                                   const double *u) {
  const double *J = rows->J + (size_t)i * 2 * (size_t)nu;
  double v =
      dls_row_velocity(nu, J, u + (size_t)block->a * (size_t)nu, u + (size_t)block->b * (size_t)nu);
  const dls_second *s = dls_second_of(rows, block);
  if (s)
    v += dls_row_velocity(nu, s->K, u + (size_t)s->c * (size_t)nu, u + (size_t)s->d * (size_t)nu);
  return v;
}

/* M^-1 j for one body: THE place where a mechanical system enters. A free body divides by its mass
** and turns through its inertia; a body that does not move freely answers zero. */
static inline void dls_apply_inverse(int nu, const dls_rows *rows, int body, const double *j,
                                     double *out) {
  const double inv_mass = rows->inv_mass[body];
  if (nu == 3) {
    for (int i = 0; i < 2; i++) out[i] = inv_mass * j[i];
    out[2] = rows->inv_inertia[body] * j[2];
    return;
  }
  const double *I = rows->inv_inertia + 9 * (size_t)body;
  DLS_UNROLL
  for (int i = 0; i < 3; i++) out[i] = inv_mass * j[i];
  DLS_UNROLL
  for (int i = 0; i < 3; i++)
    out[3 + i] = I[3 * i] * j[3] + I[3 * i + 1] * j[4] + I[3 * i + 2] * j[5];
}

#endif
