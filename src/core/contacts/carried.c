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

/* How the contact of two surfaces moves: along the tangent plane, or along one direction of it. */
typedef struct rolling {
  double k_a, k_b;   /* 1/m: curvatures                              */
  dls_vec3 n_a, n_b; /* rad/s: of n as either body turns             */
  dls_vec3 slide;    /* m/s: of b over a                             */
} rolling;

/* The velocity of c within the surface of b, and dn/dt, where curvatures are numbers. */
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

/* A symmetric 2 x 2 matrix on the tangent plane: xx, xy, yy. */
typedef struct plane_mat {
  double xx, xy, yy; /* entries */
} plane_mat;

/* By the coordinates e, g of the tangent plane. */
static plane_mat curvature_of(const dls_carrier *c, dls_vec3 e, dls_vec3 g) {
  const double k = c->curvature;
  if (c->ellipsoid || c->measured) {
    const double det = c->bend[0] * c->bend[2] - c->bend[1] * c->bend[1];
    return (plane_mat){c->bend[2] / det, -c->bend[1] / det, c->bend[0] / det};
  }
  if (!c->ruled) return (plane_mat){k, 0, k};
  const double x = dls_v3_dot(e, c->axis), y = dls_v3_dot(g, c->axis);
  return (plane_mat){k * y * y, -k * x * y, k * x * x};
}

static dls_vec2 times(const plane_mat *K, dls_vec2 x) {
  return dls_v2(K->xx * x.x + K->xy * x.y, K->xy * x.x + K->yy * x.y);
}

/* The direction in which a matrix is largest, unit. */
static dls_vec2 main_direction(const plane_mat *K) {
  const double half = 0.5 * (K->xx - K->yy), r = sqrt(half * half + K->xy * K->xy);
  const dls_vec2 x = half < 0 ? dls_v2(K->xy, r - half) : dls_v2(r + half, K->xy);
  const double length = sqrt(x.x * x.x + x.y * x.y);
  return length > 0 ? dls_v2(x.x / length, x.y / length) : dls_v2(1, 0);
}

static dls_vec3 part_along(dls_vec3 v, dls_vec3 way) {
  return dls_v3_scale(dls_v3_dot(v, way), way);
}

/* What is left of 1 where the point of contact runs by a share r of a body's reach until the end:
** the place it comes to is not known by the curvature here. */
static double fade_by_way(double r) {
  static const double STEEP = 1e3; /* 0.999 at r = 0.03, a half at 0.18 */
  return 1 / (1 + STEEP * r * r * r * r);
}

