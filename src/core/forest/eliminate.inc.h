/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* What one joint does to the arithmetic of its node, for hinges, balls and free joints, shared by
** the drivers that walk a forest node by node (fast.inc.h) and level by level (pack.inc.h). The
** including file defines real, creal, mask, lane_state and the functions of a comparison. */
#if !defined(DLS_FOREST_ELIMINATE_INC_H)
#define DLS_FOREST_ELIMINATE_INC_H

#include "core/forest/kernel.inc.h"

/* A joint without inertia to move. What a hinge or a slide has used up is set to zero, not left to
** cancel, so that what remains along a parallel axis is rounding squared: SHARE of the whole.
** Inertia across the axes may grow with the cube of a chain's length and is no scale for more than
** that. A determinant is rounding below SINGULAR times the product of its diagonal. */
#define SHARE 1e-24
#define SINGULAR 1e-14

typedef struct sums {
  artic A; /* inertia */
  bias P;  /* bias    */
} sums;

/* sin and cos. Reduction by pi/2 in three parts, exact while |x| < 2^20 quarter turns; larger
** angles go through elementary.h. Taylor's series to 2^-57 on [-pi/4, pi/4]; then the quarter q in
** -2 .. 2 by sin = q (2 - |q|), cos = 1 - |q|. Source: W. J. Cody & W. Waite, Software Manual for
** the Elementary Functions, 1980. */
static inline void sin_cos(real x, real *s, real *c) {
  const double to_int = 6755399441055744.0; /* 1.5 2^52: adding it rounds to a whole number */
  const real n = (x * 0.63661977236758134308 + to_int) - to_int;
  const real n4 = (n * 0.25 + to_int) - to_int;
  const real quarter = n - 4.0 * n4, size = magnitude(quarter);
  const real r = ((x - n * 1.57079632673412561417e+00) - n * 6.07710050630396597660e-11) -
                 n * 2.02226624879595063154e-21;
  const real t = r * r;
  real p = t * (1.0 / 355687428096000.0) - 1.0 / 1307674368000.0;
  p = p * t + 1.0 / 6227020800.0;
  p = p * t - 1.0 / 39916800.0;
  p = p * t + 1.0 / 362880.0;
  p = p * t - 1.0 / 5040.0;
  p = p * t + 1.0 / 120.0;
  p = p * t - 1.0 / 6.0;
  const real sin_r = r + r * (t * p);
  p = t * (1.0 / 20922789888000.0) - 1.0 / 87178291200.0;
  p = p * t + 1.0 / 479001600.0;
  p = p * t - 1.0 / 3628800.0;
  p = p * t + 1.0 / 40320.0;
  p = p * t - 1.0 / 720.0;
  p = p * t + 1.0 / 24.0;
  const real half = t * 0.5, whole = 1.0 - half;
  const real cos_r = whole + (((1.0 - whole) - half) + t * (t * p));
  const real S = quarter * (2.0 - size), C = 1.0 - size;
  *s = sin_r * C + cos_r * S;
  *c = cos_r * C - sin_r * S;
  each_large_angle(x, s, c);
}

/* E = zero Rz(angle) */
static inline void turn_z(real *E, const creal *zero, real angle) {
  real s, c;
  sin_cos(angle, &s, &c);
  for (int i = 0; i < 9; i += 3) {
    E[i] = c * zero[i] + s * zero[i + 1];
    E[i + 1] = c * zero[i + 1] - s * zero[i];
    E[i + 2] = c - c + zero[i + 2];
  }
}

/* E = matrix of the unit quaternion q */
static inline void turn_unit(real *E, const real *q) {
  const real w = q[0], x = q[1], y = q[2], z = q[3];
  const real x2 = x + x, y2 = y + y, z2 = z + z;
  const real xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2;
  const real wx = w * x2, wy = w * y2, wz = w * z2;
  E[0] = 1.0 - (yy + zz);
  E[1] = xy - wz;
  E[2] = xz + wy;
  E[3] = xy + wz;
  E[4] = 1.0 - (xx + zz);
  E[5] = yz - wx;
  E[6] = xz - wy;
  E[7] = yz + wx;
  E[8] = 1.0 - (xx + yy);
}

