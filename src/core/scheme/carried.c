/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/carried.h"

static dls_vec3 velocity_of(const dls_carrier *c) { return dls_v3_add(c->v, dls_v3_cross(c->w, c->arm)); }

/* What the velocity of a body's own point at c changes by until the end, when c has gone on by way. */
static dls_vec3 change_of(const dls_carrier *body, dls_vec3 way, double s) {
  if (!body->given) return dls_v3_cross(body->w, dls_v3_axpy(way, -s, body->v));
  const dls_vec3 arm = dls_v3_add(body->arm, dls_v3_sub(way, body->way));
  return dls_v3_sub(dls_v3_add(body->v_end, dls_v3_cross(body->w_end, arm)), velocity_of(body));
}

/* The velocity of c within the surface of b, and dn/dt. */
static dls_vec3 roll(const dls_carrier *a, const dls_carrier *b, dls_vec3 n, dls_vec3 slide, dls_vec3 *dn) {
  const double curved = a->curvature + b->curvature;
  const dls_vec3 n_a = dls_v3_cross(a->w, n), n_b = dls_v3_cross(b->w, n);
  if (curved > 0) {
    const dls_vec3 x = dls_v3_scale(1 / curved, dls_v3_axpy(dls_v3_sub(n_b, n_a), -a->curvature, slide));
    *dn = dls_v3_axpy(n_a, a->curvature, dls_v3_add(x, slide));
    return x;
  }
  if (b->given || b->curvature < 0) { /* a corner of a */
    *dn = dls_v3_axpy(n_b, b->curvature, slide);
    return dls_v3_neg(slide);
  }
  if (a->given || a->curvature < 0) { /* a corner of b */
    *dn = dls_v3_axpy(n_a, a->curvature, slide);
    return dls_v3(0, 0, 0);
  }
  *dn = dls_v3_scale(0.5, dls_v3_add(n_a, n_b));
  return dls_v3_scale(-0.5, slide);
}

dls_carried dls_carried_shift(const dls_carrier *a, const dls_carrier *b, dls_vec3 n, double s) {
  const dls_vec3 v_a = velocity_of(a), v_b = velocity_of(b), rel = dls_v3_sub(v_b, v_a);
  const double v_n = dls_v3_dot(n, rel);
  const dls_vec3 slide = dls_v3_axpy(rel, -v_n, n);
  dls_vec3 dn, c = dls_v3_add(v_b, roll(a, b, n, slide, &dn));
  if (a->given) c = dls_v3_axpy(c, -dls_min(v_n, 0), n); /* an approach ends at the surface of a */
  else if (!b->given) c = dls_v3_axpy(c, -0.5 * v_n, n);
  const dls_vec3 way = dls_v3_scale(s, c);
  dls_vec3 shift = dls_v3_sub(change_of(b, way, s), change_of(a, way, s));
  shift = dls_v3_axpy(shift, s * dls_v3_dot(dn, slide), n);
  const double turned = dls_v3_dot(a->w, a->w) + dls_v3_dot(b->w, b->w) + dls_v3_dot(dn, dn);
  const double fade = dls_carried_fade(s * s * turned);
  dls_vec3 turn = dls_v3(0, 0, 0);
  if (b->given) turn = dls_v3_sub(b->w_end, b->w);
  if (a->given) turn = dls_v3_sub(a->w, a->w_end);
  return (dls_carried){dls_v3_scale(fade, shift), turn};
}
