/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_VEC_H
#define DLS_MATH_VEC_H

#include "core/base/real.h"

/* Vectors of the plane and of space as values. The sums here have at most three terms and one
** fixed order, x then y then z, so that they are the same bits everywhere. */
typedef struct dls_vec2 {
  double x, y; /* components */
} dls_vec2;

typedef struct dls_vec3 {
  double x, y, z; /* components; the same layout as double[3] */
} dls_vec3;

static inline dls_vec2 dls_v2(double x, double y) { return (dls_vec2){x, y}; }
static inline dls_vec2 dls_v2_add(dls_vec2 a, dls_vec2 b) { return dls_v2(a.x + b.x, a.y + b.y); }
static inline dls_vec2 dls_v2_sub(dls_vec2 a, dls_vec2 b) { return dls_v2(a.x - b.x, a.y - b.y); }
static inline dls_vec2 dls_v2_scale(double s, dls_vec2 a) { return dls_v2(s * a.x, s * a.y); }
static inline dls_vec2 dls_v2_neg(dls_vec2 a) { return dls_v2(-a.x, -a.y); }
static inline double dls_v2_dot(dls_vec2 a, dls_vec2 b) { return a.x * b.x + a.y * b.y; }

/* The z component of a x b: positive where b lies counterclockwise of a. */
static inline double dls_v2_cross(dls_vec2 a, dls_vec2 b) { return a.x * b.y - a.y * b.x; }

/* a turned by a quarter counterclockwise. */
static inline dls_vec2 dls_v2_left(dls_vec2 a) { return dls_v2(-a.y, a.x); }
static inline double dls_v2_norm(dls_vec2 a) { return sqrt(dls_v2_dot(a, a)); }

/* a + s b */
static inline dls_vec2 dls_v2_axpy(dls_vec2 a, double s, dls_vec2 b) {
  return dls_v2(a.x + s * b.x, a.y + s * b.y);
}

static inline dls_vec3 dls_v3(double x, double y, double z) { return (dls_vec3){x, y, z}; }
static inline dls_vec3 dls_v3_load(const double a[3]) { return dls_v3(a[0], a[1], a[2]); }
static inline void dls_v3_store(double out[3], dls_vec3 a) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}
static inline dls_vec3 dls_v3_add(dls_vec3 a, dls_vec3 b) {
  return dls_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline dls_vec3 dls_v3_sub(dls_vec3 a, dls_vec3 b) {
  return dls_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline dls_vec3 dls_v3_scale(double s, dls_vec3 a) {
  return dls_v3(s * a.x, s * a.y, s * a.z);
}
static inline dls_vec3 dls_v3_neg(dls_vec3 a) { return dls_v3(-a.x, -a.y, -a.z); }
static inline double dls_v3_dot(dls_vec3 a, dls_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline dls_vec3 dls_v3_cross(dls_vec3 a, dls_vec3 b) {
  return dls_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double dls_v3_norm(dls_vec3 a) { return sqrt(dls_v3_dot(a, a)); }

/* a + s b */
static inline dls_vec3 dls_v3_axpy(dls_vec3 a, double s, dls_vec3 b) {
  return dls_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/* a / |a|; the zero vector stays zero. */
static inline dls_vec3 dls_v3_unit(dls_vec3 a) {
  double norm = dls_v3_norm(a);
  return norm > 0 ? dls_v3_scale(1 / norm, a) : a;
}
static inline bool dls_v3_is_finite(dls_vec3 a) {
  return dls_is_finite(a.x) && dls_is_finite(a.y) && dls_is_finite(a.z);
}

/* A unit vector orthogonal to the unit vector n: n x e with e the axis n leans on least. */
static inline dls_vec3 dls_v3_orthogonal(dls_vec3 n) {
  double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  if (x <= y && x <= z) return dls_v3_unit(dls_v3(0, n.z, -n.y));
  if (y <= z) return dls_v3_unit(dls_v3(-n.z, 0, n.x));
  return dls_v3_unit(dls_v3(n.y, -n.x, 0));
}

/* Scales x (n) to unit length; false where it is zero. Safe for any finite size. */
static inline bool dls_make_unit(double *x, int n) {
  double most = 0, sum = 0;
  for (int i = 0; i < n; i++) most = dls_max(most, fabs(x[i]));
  if (most == 0) return false;
  for (int i = 0; i < n; i++) {
    x[i] /= most;
    sum += x[i] * x[i];
  }
  const double length = sqrt(sum);
  for (int i = 0; i < n; i++) x[i] /= length;
  return true;
}

#endif
