/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Rows and the velocities of single bodies (base/dim.h says what D, NU, ... are). */

/* x . y over the NU velocities of one body, in order. */
static inline double dot_u(const double *x, const double *y) {
  double sum = x[0] * y[0];
  for (int i = 1; i < NU; i++) sum += x[i] * y[i];
  return sum;
}

/* J u of row i between bodies a and b. */
static inline double row_velocity(const double *J, const double *u_a, const double *u_b) {
  return dot_u(J, u_a) + dot_u(J + NU, u_b);
}

static inline dls_second *second_of(const dls_rows *rows, const dls_block *block) {
  return block->second > 0 ? &rows->second[block->second - 1] : NULL;
}

/* J u of row i of a block, whatever it acts on. */
static inline double row_speed(const dls_rows *rows, const dls_block *block, int i, const double *u) {
  const double *J = rows->J + (size_t)i * 2 * NU;
  double v = row_velocity(J, u + (size_t)block->a * NU, u + (size_t)block->b * NU);
  const dls_second *s = second_of(rows, block);
  if (s) v += row_velocity(s->K, u + (size_t)s->c * NU, u + (size_t)s->d * NU);
  return v;
}

static inline void add_u(double *u, double p, const double *MJ) {
  for (int i = 0; i < NU; i++) u[i] += p * MJ[i];
}

/* M^-1 j for one body: THE place where a mechanical system enters. A free body divides by its
** mass and turns through its inertia; a body that does not move freely answers zero. */
static void apply_inverse(const dls_rows *rows, int body, const double *j, double *out) {
  double inv_mass = rows->inv_mass[body];
  for (int i = 0; i < D; i++) out[i] = inv_mass * j[i];
#if D == 2
  out[2] = rows->inv_inertia[body] * j[2];
#else
  const double *I = rows->inv_inertia + 9 * (size_t)body;
  for (int i = 0; i < 3; i++)
    out[3 + i] = I[3 * i] * j[3] + I[3 * i + 1] * j[4] + I[3 * i + 2] * j[5];
#endif
}