/* the same of the product of the zero rotation's quaternion and q */
static inline void turn_q(real *E, const creal *a, const real *q) {
  const real w = q[0] * a[0] - q[1] * a[1] - q[2] * a[2] - q[3] * a[3];
  const real x = q[1] * a[0] + q[0] * a[1] + q[3] * a[2] - q[2] * a[3];
  const real y = q[2] * a[0] - q[3] * a[1] + q[0] * a[2] + q[1] * a[3];
  const real z = q[3] * a[0] + q[2] * a[1] - q[1] * a[2] + q[0] * a[3];
  const real product[4] = {w, x, y, z};
  turn_unit(E, product);
}

static inline real dot3(const real *a, const real *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Turning about z at the rate u: own part of v and c, from the parent's angular velocity at
** hand. */
static inline void spin_z(lane_state *s, const real *carried, real u) {
  const real none = {0};
  s->v[2] = s->v[2] + u;
  s->c[0] = carried[1] * u;
  s->c[1] = none - carried[0] * u;
}

/* udot and w of a hinge and of a ball, from w = C w_k + w*. */
static inline void down_revolute(const lane_state *s, real *w, real *udot) {
  const real *W = s->f;
  udot[0] = s->y[0] - (W[0] * w[0] + W[1] * w[1] + dot3(W + 3, w + 3)) - w[2];
  w[2] = w[2] + udot[0];
}
static inline void down_ball(const lane_state *s, real *w, real *udot) {
  real t[3];
  mat_vec(t, s->f, w + 3);
  for (int k = 0; k < 3; k++) {
    const real eps = s->y[k] - t[k];
    udot[k] = eps - w[k];
    w[k] = eps;
  }
}
/* C w_k + w* */
static inline void carry(const lane_state *s, const real *w_k, real *w) {
  real t[3];
  cross(t, w_k, s->r);
  add3(t, w_k + 3);
  add3(t, s->zeta);
  mat_t_vec(w + 3, s->E, t);
  mat_t_vec(w, s->E, w_k);
  add3(w, s->c);
}

/* Everything of a generic reduced body goes up: turn J, H, M and add. P is the full bias but for
** M_a zeta, in node axes. */
static inline void pass_up(sums *restrict above, const lane_state *restrict s,
                           const sums *restrict own) {
  real J[6], H[9], M[6], n[3], f[3], t[3];
  turn_sym(J, s->E, own->A.J);
  turn_mat(H, s->E, own->A.H);
  turn_sym(M, s->E, own->A.M);
  add_moved(&above->A, s->r, J, H, M);
  mat_vec(n, s->E, own->P.n);
  mat_vec(f, s->E, own->P.f);
  mat_vec(t, H, s->zeta);
  add3(n, t);
  sym_vec(t, M, s->zeta);
  add3(f, t);
  add_wrench(&above->P, s->r, n, f);
}

/* P += M_a (c; 0) */
static inline void add_spin(sums *own, const lane_state *s) {
  real t[3];
  sym_vec(t, own->A.J, s->c);
  add3(own->P.n, t);
  mat_t_vec(t, own->A.H, s->c);
  add3(own->P.f, t);
}

static inline mask back_revolute(sums *restrict above, lane_state *restrict s,
                                 const sums *restrict own, real tau) {
  const real *J = own->A.J, D = J[5];
  const mask good = above_bound(D, SHARE * (J[0] + J[3] + J[5]));
  real j[3], h[6], m[6], *W = s->f;
  reduce_revolute(&own->A, D, W, j, h, m);
  const real z = tau - own->P.n[2];
  s->y[0] = z * W[6];
  if (above == NULL) return good;
  real Jp[6], Hp[9], Mp[6], t[3];
  turn_revolute(s->E, j, h, m, Jp, Hp, Mp);
  add_moved(&above->A, s->r, Jp, Hp, Mp);
  const real *n = own->P.n, *f = own->P.f, *c = s->c;
  real nu[3] = {n[0] + j[0] * c[0] + j[1] * c[1] + W[0] * z,
                n[1] + j[1] * c[0] + j[2] * c[1] + W[1] * z, tau};
  real fu[3];
  for (int k = 0; k < 3; k++) fu[k] = f[k] + h[k] * c[0] + h[3 + k] * c[1] + W[3 + k] * z;
  mat_vec(nu, s->E, nu);
  mat_vec(fu, s->E, fu);
  mat_vec(t, Hp, s->zeta);
  add3(nu, t);
  sym_vec(t, Mp, s->zeta);
  add3(fu, t);
  add_wrench(&above->P, s->r, nu, fu);
  return good;
}

/* Is det, the determinant of S, more than rounding? Smaller diagonals than zero come with a
** determinant that fails, or with two of them, which the first test catches. */
static inline mask regular(real det, const real *S) {
  const real none = {0};
  return above_bound(det, SINGULAR * (S[0] * S[3] * S[5])) & above_bound(S[0], none) &
         above_bound(S[3], none);
}

static inline mask back_ball(sums *restrict above, lane_state *restrict s,
                             const sums *restrict own, const real *tau) {
  real K[6], z[3], *X = s->f, *G = s->f + 9;
  const mask good = regular(reduce_ball(&own->A, X, G, K), own->A.J);
  for (int k = 0; k < 3; k++) z[k] = tau[k] - own->P.n[k];
  sym_vec(s->y, G, z);
  if (above == NULL) return good;
  real M[6], n[3], f[3], t[3];
  turn_sym(M, s->E, K);
  add_moved_mass(&above->A, s->r, M);
  mat_t_vec(f, own->A.H, s->y);
  add3(f, own->P.f);
  mat_vec(f, s->E, f);
  sym_vec(t, M, s->zeta);
  add3(f, t);
  mat_vec(n, s->E, tau);
  add_wrench(&above->P, s->r, n, f);
  return good;
}

/* A free joint carries no inertia: the parent feels the joint's own forces alone. */
static inline mask back_free(sums *restrict above, const creal *zero, lane_state *restrict s,
                             const sums *restrict own, const real *tau) {
  real K[6], f[3], l[3], *X = s->f, *G = s->f + 9;
  mask good = regular(reduce_ball(&own->A, X, G, K), own->A.J);
  good = good & regular(invert_sym(s->f + 15, K), K);
  for (int k = 0; k < 3; k++) /* the force in the parent's axes */
    f[k] = tau[0] * zero[3 * k] + tau[1] * zero[3 * k + 1] + tau[2] * zero[3 * k + 2];
  mat_t_vec(l, s->E, f);
  for (int k = 0; k < 3; k++) {
    s->y[k] = tau[3 + k] - own->P.n[k];
    s->y[3 + k] = l[k] - own->P.f[k];
  }
  if (above == NULL) return good;
  real n[3];
  mat_vec(n, s->E, tau + 3);
  add_wrench(&above->P, s->r, n, f);
  return good;
}

/* M* w = y gives w at once; udot is what is left of it. */
static inline void down_free(const creal *R, const lane_state *s, real *w, real *udot) {
  const real *X = s->f, *G = s->f + 9, *z = s->y;
  real a[3], eps[3], t[3];
  mat_t_vec(t, X, z);
  for (int k = 0; k < 3; k++) a[k] = z[3 + k] - t[k];
  sym_vec(a, s->f + 15, a);
  sym_vec(eps, G, z);
  mat_vec(t, X, a);
  sub3(eps, t);
  for (int k = 0; k < 3; k++) {
    udot[3 + k] = eps[k] - w[k];
    t[k] = a[k] - w[3 + k];
  }
  mat_vec(t, s->E, t);
  for (int k = 0; k < 3; k++) udot[k] = t[0] * R[k] + t[1] * R[3 + k] + t[2] * R[6 + k];
  copy3(w, eps);
  copy3(w + 3, a);
}

#endif
