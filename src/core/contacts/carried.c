/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/carried.h"

static dls_vec3 velocity_of(const dls_carrier *c) {
  return dls_v3_add(c->v, dls_v3_cross(c->w, c->arm));
}

/* What the velocity of a body's own point at c changes by until the end, when c has gone on by
** way. */
static dls_vec3 change_of(const dls_carrier *body, dls_vec3 way, double s) {
  if (!body->given) return dls_v3_cross(body->w, dls_v3_axpy(way, -s, body->v));
  const dls_vec3 arm = dls_v3_add(body->arm, dls_v3_sub(way, body->way));
  return dls_v3_sub(dls_v3_add(body->v_end, dls_v3_cross(body->w_end, arm)), velocity_of(body));
}

/* A symmetric 2 x 2 matrix on the tangent plane: xx, xy, yy. */
typedef struct plane_mat {
  double xx, xy, yy; /* entries */
} plane_mat;

static plane_mat curvature_of(const dls_carrier *c, dls_vec3 e, dls_vec3 g) {
  if (c->ruled && !(c->bent || c->measured)) { /* of the part of a way across the axis */
    const double x = dls_v3_dot(e, c->axis), y = dls_v3_dot(g, c->axis), k = c->curvature;
    return (plane_mat){k * y * y, -k * x * y, k * x * x};
  }
  if (!(c->bent || c->measured)) return (plane_mat){c->curvature, 0, c->curvature};
  const double det = c->bend[0] * c->bend[2] - c->bend[1] * c->bend[1];
  return (plane_mat){c->bend[2] / det, -c->bend[1] / det, c->bend[0] / det};
}

static dls_vec2 times(const plane_mat *K, dls_vec2 x) {
  return dls_v2(K->xx * x.x + K->xy * x.y, K->xy * x.x + K->yy * x.y);
}

/* roll() where one is an ellipsoid, in the coordinates e, g of the tangent plane. False: no convex
** contact. */
static bool roll_bent(const dls_carrier *a, const dls_carrier *b, dls_vec3 n, dls_vec3 slide,
                      dls_vec3 *x, dls_vec3 *dn) {
  const dls_vec3 e = dls_v3_orthogonal(n), g = dls_v3_cross(n, e), n_a = dls_v3_cross(a->w, n);
  const dls_vec3 turn = dls_v3_sub(dls_v3_cross(b->w, n), n_a);
  const plane_mat A = curvature_of(a, e, g), B = curvature_of(b, e, g),
                  K = {A.xx + B.xx, A.xy + B.xy, A.yy + B.yy};
  const double det = K.xx * K.yy - K.xy * K.xy;
  if (!(det > 0 && K.xx > 0 && det < DLS_INF)) return false;
  const dls_vec2 w = dls_v2(dls_v3_dot(e, slide), dls_v3_dot(g, slide)), Aw = times(&A, w);
  const dls_vec2 r = dls_v2(dls_v3_dot(e, turn) - Aw.x, dls_v3_dot(g, turn) - Aw.y);
  const dls_vec2 at = dls_v2((K.yy * r.x - K.xy * r.y) / det, (K.xx * r.y - K.xy * r.x) / det);
  const dls_vec2 bent = times(&A, dls_v2(at.x + w.x, at.y + w.y));
  *x = dls_v3_axpy(dls_v3_scale(at.x, e), at.y, g);
  *dn = dls_v3_axpy(dls_v3_axpy(n_a, bent.x, e), bent.y, g);
  return true;
}

/* What moves along the tangent plane, or along one direction of it. */
typedef struct rolling {
  double k_a, k_b; /* 1/m: curvatures                  */
  dls_vec3 n_a, n_b; /* rad/s: of n as either body turns */
  dls_vec3 slide;  /* m/s                              */
} rolling;

/* roll() where either curvature is a number. */
static dls_vec3 roll_by(const dls_carrier *a, const dls_carrier *b, const rolling *r,
                        dls_vec3 *dn) {
  const double curved = r->k_a + r->k_b;
  if (curved > 0) {
    const dls_vec3 x =
        dls_v3_scale(1 / curved, dls_v3_axpy(dls_v3_sub(r->n_b, r->n_a), -r->k_a, r->slide));
    *dn = dls_v3_axpy(r->n_a, r->k_a, dls_v3_add(x, r->slide));
    return x;
  }
  if (b->given || r->k_b < 0) { /* a corner of a */
    *dn = dls_v3_axpy(r->n_b, r->k_b, r->slide);
    return dls_v3_neg(r->slide);
  }
  if (a->given || r->k_a < 0) { /* a corner of b */
    *dn = dls_v3_axpy(r->n_a, r->k_a, r->slide);
    return dls_v3(0, 0, 0);
  }
  *dn = dls_v3_scale(0.5, dls_v3_add(r->n_a, r->n_b));
  return dls_v3_scale(-0.5, r->slide);
}

