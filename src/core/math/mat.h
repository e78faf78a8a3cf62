/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_MAT_H
#define DLS_MATH_MAT_H

#include "core/math/vec.h"

/* Matrices 3 x 3 as values, row-major: A_ij = m[3 i + j]. A rotation takes body to world
** components, r_w = R r_b. */
typedef struct dls_mat3 {
  double m[9]; /* rows one after another */
} dls_mat3;

static inline dls_mat3 dls_m3_diag(double a, double b, double c) {
  return (dls_mat3){{a, 0, 0, 0, b, 0, 0, 0, c}};
}
static inline dls_mat3 dls_m3_identity(void) { return dls_m3_diag(1, 1, 1); }
static inline dls_mat3 dls_m3_load(const double a[9]) {
  dls_mat3 A;
  memcpy(A.m, a, sizeof A.m);
  return A;
}

/* The matrix with columns a, b, c. */
static inline dls_mat3 dls_m3_columns(dls_vec3 a, dls_vec3 b, dls_vec3 c) {
  return (dls_mat3){{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}
static inline dls_vec3 dls_m3_column(const dls_mat3 *A, int j) {
  return dls_v3(A->m[j], A->m[3 + j], A->m[6 + j]);
}
static inline dls_vec3 dls_m3_row(const dls_mat3 *A, int i) {
  return dls_v3(A->m[3 * i], A->m[3 * i + 1], A->m[3 * i + 2]);
}

/* A x and A' x */
static inline dls_vec3 dls_m3_apply(const dls_mat3 *A, dls_vec3 x) {
  const double *m = A->m;
  return dls_v3(m[0] * x.x + m[1] * x.y + m[2] * x.z, m[3] * x.x + m[4] * x.y + m[5] * x.z,
                m[6] * x.x + m[7] * x.y + m[8] * x.z);
}
static inline dls_vec3 dls_m3_apply_t(const dls_mat3 *A, dls_vec3 x) {
  const double *m = A->m;
  return dls_v3(m[0] * x.x + m[3] * x.y + m[6] * x.z, m[1] * x.x + m[4] * x.y + m[7] * x.z,
                m[2] * x.x + m[5] * x.y + m[8] * x.z);
}

/* A B, A' B, A B' */
static inline dls_mat3 dls_m3_mul(const dls_mat3 *A, const dls_mat3 *B) {
  dls_mat3 C;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C.m[3 * i + j] = A->m[3 * i] * B->m[j] + A->m[3 * i + 1] * B->m[3 + j] +
                       A->m[3 * i + 2] * B->m[6 + j];
  return C;
}
static inline dls_mat3 dls_m3_transpose(const dls_mat3 *A) {
  const double *m = A->m;
  return (dls_mat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
static inline dls_mat3 dls_m3_mul_t(const dls_mat3 *A, const dls_mat3 *B) {
  dls_mat3 Bt = dls_m3_transpose(B);
  return dls_m3_mul(A, &Bt);
}
static inline dls_mat3 dls_m3_t_mul(const dls_mat3 *A, const dls_mat3 *B) {
  dls_mat3 At = dls_m3_transpose(A);
  return dls_m3_mul(&At, B);
}
static inline dls_mat3 dls_m3_add(const dls_mat3 *A, const dls_mat3 *B) {
  dls_mat3 C;
  for (int i = 0; i < 9; i++) C.m[i] = A->m[i] + B->m[i];
  return C;
}
static inline dls_mat3 dls_m3_scale(double s, const dls_mat3 *A) {
  dls_mat3 C;
  for (int i = 0; i < 9; i++) C.m[i] = s * A->m[i];
  return C;
}

/* a b' and the matrix of r x (.) */
static inline dls_mat3 dls_m3_outer(dls_vec3 a, dls_vec3 b) {
  return (dls_mat3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z,
                     a.z * b.x, a.z * b.y, a.z * b.z}};
}
static inline dls_mat3 dls_m3_skew(dls_vec3 r) {
  return (dls_mat3){{0, -r.z, r.y, r.z, 0, -r.x, -r.y, r.x, 0}};
}

static inline double dls_m3_det(const dls_mat3 *A) {
  return dls_v3_dot(dls_m3_row(A, 0), dls_v3_cross(dls_m3_row(A, 1), dls_m3_row(A, 2)));
}

/* A^-1 by cofactors: false, and *out untouched, where the determinant is zero or not finite. */
static inline bool dls_m3_inverse(const dls_mat3 *A, dls_mat3 *out) {
  dls_vec3 a = dls_m3_row(A, 0), b = dls_m3_row(A, 1), c = dls_m3_row(A, 2);
  dls_vec3 bc = dls_v3_cross(b, c), ca = dls_v3_cross(c, a), ab = dls_v3_cross(a, b);
  double det = dls_v3_dot(a, bc);
  if (!(fabs(det) > 0 && fabs(det) < DLS_INF)) return false;
  dls_mat3 adjugate = dls_m3_columns(bc, ca, ab);
  *out = dls_m3_scale(1 / det, &adjugate);
  return true;
}

/* R A R': a symmetric matrix A of the body seen in the world; exactly symmetric. */
static inline dls_mat3 dls_m3_congruent(const dls_mat3 *R, const dls_mat3 *A) {
  dls_mat3 RA = dls_m3_mul(R, A), C = dls_m3_mul_t(&RA, R);
  C.m[1] = C.m[3] = 0.5 * (C.m[1] + C.m[3]);
  C.m[2] = C.m[6] = 0.5 * (C.m[2] + C.m[6]);
  C.m[5] = C.m[7] = 0.5 * (C.m[5] + C.m[7]);
  return C;
}

/* Inertia of a point of mass m at r about the origin: m (r.r 1 - r r'). */
static inline dls_mat3 dls_m3_point_inertia(double m, dls_vec3 r) {
  double xx = r.x * r.x, yy = r.y * r.y, zz = r.z * r.z;
  return (dls_mat3){{m * (yy + zz), -m * (r.x * r.y), -m * (r.x * r.z), -m * (r.x * r.y),
                     m * (xx + zz), -m * (r.y * r.z), -m * (r.x * r.z), -m * (r.y * r.z),
                     m * (xx + yy)}};
}

#endif
