/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/tumble.h"

#include "core/math/elementary.h"
#include "core/math/principal.h"

dls_tumble dls_tumble_of(const double inverse[9]) {
  double A[3][3], V[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A[i][j] = 0.5 * (inverse[3 * i + j] + inverse[3 * j + i]);
  dls_principal(A, V);
  int k = 0; /* the one that is not of the nearest two */
  double nearest = DLS_INF;
  for (int m = 0; m < 3; m++) {
    const int i = (m + 1) % 3, j = (m + 2) % 3;
    const double apart = fabs(A[i][i] - A[j][j]);
    if (apart < nearest) nearest = apart, k = m;
  }
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const dls_mat3 axes = {
      {V[0][k], V[0][i], V[0][j], V[1][k], V[1][i], V[1][j], V[2][k], V[2][i], V[2][j]}};
  return (dls_tumble){dls_q_unit(dls_q_from_matrix(&axes)), {A[k][k], A[i][i], A[j][j]}};
}

/* Sine and cosine; of small angles by their series, to the last bit. */
static void sine_of(double x, double *s, double *c) {
  const double y = x * x;
  if (!(y <= 0.01)) {
    dls_sincos(x, s, c);
    return;
  }
  static const double S[] = {1 / 6.0, 1 / 20.0, 1 / 42.0, 1 / 72.0, 1 / 110.0},
                      C[] = {1 / 12.0, 1 / 30.0, 1 / 56.0, 1 / 90.0};
  *s = x - x * (S[0] * y * (1 - S[1] * y * (1 - S[2] * y * (1 - S[3] * y * (1 - S[4] * y)))));
  *c = 1 - 0.5 * y * (1 - C[0] * y * (1 - C[1] * y * (1 - C[2] * y * (1 - C[3] * y))));
}

/* The body turns about its axis 0 or 1 by x rad; m: L in its axes. */
static void turn_about(int axis, double x, dls_quat *turn, double m[3]) {
  double s, c, sine, cosine;
  sine_of(0.5 * x, &s, &c);
  sine = 2 * s * c, cosine = 1 - 2 * s * s;
  const dls_quat q = *turn;
  if (axis == 0) {
    const double y = cosine * m[1] + sine * m[2];
    m[2] = cosine * m[2] - sine * m[1], m[1] = y;
    *turn = (dls_quat){c * q.w - s * q.x, c * q.x + s * q.w, c * q.y + s * q.z, c * q.z - s * q.y};
  } else {
    const double z = cosine * m[2] + sine * m[0];
    m[0] = cosine * m[0] - sine * m[2], m[2] = z;
    *turn = (dls_quat){c * q.w - s * q.y, c * q.x - s * q.z, c * q.y + s * q.w, c * q.z + s * q.x};
  }
}

/* How fast the two turns go at most, rad/s. A slender body has little of L along itself: it turns
** about that axis by what it has there, own m_0, which the other turn changes by no more than the
** root of own other |L|. */
static double turn_of(double own, double other, dls_vec3 m, double length) {
  const double both = sqrt(fabs(own * other)) * length;
  return dls_max(fabs(own * m.x), fabs(other) * length) + both;
}

dls_quat dls_tumble_on(const dls_tumble *of, dls_quat from, dls_vec3 L, double t) {
  static const double PART = 0.25, SLENDER = 25; /* rad */
  enum { MOST_PARTS = 4000, STAGES = 10 };
  static const double A[] = {0.0502627644003922, 0.413514300428344, 0.0450798897943977,
                             -0.188054853819569, 0.541960678450780};
  static const double B[] = {0.148816447901042, -0.132385865767784, 0.067307604692185,
                             0.432666402578175};
  double a[STAGES + 1], b[STAGES], sum_a = 0, sum_b = 0;
  for (int i = 0; i < 5; i++) a[i] = a[STAGES - i] = A[i], sum_a += A[i];
  for (int i = 0; i < 4; i++) b[i] = b[STAGES - 1 - i] = B[i], sum_b += B[i];
  a[5] = 1 - 2 * sum_a, b[4] = b[5] = 0.5 - sum_b;
  const double *inverse = of->inverse, own = inverse[0] - inverse[2],
               other = inverse[1] - inverse[2];
  dls_quat turn = dls_q_mul(from, of->frame);
  const dls_vec3 in_body = dls_q_rotate_back(turn, L);
  const double length = dls_v3_norm(L);
  double angle = dls_max(fabs(own), fabs(other)) * length * fabs(t);
  if (angle > SLENDER) angle = dls_min(angle, turn_of(own, other, in_body, length) * fabs(t));
  double m[3] = {in_body.x, in_body.y, in_body.z};
  const bool symmetric = fabs(other) * length * fabs(t) < 1e-14;
  const int n = symmetric ? 1 : angle < MOST_PARTS * PART ? 1 + (int)(angle / PART) : MOST_PARTS;
  const double part = t / n;
  if (symmetric) turn_about(0, own * m[0] * t, &turn, m);
  for (int i = 0; !symmetric && i < n; i++) {
    for (int k = 0; k < STAGES; k++) {
      turn_about(0, a[k] * own * m[0] * part, &turn, m);
      turn_about(1, b[k] * other * m[1] * part, &turn, m);
    }
    turn_about(0, a[STAGES] * own * m[0] * part, &turn, m);
  }
  double s, c;
  dls_sincos(0.5 * inverse[2] * length * t, &s, &c);
  const dls_quat about =
      length > 0 ? dls_q_axis(dls_v3_scale(1 / length, L), s, c) : dls_q_identity();
  return dls_q_unit(dls_q_mul(about, dls_q_mul(turn, dls_q_conj(of->frame))));
}

/* With m = L in the principal axes and w = m/J, m' = m x w and Q' = Q w/2 for the quaternion:
** coefficients follow one after the other from sums of products of those before. */
void dls_tumble_take_path(const dls_tumble *of, dls_quat from, dls_vec3 L, double span,
                          dls_tumble_path *path) {
  enum { N = DLS_TUMBLE_TERMS };
  static const double NOTHING = 1e-17; /* of a term, beside a unit quaternion */
  const dls_quat turn = dls_q_mul(from, of->frame), back = dls_q_conj(of->frame);
  const dls_vec3 in_body = dls_q_rotate_back(turn, L);
  const double a = span * of->inverse[0], b = span * of->inverse[1], c = span * of->inverse[2];
  double x[N], y[N], z[N]; /* coefficients of m */
  dls_quat q[N];
  double last = 1;
  x[0] = in_body.x, y[0] = in_body.y, z[0] = in_body.z;
  q[0] = turn;
  path->n = 0;
  path->rate = 1 / span;
  for (int k = 0; k + 1 < N; k++) {
    double yz = 0, zx = 0, xy = 0;
    dls_quat sum = {0, 0, 0, 0};
    for (int i = 0; i <= k; i++) {
      const double u = x[k - i], v = y[k - i], w = z[k - i];
      const dls_quat p = q[i], r = {0, a * u, b * v, c * w};
      yz += y[i] * w, zx += z[i] * u, xy += x[i] * v;
      sum.w -= p.x * r.x + p.y * r.y + p.z * r.z, sum.x += p.w * r.x + p.y * r.z - p.z * r.y;
      sum.y += p.w * r.y - p.x * r.z + p.z * r.x, sum.z += p.w * r.z + p.x * r.y - p.y * r.x;
    }
    const double share = 1.0 / (k + 1), half = 0.5 * share;
    x[k + 1] = share * (c - b) * yz, y[k + 1] = share * (a - c) * zx,
    z[k + 1] = share * (b - a) * xy;
    q[k + 1] = (dls_quat){half * sum.w, half * sum.x, half * sum.y, half * sum.z};
    const double now = dls_max(dls_max(fabs(q[k + 1].w), fabs(q[k + 1].x)),
                               dls_max(fabs(q[k + 1].y), fabs(q[k + 1].z)));
    if (now < NOTHING && last < NOTHING) {
      path->n = k;
      break;
    }
    last = now;
  }
  for (int k = 0; k < path->n; k++) path->c[k] = dls_q_mul(q[k], back);
}

dls_quat dls_tumble_along(const dls_tumble_path *path, double t) {
  const double s = t * path->rate;
  dls_quat q = path->c[path->n - 1];
  for (int k = path->n - 2; k >= 0; k--) {
    const dls_quat c = path->c[k];
    q = (dls_quat){c.w + s * q.w, c.x + s * q.x, c.y + s * q.y, c.z + s * q.z};
  }
  return dls_q_unit(q);
}

dls_vec3 dls_tumble_rate(const dls_tumble *of, dls_quat at, dls_vec3 L) {
  const dls_quat turn = dls_q_mul(at, of->frame);
  const dls_vec3 m = dls_q_rotate_back(turn, L);
  return dls_q_rotate(turn,
                      dls_v3(of->inverse[0] * m.x, of->inverse[1] * m.y, of->inverse[2] * m.z));
}

bool dls_tumble_is_round(const dls_tumble *of) {
  return of->inverse[1] == of->inverse[2] && of->frame.y == 0 && of->frame.z == 0;
}

double dls_tumble_most(const dls_tumble *of, dls_quat at, dls_vec3 L) {
  const double most = dls_max(of->inverse[0], dls_max(of->inverse[1], of->inverse[2]));
  const dls_vec3 rate = dls_tumble_rate(of, at, L);
  if (dls_tumble_is_round(of)) return dls_v3_norm(rate) * (1 + 1e-6);
  const double twice = dls_v3_dot(L, rate), by_length = most * dls_v3_norm(L);
  return dls_min(sqrt(dls_max(0, most * twice)), by_length) * (1 + 1e-6);
}
