/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* What chains of balls and of hinges in segments share; part of pack.inc.h. */

#define MOST_SEGMENTS 8

/* One number x(lane) in each lane. */
#if LANES == 1
#define SIDE_BY_SIDE(x)                                                                            \
  { x(0) }
#elif LANES == 2
#define SIDE_BY_SIDE(x)                                                                            \
  { x(0), x(1) }
#elif LANES == 4
#define SIDE_BY_SIDE(x)                                                                            \
  { x(0), x(1), x(2), x(3) }
#else
#define SIDE_BY_SIDE(x)                                                                            \
  { x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7) }
#endif

/* The product of the quaternions a and b. */
static inline void quaternion_times(real *o, const real *a, const real *b) {
  const real w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  const real x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  const real y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  const real z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  o[0] = w, o[1] = x, o[2] = y, o[3] = z;
}
/* One of Newton's steps to unit length, from very near. */
static inline void renew(real *q) {
  const real s = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; k++) q[k] = q[k] * s;
}
/* Written out: compilers make slow calls of copies as small as these. */
static inline void copy9(real *o, const real *a) {
  copy3(o, a);
  copy3(o + 3, a + 3);
  copy3(o + 6, a + 6);
}
/* C = A B */
static inline void mat_mul(real *C, const real *A, const real *B) {
  for (int i = 0; i < 9; i += 3)
    for (int j = 0; j < 3; j++) C[i + j] = A[i] * B[j] + A[i + 1] * B[3 + j] + A[i + 2] * B[6 + j];
}
/* N = r~ F */
static inline void cross_columns(real *N, const real *r, const real *F) {
  for (int j = 0; j < 3; j++) {
    N[j] = r[1] * F[6 + j] - r[2] * F[3 + j];
    N[3 + j] = r[2] * F[j] - r[0] * F[6 + j];
    N[6 + j] = r[0] * F[3 + j] - r[1] * F[j];
  }
}
/* H = r~ K, J = H r~', for a symmetric K: a ball's effective mass moved by r. */
static inline void move_mass(real *J, real *H, const real *r, const real *K) {
  const real full[9] = {K[0], K[1], K[2], K[1], K[3], K[4], K[2], K[4], K[5]};
  cross_columns(H, r, full);
  J[0] = r[1] * H[2] - r[2] * H[1];
  J[1] = r[1] * H[5] - r[2] * H[4];
  J[2] = r[1] * H[8] - r[2] * H[7];
  J[3] = r[2] * H[3] - r[0] * H[5];
  J[4] = r[2] * H[6] - r[0] * H[8];
  J[5] = r[0] * H[7] - r[1] * H[6];
}