/* The same where they are matrices: along the main directions of K_a + K_b by themselves, as by
** numbers where the sum is none (two cylinders side by side, along both), or so much less than
** across that the point would run off them in the time s. */
static dls_vec3 roll_between(const dls_carrier *a, const dls_carrier *b, dls_vec3 n,
                             const rolling *all, double s, dls_vec3 *dn) {
  static const double NONE = 1e-9; /* of the curvatures that are added */
  static const double WEAK = 0.1;  /* of the larger one: cylinders at less than 0.3 rad */
  const bool straight = !(a->ellipsoid || b->ellipsoid || a->measured || b->measured);
  const dls_vec3 e = dls_v3_orthogonal(n), g = dls_v3_cross(n, e);
  const plane_mat A = curvature_of(a, e, g), B = curvature_of(b, e, g),
                  K = {A.xx + B.xx, A.xy + B.xy, A.yy + B.yy};
  const double size = fabs(A.xx) + fabs(A.yy) + fabs(B.xx) + fabs(B.yy);
  const dls_vec2 first = main_direction(&K), way[2] = {first, dls_v2(-first.y, first.x)};
  const dls_vec2 w = dls_v2(dls_v3_dot(e, all->slide), dls_v3_dot(g, all->slide)),
                 Aw = times(&A, w);
  const dls_vec3 turn = dls_v3_sub(all->n_b, all->n_a);
  dls_vec3 x = dls_v3(0, 0, 0), turned[2];
  double known[2]; /* what of the motion is by the curvature; the rest as if there were none */
  double first_k = 0;
  for (int i = 0; i < 2; i++) {
    const dls_vec2 Kd = times(&K, way[i]), Ad = times(&A, way[i]), Bd = times(&B, way[i]);
    const double k = way[i].x * Kd.x + way[i].y * Kd.y;
    const dls_vec3 along = dls_v3_axpy(dls_v3_scale(way[i].x, e), way[i].y, g);
    const double r = dls_v3_dot(turn, along) - (way[i].x * Aw.x + way[i].y * Aw.y);
    const double runs = k > NONE * size ? r / k : 0, slides = dls_v3_dot(all->slide, along);
    known[i] = k > NONE * size;
    const double share = s * dls_max(fabs(runs + slides) / a->reach, fabs(runs) / b->reach);
    if (i == 0) first_k = k;
    else if (straight && known[i] > 0 && k < WEAK * first_k)
      known[i] *= fade_by_way((1 - k / (WEAK * first_k)) * share);
    x = dls_v3_axpy(x, known[i] * runs, along);
    if (known[i] == 1) continue;
    const double k_a = way[i].x * Ad.x + way[i].y * Ad.y, k_b = way[i].x * Bd.x + way[i].y * Bd.y;
    const rolling part = {k_a < -NONE * size ? k_a : 0, k_b < -NONE * size ? k_b : 0,
                          part_along(all->n_a, along), part_along(all->n_b, along),
                          part_along(all->slide, along)};
    x = dls_v3_axpy(x, 1 - known[i], roll_by(a, b, &part, &turned[i]));
  }
  const dls_vec3 go = dls_v3_add(x, all->slide);
  const dls_vec2 bends = times(&A, dls_v2(dls_v3_dot(e, go), dls_v3_dot(g, go)));
  *dn = dls_v3(0, 0, 0);
  for (int i = 0; i < 2; i++) {
    const dls_vec3 along = dls_v3_axpy(dls_v3_scale(way[i].x, e), way[i].y, g);
    const double by = dls_v3_dot(all->n_a, along) + way[i].x * bends.x + way[i].y * bends.y;
    *dn = dls_v3_axpy(*dn, known[i] * by, along);
    if (known[i] < 1) *dn = dls_v3_axpy(*dn, 1 - known[i], turned[i]);
  }
  return x;
}

/* Whether a surface is curved differently in different directions. */
static bool is_matrix(const dls_carrier *c) { return c->ellipsoid || c->measured || c->ruled; }

static dls_vec3 roll(const dls_carrier *a, const dls_carrier *b, dls_vec3 n, dls_vec3 slide,
                     double s, dls_vec3 *dn) {
  const rolling all = {a->curvature, b->curvature, dls_v3_cross(a->w, n), dls_v3_cross(b->w, n),
                       slide};
  return is_matrix(a) || is_matrix(b) ? roll_between(a, b, n, &all, s, dn)
                                      : roll_by(a, b, &all, dn);
}

/* What is left of the shift where the point of contact runs along an ellipsoid, a straight line of
** a surface, or what touches it. */
static double fade_along(const dls_carrier *a, const dls_carrier *b, dls_vec3 within,
                         dls_vec3 slide, double s) {
  const bool straight = a->ruled || b->ruled;
  if (!(a->ellipsoid || b->ellipsoid || a->runs || b->runs || straight)) return 1;
  const double on_a = dls_v3_norm(dls_v3_add(within, slide)) / a->reach,
               on_b = dls_v3_norm(within) / b->reach;
  return fade_by_way(s * dls_max(on_a, on_b));
}

dls_carried dls_carried_shift(const dls_carrier *a, const dls_carrier *b, dls_vec3 n, double s) {
  const dls_vec3 v_a = velocity_of(a), v_b = velocity_of(b), rel = dls_v3_sub(v_b, v_a);
  const double v_n = dls_v3_dot(n, rel);
  const dls_vec3 slide = dls_v3_axpy(rel, -v_n, n);
  dls_vec3 dn;
  const dls_vec3 within = roll(a, b, n, slide, s, &dn);
  dls_vec3 c = dls_v3_add(v_b, within);
  /* What strikes a given body keeps its own arm: they touch when the gap has shut. */
  if (b->given) c = dls_v3_axpy(c, -v_n, n);
  else if (!a->given) c = dls_v3_axpy(c, -0.5 * v_n, n);
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