static dls_vec3 part_along(dls_vec3 v, dls_vec3 way) {
  return dls_v3_scale(dls_v3_dot(v, way), way);
}

/* roll() where one is curved across an axis alone: along it and across it by themselves. */
static dls_vec3 roll_ruled(const dls_carrier *a, const dls_carrier *b, dls_vec3 n,
                           const rolling *all, dls_vec3 *dn) {
  const dls_vec3 axis = a->ruled ? a->axis : b->axis, way[2] = {axis, dls_v3_cross(n, axis)};
  dls_vec3 x = dls_v3(0, 0, 0);
  *dn = x;
  for (int k = 0; k < 2; k++) {
    const rolling part = {a->ruled && k == 0 ? 0 : all->k_a, b->ruled && k == 0 ? 0 : all->k_b,
                          part_along(all->n_a, way[k]), part_along(all->n_b, way[k]),
                          part_along(all->slide, way[k])};
    dls_vec3 turns;
    x = dls_v3_add(x, roll_by(a, b, &part, &turns));
    *dn = dls_v3_add(*dn, turns);
  }
  return x;
}

/* The velocity of c within the surface of b, and dn/dt. */
static dls_vec3 roll(const dls_carrier *a, const dls_carrier *b, dls_vec3 n, dls_vec3 slide,
                     dls_vec3 *dn) {
  dls_vec3 within;
  const bool bent = a->bent || b->bent || a->measured || b->measured;
  if (bent && roll_bent(a, b, n, slide, &within, dn)) return within;
  const rolling all = {a->curvature, b->curvature, dls_v3_cross(a->w, n), dls_v3_cross(b->w, n),
                       slide};
  return a->ruled || b->ruled ? roll_ruled(a, b, n, &all, dn) : roll_by(a, b, &all, dn);
}

/* Where the point of contact runs along an ellipsoid, or what touches it, by a share r of that
** one's reach until the end, the place it comes to is not known by the curvature here: what is left
** of the shift. */
static double fade_along(const dls_carrier *a, const dls_carrier *b, dls_vec3 within,
                         dls_vec3 slide, double s) {
  static const double STEEP = 1e3; /* 0.999 at r = 0.03, a half at 0.18 */
  if (!(a->bent || b->bent || a->runs || b->runs)) return 1;
  const double on_a = dls_v3_norm(dls_v3_add(within, slide)) / a->reach,
               on_b = dls_v3_norm(within) / b->reach;
  const double r = s * dls_max(on_a, on_b);
  return 1 / (1 + STEEP * r * r * r * r);
}

dls_carried dls_carried_shift(const dls_carrier *a, const dls_carrier *b, dls_vec3 n, double s) {
  const dls_vec3 v_a = velocity_of(a), v_b = velocity_of(b), rel = dls_v3_sub(v_b, v_a);
  const double v_n = dls_v3_dot(n, rel);
  const dls_vec3 slide = dls_v3_axpy(rel, -v_n, n);
  dls_vec3 dn;
  const dls_vec3 within = roll(a, b, n, slide, &dn);
  dls_vec3 c = dls_v3_add(v_b, within);
  /* An approach ends at the surface of what is given; an ellipsoid keeps its own arm. */
  if (b->given) c = dls_v3_axpy(c, a->bent ? -v_n : -dls_max(v_n, 0), n);
  else if (a->given) c = dls_v3_axpy(c, b->bent ? 0 : -dls_min(v_n, 0), n);
  else if (!b->given) c = dls_v3_axpy(c, -0.5 * v_n, n);
  const dls_vec3 way = dls_v3_scale(s, c);
  dls_vec3 shift = dls_v3_sub(change_of(b, way, s), change_of(a, way, s));
  shift = dls_v3_axpy(shift, s * dls_v3_dot(dn, slide), n);
  const dls_vec3 gain = dls_v3_sub(dls_v3_cross(b->rate, b->arm), dls_v3_cross(a->rate, a->arm));
  shift = dls_v3_axpy(shift, s, gain);
  const double turned = dls_v3_dot(a->w, a->w) + dls_v3_dot(b->w, b->w) + dls_v3_dot(dn, dn);
  const double fade = dls_carried_fade(s * s * turned) * fade_along(a, b, within, slide, s);
  dls_vec3 turn = dls_v3(0, 0, 0);
  if (b->given) turn = dls_v3_sub(b->w_end, b->w);
  if (a->given) turn = dls_v3_sub(a->w, a->w_end);
  return (dls_carried){dls_v3_scale(fade, shift), turn};
}
