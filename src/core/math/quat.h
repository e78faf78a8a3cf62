/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_QUAT_H
#define DLS_MATH_QUAT_H

#include "core/math/mat.h"

/* Quaternions {w, x, y, z}, Hamilton's product, unit where they stand for a rotation from body
** to world: the turn by the angle t about the unit axis e is {cos t/2, e sin t/2}. q and -q are
** the same rotation. With omega in the world frame, dq/dt = 1/2 {0, omega} q. */
typedef struct dls_quat {
  double w, x, y, z; /* scalar part first; the same layout as double[4] */
} dls_quat;

static inline dls_quat dls_q_identity(void) { return (dls_quat){1, 0, 0, 0}; }
static inline dls_quat dls_q_load(const double a[4]) {
  return (dls_quat){a[0], a[1], a[2], a[3]};
}
static inline void dls_q_store(double out[4], dls_quat q) {
  out[0] = q.w;
  out[1] = q.x;
  out[2] = q.y;
  out[3] = q.z;
}

/* The turn about the unit axis e, given sine and cosine of HALF the angle. */
static inline dls_quat dls_q_axis(dls_vec3 e, double s_half, double c_half) {
  return (dls_quat){c_half, s_half * e.x, s_half * e.y, s_half * e.z};
}

/* p q: first q, then p. */
static inline dls_quat dls_q_mul(dls_quat p, dls_quat q) {
  return (dls_quat){p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
                    p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                    p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                    p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}
static inline dls_quat dls_q_conj(dls_quat q) { return (dls_quat){q.w, -q.x, -q.y, -q.z}; }
static inline double dls_q_norm(dls_quat q) {
  return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

/* q / |q|; zero becomes the identity. */
static inline dls_quat dls_q_unit(dls_quat q) {
  double norm = dls_q_norm(q);
  if (!(norm > 0)) return dls_q_identity();
  double s = 1 / norm;
  return (dls_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* r_w = r + 2 w (v x r) + 2 v x (v x r), v the vector part. */
static inline dls_vec3 dls_q_rotate(dls_quat q, dls_vec3 r) {
  dls_vec3 v = dls_v3(q.x, q.y, q.z), t = dls_v3_scale(2, dls_v3_cross(v, r));
  return dls_v3_add(dls_v3_axpy(r, q.w, t), dls_v3_cross(v, t));
}
static inline dls_vec3 dls_q_rotate_back(dls_quat q, dls_vec3 r) {
  return dls_q_rotate(dls_q_conj(q), r);
}

/* The rotation matrix of a unit quaternion. */
static inline dls_mat3 dls_q_matrix(dls_quat q) {
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (dls_mat3){{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz),
                     1 - 2 * (xx + zz), 2 * (yz - wx), 2 * (xz - wy), 2 * (yz + wx),
                     1 - 2 * (xx + yy)}};
}

/* The unit quaternion of a rotation matrix, by its largest component (w >= 0 in the first
** case; the sign is not made unique). Source: Shepperd, J. Guidance and Control 1 (1978). */
static inline dls_quat dls_q_from_matrix(const dls_mat3 *R) {
  const double *m = R->m;
  double trace = m[0] + m[4] + m[8];
  dls_quat q;
  if (trace >= m[0] && trace >= m[4] && trace >= m[8])
    q = (dls_quat){1 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
  else if (m[0] >= m[4] && m[0] >= m[8])
    q = (dls_quat){m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
  else if (m[4] >= m[8])
    q = (dls_quat){m[2] - m[6], m[1] + m[3], 1 + m[4] - m[0] - m[8], m[5] + m[7]};
  else
    q = (dls_quat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 + m[8] - m[0] - m[4]};
  return dls_q_unit(q);
}

#endif
