/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The arithmetic of one node, written once for one number or eight at a time: the including file
** defines `real` (double, or eight doubles) and `creal` (the same, or double where constants are
** shared by all lanes) before it includes this. No sum here has more than six terms; each has one
** fixed order, so that one lane gives the bits of the plain path.
**
** Matrices 3 x 3 by rows; symmetric ones packed xx, xy, xz, yy, yz, zz. An articulated inertia is
** [ J H ; H' M ] on (eps; a), its bias (n; f): the wrench is R = [J H; H' M] w + (n; f). */
#if !defined(DLS_FOREST_KERNEL_H)
#define DLS_FOREST_KERNEL_H

#include "core/base/real.h"

typedef struct artic {
  real J[6], H[9], M[6]; /* articulated inertia about the node's origin */
} artic;
typedef struct bias {
  real n[3], f[3]; /* wrench at w = 0 */
} bias;

/* --- vectors and matrices --------------------------------------------------------------------- */

static inline void cross(real *o, const real *a, const real *b) {
  const real x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  o[2] = a[0] * b[1] - a[1] * b[0];
  o[0] = x;
  o[1] = y;
}
/* A v, A' v, S v */
static inline void mat_vec(real *o, const real *A, const real *v) {
  const real x = A[0] * v[0] + A[1] * v[1] + A[2] * v[2];
  const real y = A[3] * v[0] + A[4] * v[1] + A[5] * v[2];
  o[2] = A[6] * v[0] + A[7] * v[1] + A[8] * v[2];
  o[0] = x;
  o[1] = y;
}
static inline void mat_t_vec(real *o, const real *A, const real *v) {
  const real x = A[0] * v[0] + A[3] * v[1] + A[6] * v[2];
  const real y = A[1] * v[0] + A[4] * v[1] + A[7] * v[2];
  o[2] = A[2] * v[0] + A[5] * v[1] + A[8] * v[2];
  o[0] = x;
  o[1] = y;
}
static inline void sym_vec(real *o, const real *S, const real *v) {
  const real x = S[0] * v[0] + S[1] * v[1] + S[2] * v[2];
  const real y = S[1] * v[0] + S[3] * v[1] + S[4] * v[2];
  o[2] = S[2] * v[0] + S[4] * v[1] + S[5] * v[2];
  o[0] = x;
  o[1] = y;
}
static inline void sym_vec_const(real *o, const creal *S, const real *v) {
  const real x = v[0] * S[0] + v[1] * S[1] + v[2] * S[2];
  const real y = v[0] * S[1] + v[1] * S[3] + v[2] * S[4];
  o[2] = v[0] * S[2] + v[1] * S[4] + v[2] * S[5];
  o[0] = x;
  o[1] = y;
}
static inline void add3(real *o, const real *a) {
  o[0] = o[0] + a[0];
  o[1] = o[1] + a[1];
  o[2] = o[2] + a[2];
}
static inline void sub3(real *o, const real *a) {
  o[0] = o[0] - a[0];
  o[1] = o[1] - a[1];
  o[2] = o[2] - a[2];
}
static inline void copy3(real *o, const real *a) {
  o[0] = a[0];
  o[1] = a[1];
  o[2] = a[2];
}
static inline void zero3(real *o) {
  const real z = {0};
  o[0] = z;
  o[1] = z;
  o[2] = z;
}
/* E S E', symmetric */
static inline void turn_sym(real *restrict o, const real *restrict E, const real *restrict S) {
  real T[9];
  for (int i = 0; i < 3; i++) {
    const real *e = E + 3 * i;
    T[3 * i] = e[0] * S[0] + e[1] * S[1] + e[2] * S[2];
    T[3 * i + 1] = e[0] * S[1] + e[1] * S[3] + e[2] * S[4];
    T[3 * i + 2] = e[0] * S[2] + e[1] * S[4] + e[2] * S[5];
  }
  o[0] = T[0] * E[0] + T[1] * E[1] + T[2] * E[2];
  o[1] = T[0] * E[3] + T[1] * E[4] + T[2] * E[5];
  o[2] = T[0] * E[6] + T[1] * E[7] + T[2] * E[8];
  o[3] = T[3] * E[3] + T[4] * E[4] + T[5] * E[5];
  o[4] = T[3] * E[6] + T[4] * E[7] + T[5] * E[8];
  o[5] = T[6] * E[6] + T[7] * E[7] + T[8] * E[8];
}
/* E A E' */
static inline void turn_mat(real *o, const real *E, const real *A) {
  real T[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      T[3 * i + j] = E[3 * i] * A[j] + E[3 * i + 1] * A[3 + j] + E[3 * i + 2] * A[6 + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      o[3 * i + j] =
          T[3 * i] * E[3 * j] + T[3 * i + 1] * E[3 * j + 1] + T[3 * i + 2] * E[3 * j + 2];
}
/* A = det S S^-1, the cofactors; returns the determinant. */
static inline real cofactors(real *A, const real *S) {
  A[0] = S[3] * S[5] - S[4] * S[4];
  A[1] = S[2] * S[4] - S[1] * S[5];
  A[2] = S[1] * S[4] - S[2] * S[3];
  A[3] = S[0] * S[5] - S[2] * S[2];
  A[4] = S[1] * S[2] - S[0] * S[4];
  A[5] = S[0] * S[3] - S[1] * S[1];
  return S[0] * A[0] + S[1] * A[1] + S[2] * A[2];
}
/* G = S^-1, one division; returns the determinant. */
static inline real invert_sym(real *G, const real *S) {
  real A[6];
  const real det = cofactors(A, S), s = 1.0 / det;
  for (int k = 0; k < 6; k++) G[k] = A[k] * s;
  return det;
}

/* --- shifting to the parent ------------------------------------------------------------------- */

/* A += what a child passes up: its inertia, already in the parent's axes (J, H, M), moved from r to
** the parent's origin:  M;  H + r~ M;  J - H r~ + r~ (H + r~ M)'. */
static inline void add_moved(artic *restrict A, const real *restrict r, const real *restrict J,
                             const real *restrict H, const real *restrict M) {
  real h[9], x[3];
  for (int j = 0; j < 3; j++) { /* columns of H + r~ M */
    const real k0 = M[j], k1 = j == 0 ? M[1] : M[2 + j], k2 = j == 2 ? M[5] : M[2 + 2 * j];
    h[j] = H[j] + (r[1] * k2 - r[2] * k1);
    h[3 + j] = H[3 + j] + (r[2] * k0 - r[0] * k2);
    h[6 + j] = H[6 + j] + (r[0] * k1 - r[1] * k0);
  }
  for (int k = 0; k < 6; k++) A->M[k] = A->M[k] + M[k];
  for (int k = 0; k < 9; k++) A->H[k] = A->H[k] + h[k];
  /* row i of -H r~ is r x (row i of H); column j of r~ h' is r x (row j of h) */
  cross(x, r, H);
  A->J[0] = A->J[0] + (J[0] + x[0] + (r[1] * h[2] - r[2] * h[1]));
  A->J[1] = A->J[1] + (J[1] + x[1] + (r[1] * h[5] - r[2] * h[4]));
  A->J[2] = A->J[2] + (J[2] + x[2] + (r[1] * h[8] - r[2] * h[7]));
  cross(x, r, H + 3);
  A->J[3] = A->J[3] + (J[3] + x[1] + (r[2] * h[3] - r[0] * h[5]));
  A->J[4] = A->J[4] + (J[4] + x[2] + (r[2] * h[6] - r[0] * h[8]));
  A->J[5] = A->J[5] + (J[5] + (r[0] * H[7] - r[1] * H[6]) + (r[0] * h[7] - r[1] * h[6]));
}
/* The same where only M is not zero: a ball's effective mass. */
static inline void add_moved_mass(artic *restrict A, const real *restrict r,
                                  const real *restrict M) {
  real h[9];
  for (int j = 0; j < 3; j++) {
    const real k0 = M[j], k1 = j == 0 ? M[1] : M[2 + j], k2 = j == 2 ? M[5] : M[2 + 2 * j];
    h[j] = r[1] * k2 - r[2] * k1;
    h[3 + j] = r[2] * k0 - r[0] * k2;
    h[6 + j] = r[0] * k1 - r[1] * k0;
  }
  for (int k = 0; k < 6; k++) A->M[k] = A->M[k] + M[k];
  for (int k = 0; k < 9; k++) A->H[k] = A->H[k] + h[k];
  A->J[0] = A->J[0] + (r[1] * h[2] - r[2] * h[1]);
  A->J[1] = A->J[1] + (r[1] * h[5] - r[2] * h[4]);
  A->J[2] = A->J[2] + (r[1] * h[8] - r[2] * h[7]);
  A->J[3] = A->J[3] + (r[2] * h[3] - r[0] * h[5]);
  A->J[4] = A->J[4] + (r[2] * h[6] - r[0] * h[8]);
  A->J[5] = A->J[5] + (r[0] * h[7] - r[1] * h[6]);
}
/* P += the wrench (n; f) about r, both in the parent's axes. */
static inline void add_wrench(bias *P, const real *r, const real *n, const real *f) {
  real x[3];
  cross(x, r, f);
  P->n[0] = P->n[0] + (n[0] + x[0]);
  P->n[1] = P->n[1] + (n[1] + x[1]);
  P->n[2] = P->n[2] + (n[2] + x[2]);
  add3(P->f, f);
}

/* A = the inertia of a rigid body. */
static inline void set_body(artic *A, const creal *J, const creal *mc, creal m) {
  const real z = {0};
  for (int k = 0; k < 6; k++) A->J[k] = z + J[k];
  A->H[0] = A->H[4] = A->H[8] = z;
  A->H[1] = z - mc[2];
  A->H[2] = z + mc[1];
  A->H[3] = z + mc[2];
  A->H[5] = z - mc[0];
  A->H[6] = z - mc[1];
  A->H[7] = z + mc[0];
  A->M[1] = A->M[2] = A->M[4] = z;
  A->M[0] = A->M[3] = A->M[5] = z + m;
}
/* P = its gyroscopic wrench (w x J w; w x (w x mc)). */
static inline void set_gyroscopic(bias *P, const creal *J, const creal *mc, const real *w) {
  real t[3];
  sym_vec_const(t, J, w);
  cross(P->n, w, t);
  t[0] = w[1] * mc[2] - w[2] * mc[1];
  t[1] = w[2] * mc[0] - w[0] * mc[2];
  t[2] = w[0] * mc[1] - w[1] * mc[0];
  cross(P->f, w, t);
}

/* --- one elimination: what node (E, r) with (A, P) and its joint pass up ---------------------- */

/* Ball: J is eliminated. X = J^-1 H, G = J^-1, K = M - H' X (symmetric, one triangle). Returns the
** determinant of J, by which everything is divided last: the division is long, and need not be
** waited for. */
static inline real reduce_ball(const artic *A, real *X, real *G, real *K) {
  const real *H = A->H, *M = A->M;
  const real det = cofactors(G, A->J), s = 1.0 / det;
  for (int j = 0; j < 3; j++) {
    X[j] = G[0] * H[j] + G[1] * H[3 + j] + G[2] * H[6 + j];
    X[3 + j] = G[1] * H[j] + G[3] * H[3 + j] + G[4] * H[6 + j];
    X[6 + j] = G[2] * H[j] + G[4] * H[3 + j] + G[5] * H[6 + j];
  }
  K[0] = M[0] - (H[0] * X[0] + H[3] * X[3] + H[6] * X[6]) * s;
  K[1] = M[1] - (H[0] * X[1] + H[3] * X[4] + H[6] * X[7]) * s;
  K[2] = M[2] - (H[0] * X[2] + H[3] * X[5] + H[6] * X[8]) * s;
  K[3] = M[3] - (H[1] * X[1] + H[4] * X[4] + H[7] * X[7]) * s;
  K[4] = M[4] - (H[1] * X[2] + H[4] * X[5] + H[7] * X[8]) * s;
  K[5] = M[5] - (H[2] * X[2] + H[5] * X[5] + H[8] * X[8]) * s;
  for (int k = 0; k < 6; k++) G[k] = G[k] * s;
  for (int k = 0; k < 9; k++) X[k] = X[k] * s;
  return det;
}

/* Revolute about z: W = (column z of M*) / D as (W0, W1, 1, W3, W4, W5),
** kept in f with 1/D after it. j: the 2 x 2 rest of J (xx, xy, yy); h: rows x, y of
** the rest of H; m: the rest of M. */
static inline void reduce_revolute(const artic *restrict A, real D, real *restrict f,
                                   real *restrict j, real *restrict h, real *restrict m) {
  const real *J = A->J, *H = A->H, *M = A->M, s = 1.0 / D;
  const real U0 = J[2], U1 = J[4], U3 = H[6], U4 = H[7], U5 = H[8];
  const real W0 = U0 * s, W1 = U1 * s, W3 = U3 * s, W4 = U4 * s, W5 = U5 * s;
  j[0] = J[0] - U0 * W0;
  j[1] = J[1] - U0 * W1;
  j[2] = J[3] - U1 * W1;
  h[0] = H[0] - U0 * W3;
  h[1] = H[1] - U0 * W4;
  h[2] = H[2] - U0 * W5;
  h[3] = H[3] - U1 * W3;
  h[4] = H[4] - U1 * W4;
  h[5] = H[5] - U1 * W5;
  m[0] = M[0] - U3 * W3;
  m[1] = M[1] - U3 * W4;
  m[2] = M[2] - U3 * W5;
  m[3] = M[3] - U4 * W4;
  m[4] = M[4] - U4 * W5;
  m[5] = M[5] - U5 * W5;
  f[0] = W0;
  f[1] = W1;
  f[2] = D * s;
  f[3] = W3;
  f[4] = W4;
  f[5] = W5;
  f[6] = s;
}
/* The parts of E j E' (j in the x-y block) and E h E' (two rows), and E m E'. */
static inline void turn_revolute(const real *E, const real *j, const real *h, const real *m,
                                 real *J, real *H, real *M) {
  real T[6], g[6];
  for (int i = 0; i < 3; i++) {
    T[2 * i] = E[3 * i] * j[0] + E[3 * i + 1] * j[1];
    T[2 * i + 1] = E[3 * i] * j[1] + E[3 * i + 1] * j[2];
  }
  J[0] = T[0] * E[0] + T[1] * E[1];
  J[1] = T[0] * E[3] + T[1] * E[4];
  J[2] = T[0] * E[6] + T[1] * E[7];
  J[3] = T[2] * E[3] + T[3] * E[4];
  J[4] = T[2] * E[6] + T[3] * E[7];
  J[5] = T[4] * E[6] + T[5] * E[7];
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      g[3 * i + k] =
          h[3 * i] * E[3 * k] + h[3 * i + 1] * E[3 * k + 1] + h[3 * i + 2] * E[3 * k + 2];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) H[3 * i + k] = E[3 * i] * g[k] + E[3 * i + 1] * g[3 + k];
  turn_sym(M, E, m);
}

#endif
