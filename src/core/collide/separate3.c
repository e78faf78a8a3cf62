/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/separate3.h"

#include "core/collide/bound3.h"
#include "core/collide/box3.h"
#include "core/collide/ellipsoid.h"
#include "core/collide/segments.h"

#define HALVINGS 36   /* at most: every third halves an eighth of a turn                      */
#define NEWTON 12     /* rounds on the sphere; quadratic from a start that GJK has made near  */
#define MANY_AXES 3   /* beyond, only circles close to the best direction so far are searched */
#define NEAR_CIRCLE 0.4
/* of climbing in turn while it helps */
#define ROUNDS 4
/* of the smaller thickness or the overlap: what a proof may leave open ... */
#define PROOF 1e-7
/* ... but not less than this share of what both reach */
#define PROOF_REACH 3e-9
/* of both bodies' reach, or of how far they are: the last digits of a separation */
#define ROUNDING 1e-14
#define KNOWN 4        /* pairs of points that bound other directions */
/* of both bodies' reach: as much below the best is below it in the last digits, too */
#define CLEARLY 1e-6

typedef struct search {
  const dls_body3 *a, *b; /* the pair */
  dls_vec3 front;         /* half space of normals allowed, or zero */
  double enough;          /* stop here                              */
  dls_separation3 best;   /* the largest separation so far */
  dls_vec3 known[KNOWN];  /* y - x of some directions, the last ones */
  unsigned n_known;       /* of known, counted on without end */
} search;

dls_body3 dls_body3_make(const dls_shape *shape, const dls_pose3 *pose, dls_vec3 origin) {
  dls_body3 body = {shape, pose->R, dls_v3_sub(pose->p, origin), 0};
  if (shape->kind == DLS_SHAPE_CONE) {
    double fall = shape->radius - shape->radius2, length = 2 * shape->half.x;
    body.tilt = fall / sqrt(fall * fall + length * length);
  }
  return body;
}

static dls_vec3 corner(const dls_shape *shape, dls_vec3 d) {
  int best = 0;
  double most = -DLS_INF;
  for (int i = 0; i < shape->n_points; i++) {
    double s = dls_v3_dot(shape->points[i], d);
    if (s > most) most = s, best = i;
  }
  return shape->points[best];
}

static bool is_log(const dls_shape *s) {
  return s->kind == DLS_SHAPE_CYLINDER || s->kind == DLS_SHAPE_CONE;
}

/* The point of the rim of the larger value: at -h with radius r1, or at h with r2. */
static dls_vec3 rim(const dls_body3 *body, dls_vec3 n) {
  const dls_shape *s = body->shape;
  const double h = s->half.x, r1 = s->radius, r2 = s->kind == DLS_SHAPE_CONE ? s->radius2 : r1;
  const dls_vec3 d = dls_m3_apply_t(&body->R, n);
  const double across = sqrt(d.y * d.y + d.z * d.z);
  const bool upper = h * d.x + r2 * across > -h * d.x + r1 * across;
  const double r = upper ? r2 : r1, share = across > 0 ? r / across : 0;
  const dls_vec3 q = dls_v3(upper ? h : -h, across > 0 ? share * d.y : r, share * d.z);
  return dls_v3_add(body->p, dls_m3_apply(&body->R, q));
}

static inline dls_vec3 of_box(const dls_body3 *body, dls_vec3 n) {
  const dls_vec3 d = dls_m3_apply_t(&body->R, n), half = body->shape->half;
  static const double sign[2] = {1, -1}; /* boxes at rest have d near 0: no branches */
  const dls_vec3 q = dls_v3(sign[d.x < 0] * half.x, sign[d.y < 0] * half.y, sign[d.z < 0] * half.z);
  return dls_v3_add(body->p, dls_m3_apply(&body->R, q));
}

dls_vec3 dls_body3_support(const dls_body3 *body, dls_vec3 n) {
  const dls_shape *s = body->shape;
  if (s->kind == DLS_SHAPE_BOX) return of_box(body, n);
  if (is_log(s)) return rim(body, n);
  dls_vec3 d = dls_m3_apply_t(&body->R, n), q;
  if (s->kind == DLS_SHAPE_ELLIPSOID)
    q = dls_ellipsoid_point(s->half, d);
  else
    q = corner(s, d);
  return dls_v3_add(body->p, dls_m3_apply(&body->R, q));
}

double dls_body3_depth(const dls_body3 *body, dls_vec3 p) {
  const dls_shape *s = body->shape;
  const dls_vec3 r = dls_m3_apply_t(&body->R, dls_v3_sub(p, body->p));
  double depth = DLS_INF;
  if (is_log(s)) {
    /* The side is the line from (-h, r1) to (h, r2) of the half plane (x, distance from the
    ** axis). */
    const double r1 = s->radius, r2 = s->kind == DLS_SHAPE_CONE ? s->radius2 : r1;
    const double middle = 0.5 * (r1 + r2) - body->tilt / sqrt(1 - body->tilt * body->tilt) * r.x;
    const double side = sqrt(1 - body->tilt * body->tilt) * (middle - sqrt(r.y * r.y + r.z * r.z));
    return dls_min(s->half.x - fabs(r.x), side);
  }
  if (s->kind == DLS_SHAPE_ELLIPSOID) return dls_ellipsoid_depth(s->half, r);
  /* a point, a line, a triangle */
  if (s->n_faces < 4 || s->kind == DLS_SHAPE_CAPSULE) return -DLS_INF;
  for (int i = 0; i < s->n_faces; i++)
    depth = dls_min(depth, s->faces[i].offset - dls_v3_dot(s->faces[i].normal, r));
  return depth;
}

/* Evaluates s at the unit vector n and keeps it where it is better. */
static dls_separation3 look(search *f, dls_vec3 n) {
  dls_separation3 s = {-DLS_INF, n, {0, 0, 0}, {0, 0, 0}};
  if (dls_behind(n, f->front)) return s;
  s.x = dls_body3_support(f->a, n);
  s.y = dls_body3_support(f->b, dls_v3_neg(n));
  s.value = dls_v3_dot(n, dls_v3_sub(s.y, s.x));
  if (s.value > f->best.value) f->best = s;
  return s;
}

/* Whether n, |n| = 1 but for less than 1e-7, clearly has less than the best, which keeps its bits
** then: s(n) <= n . (y - x) for all x of a and y of b. */
static bool is_less(const search *f, dls_vec3 n) {
  const double limit = f->best.value - CLEARLY * (f->a->shape->reach + f->b->shape->reach);
  const unsigned known = f->n_known < KNOWN ? f->n_known : KNOWN;
  if (dls_v3_dot(n, dls_v3_sub(f->best.y, f->best.x)) < limit) return true;
  for (unsigned i = 0; i < known; i++)
    if (dls_v3_dot(n, f->known[i]) < limit) return true;
  return false;
}

/* As look, and remembers its points. */
static void look_among(search *f, dls_vec3 n) {
  const dls_separation3 s = look(f, n);
  if (s.value > -DLS_INF) f->known[f->n_known++ % KNOWN] = dls_v3_sub(s.y, s.x);
}

static bool has_front(const search *f) { return dls_v3_dot(f->front, f->front) > 0; }

static bool done(const search *f) { return f->best.value > f->enough; }

/* --- face normals ---------------------------------------------------------------------------- */

static void look_faces(search *f, const dls_body3 *body, double sign) {
  const dls_shape *s = body->shape;
  if (is_log(s)) {
    dls_vec3 u = dls_m3_column(&body->R, 0);
    look(f, u);
    look(f, dls_v3_neg(u));
    return;
  }
  for (int i = 0; i < s->n_faces && s->kind != DLS_SHAPE_CAPSULE; i++)
    look_among(f, dls_m3_apply(&body->R, dls_v3_scale(sign, s->faces[i].normal)));
}

/* --- where two circles meet ------------------------------------------------------------------ */

/* n . e = k and n . g = l, |n| = 1: n = alpha e + beta g +- gamma e x g. Bits of signs: 1 the
** upper, 2 the lower. */
static void look_crossing(search *f, dls_vec3 e, double k, dls_vec3 g, double l, unsigned signs) {
  dls_vec3 w = dls_v3_cross(e, g);
  double ww = dls_v3_dot(w, w), c = dls_v3_dot(e, g);
  if (!(ww > 1e-14)) return;
  const bool level = k == 0 && l == 0; /* of edges, not of a cone's side */
  double alpha = level ? 0 : (k - c * l) / ww, beta = level ? 0 : (l - c * k) / ww;
  double rest = (1 - alpha * alpha - beta * beta - 2 * alpha * beta * c) / ww;
  if (rest < 0) return;
  const dls_vec3 base = dls_v3_axpy(dls_v3_scale(alpha, e), beta, g);
  const double root = sqrt(rest);
  for (unsigned sign = 1; sign <= 2; sign++) {
    const dls_vec3 n = dls_v3_axpy(base, sign == 1 ? root : -root, w);
    if ((signs & sign) && !(ww > 1e-6 && is_less(f, n))) look_among(f, dls_v3_unit(n));
  }
}

/* Where the circles of a body meet the edge of what the front allows. */
static void look_front(search *f, const dls_body3 *body, double sign) {
  for (int i = 0; i < body->shape->n_axes; i++)
    look_crossing(f, f->front, 0, dls_m3_apply(&body->R, body->shape->axes[i]), sign * body->tilt,
                  3);
}

static void look_crossings(search *f) {
  if (has_front(f)) look_front(f, f->a, 1), look_front(f, f->b, -1);
  for (int i = 0; i < f->a->shape->n_axes; i++) {
    dls_vec3 e = dls_m3_apply(&f->a->R, f->a->shape->axes[i]);
    for (int j = 0; j < f->b->shape->n_axes; j++) {
      dls_vec3 g = dls_m3_apply(&f->b->R, f->b->shape->axes[j]);
      look_crossing(f, e, f->a->tilt, g, -f->b->tilt, 3);
    }
  }
}

/* --- along one circle ------------------------------------------------------------------------ */

typedef struct circle {
  dls_vec3 c, e, g; /* n = c + z.x e + z.y g, unit for all unit z */
} circle;

/* The sign of ds/dt at z = (cos t, sin t). */
static double rate(search *f, const circle *o, dls_vec2 z) {
  dls_vec3 n = dls_v3_add(o->c, dls_v3_axpy(dls_v3_scale(z.x, o->e), z.y, o->g));
  dls_vec3 tangent = dls_v3_axpy(dls_v3_scale(-z.y, o->e), z.x, o->g);
  n = dls_v3_unit(n);
  dls_separation3 s = look(f, n);
  if (s.value == -DLS_INF) { /* behind the front */
    s.x = dls_body3_support(f->a, n);
    s.y = dls_body3_support(f->b, dls_v3_neg(n));
  }
  return dls_v3_dot(tangent, dls_v3_sub(s.y, s.x));
}

/* The direction the share w of the way from a to b, less than half a turn apart. */
static dls_vec2 between(dls_vec2 a, dls_vec2 b, double w) {
  dls_vec2 z = dls_v2_axpy(dls_v2_scale(1 - w, a), w, b);
  return dls_v2_scale(1 / dls_v2_norm(z), z);
}

/* Climbs from the direction `from` projected on the circle: eighths of a turn until s' changes its
** sign, then false position (Illinois) with a halving every third time. A root at a jump of s' is a
** crossing of circles, tried elsewhere, so only smooth roots need the last digits. */
static void climb_circle(search *f, dls_vec3 axis, double k, dls_vec3 from) {
  dls_vec3 e = dls_v3_axpy(from, -dls_v3_dot(from, axis), axis);
  e = dls_v3_norm(e) > 1e-9 ? dls_v3_unit(e) : dls_v3_orthogonal(axis);
  double radius = sqrt(dls_max(0, 1 - k * k)), fa, fb, half = sqrt(0.5);
  circle o = {dls_v3_scale(k, axis), dls_v3_scale(radius, e),
              dls_v3_scale(radius, dls_v3_cross(axis, e))};
  dls_vec2 a = {1, 0}, b = a;
  fa = rate(f, &o, a);
  double way = fa > 0 ? 1 : -1;
  for (int i = 0; i < 6; i++) {
    dls_vec2 z = b;
    b = dls_v2(half * (z.x - way * z.y), half * (z.y + way * z.x));
    fb = rate(f, &o, b);
    if (!(fb * way > 0)) break;
    a = b, fa = fb;
  }
  if (fb * way > 0) return;
  double enough = 1e-16 * (f->a->shape->reach + f->b->shape->reach);
  int side = 0;
  for (int i = 0; i < HALVINGS && !done(f); i++) {
    double w = i % 3 == 2 || fa == fb ? 0.5 : fa / (fa - fb);
    dls_vec2 z = between(a, b, dls_clamp(w, 1e-3, 1 - 1e-3));
    double fz = rate(f, &o, z);
    if (fabs(fz) * dls_v2_norm(dls_v2_sub(b, a)) <= enough) return;
    if (fz * way > 0) {
      a = z, fa = fz;
      if (side == 1) fb *= 0.5;
      side = 1;
    } else {
      b = z, fb = fz;
      if (side == 2) fa *= 0.5;
      side = 2;
    }
  }
}

static void climb_circles(search *f, const dls_body3 *body, double sign, dls_vec3 from) {
  int n = body->shape->n_axes;
  for (int i = 0; i < n && !done(f); i++) {
    dls_vec3 axis = dls_m3_apply(&body->R, body->shape->axes[i]);
    double k = sign * body->tilt;
    if (n > MANY_AXES && fabs(dls_v3_dot(from, axis) - k) > NEAR_CIRCLE) continue;
    climb_circle(f, axis, k, from);
  }
}

/* --- on the sphere ------------------------------------------------------------------------- */

static void add_bend(const dls_body3 *body, dls_vec3 n, dls_vec3 x, dls_vec3 e, dls_vec3 g,
                     double H[3]) {
  const dls_vec3 semi = body->shape->half, d = dls_m3_apply_t(&body->R, n);
  const dls_vec3 at = dls_m3_apply_t(&body->R, dls_v3_sub(x, body->p));
  const dls_vec3 u = dls_m3_apply_t(&body->R, e), v = dls_m3_apply_t(&body->R, g);
  const double sign = dls_v3_dot(d, at) < 0 ? -1 : 1; /* b is met along -n */
  const dls_vec3 out = dls_v3_scale(sign, d);
  H[0] += dls_ellipsoid_bend(semi, out, at, u, u);
  H[1] += dls_ellipsoid_bend(semi, out, at, u, v);
  H[2] += dls_ellipsoid_bend(semi, out, at, v, v);
}

/* Second derivative of the support function n . x(n) of a rim: r / |n across| along u x n; of an
** ellipsoid. */
static void add_curvature(const dls_body3 *body, dls_vec3 n, dls_vec3 x, dls_vec3 e, dls_vec3 g,
                          double H[3]) {
  const dls_shape *s = body->shape;
  if (s->kind == DLS_SHAPE_ELLIPSOID) {
    add_bend(body, n, x, e, g, H);
    return;
  }
  if (!is_log(s)) return;
  dls_vec3 u = dls_m3_column(&body->R, 0), t = dls_v3_cross(u, n);
  double across = dls_v3_norm(t);
  if (!(across > 1e-9)) return;
  bool tip = dls_v3_dot(u, dls_v3_sub(x, body->p)) > 0 && s->kind == DLS_SHAPE_CONE;
  double c = (tip ? s->radius2 : s->radius) / across;
  double te = dls_v3_dot(t, e) / across, tg = dls_v3_dot(t, g) / across;
  H[0] += c * te * te, H[1] += c * te * tg, H[2] += c * tg * tg;
}

/* A step e te + g tg across a direction. */
typedef struct turn {
  dls_vec3 e, g; /* unit, across the direction and each other */
  double te, tg; /* rad, small */
} turn;

/* Newton's for a stationary s: the Hessian of -s on the sphere is that of both curved bodies plus
** s. Where that is not definite, one up the slope of unit length; false where there is none. */
static bool newton(const search *f, const dls_separation3 *s, turn *out) {
  dls_vec3 e = dls_v3_orthogonal(s->n), g = dls_v3_cross(s->n, e), d = dls_v3_sub(s->y, s->x);
  double H[3] = {s->value, 0, s->value}, de = dls_v3_dot(d, e), dg = dls_v3_dot(d, g);
  add_curvature(f->a, s->n, s->x, e, g, H);
  add_curvature(f->b, s->n, s->y, e, g, H);
  double det = H[0] * H[2] - H[1] * H[1], trace = H[0] + H[2], te = de, tg = dg;
  if (det > 1e-14 * trace * trace && trace > 0) {
    te = (H[2] * de - H[1] * dg) / det;
    tg = (H[0] * dg - H[1] * de) / det;
  } else {
    double size = sqrt(de * de + dg * dg);
    if (!(size > 0)) return false;
    te /= size, tg /= size;
  }
  *out = (turn){e, g, te, tg};
  return true;
}

static dls_vec3 turned(dls_vec3 n, const turn *by, double share) {
  return dls_v3_unit(dls_v3_axpy(dls_v3_axpy(n, share * by->te, by->e), share * by->tg, by->g));
}

/* From `start`, as long as s grows. */
static void climb_sphere(search *f, dls_vec3 start) {
  dls_separation3 s = look(f, start);
  for (int round = 0; round < NEWTON && !done(f) && s.value > -DLS_INF; round++) {
    turn by;
    double before = s.value, share = 1;
    if (!newton(f, &s, &by)) return;
    for (int half = 0; half < 12 && !(s.value > before); half++, share *= 0.5) {
      dls_separation3 t = look(f, turned(s.n, &by, share));
      if (t.value > before) s = t;
    }
    if (!(s.value > before)) return;
  }
}

/* How far the two points are apart across the direction, m: zero where s is stationary. */
static double aside(const dls_separation3 *s) {
  const dls_vec3 d = dls_v3_sub(s->y, s->x);
  return dls_v3_norm(dls_v3_axpy(d, -dls_v3_dot(d, s->n), s->n));
}

/* The direction to its last digits, where an ellipsoid meets a point or another ellipsoid: s itself
** is level to second order, and so tells only half of them. */
static void polish(search *f) {
  const double some = ROUNDING * (f->a->shape->reach + f->b->shape->reach);
  for (int round = 0; round < 2; round++) {
    const dls_separation3 was = f->best;
    turn by;
    if (!newton(f, &was, &by)) return;
    const dls_separation3 now = look(f, turned(was.n, &by, 1));
    f->best = now.value >= was.value - some && aside(&now) < aside(&was) ? now : was;
  }
}

/* The distance of a pair of points, which no direction exceeds; 0 where the bodies meet. */
static double look_gjk(search *f) {
  dls_vec3 x, y;
  if (!dls_gjk3(f->a, f->b, &x, &y)) return 0;
  const dls_vec3 v = dls_v3_sub(y, x);
  look(f, dls_v3_unit(v));
  return dls_v3_norm(v);
}

bool dls_body3_round(const dls_body3 *body) {
  return is_log(body->shape) || body->shape->kind == DLS_SHAPE_ELLIPSOID;
}

/* Half of the least measure of a body, m. */
static double thickness(const dls_shape *s) {
  if (is_log(s)) return dls_min(dls_max(s->radius, s->radius2), s->half.x);
  if (s->kind == DLS_SHAPE_BOX || s->kind == DLS_SHAPE_ELLIPSOID)
    return dls_min(s->half.x, dls_min(s->half.y, s->half.z));
  return s->kind == DLS_SHAPE_CAPSULE ? s->radius : s->reach;
}

/* The direction between the nearest points of the two axes (or origins), and what is left of it
** across each axis: sides on sides. */
static void look_axes(search *f) {
  const dls_body3 *a = f->a, *b = f->b;
  bool ra = is_log(a->shape) || a->shape->kind == DLS_SHAPE_CAPSULE;
  bool rb = is_log(b->shape) || b->shape->kind == DLS_SHAPE_CAPSULE;
  dls_vec3 u = dls_m3_column(&a->R, 0), v = dls_m3_column(&b->R, 0), d = dls_v3_sub(b->p, a->p);
  dls_nearest near =
      dls_segments_nearest(d, u, ra ? a->shape->half.x : 0, v, rb ? b->shape->half.x : 0);
  d = dls_v3_sub(dls_v3_axpy(d, near.t, v), dls_v3_scale(near.s, u));
  if (!(dls_v3_norm(d) > 0)) d = dls_v3(1, 0, 0);
  dls_vec3 n = dls_v3_unit(d);
  look(f, n);
  for (int k = 0; k < 2; k++) {
    const dls_body3 *body = k == 0 ? a : b;
    if (!is_log(body->shape)) continue;
    dls_vec3 axis = k == 0 ? u : v, e = dls_v3_axpy(n, -dls_v3_dot(n, axis), axis);
    double tilt = k == 0 ? body->tilt : -body->tilt;
    if (!(dls_v3_norm(e) > 1e-9)) continue;
    look(f, dls_v3_axpy(dls_v3_scale(tilt, axis), sqrt(1 - tilt * tilt), dls_v3_unit(e)));
  }
}

static void look_all(search *f) {
  look_axes(f);
  if (!done(f)) look_faces(f, f->a, 1);
  if (!done(f)) look_faces(f, f->b, -1);
  if (!done(f)) look_crossings(f);
}

/* Of two boxes those alone that may have the most. */
static void look_boxes(search *f, unsigned directions) {
  if (directions & DLS_BOXES_BETWEEN) look_axes(f);
  for (int i = 0; i < 12; i++) {
    if (!(directions >> (DLS_BOXES_FACE + i) & 1)) continue;
    const dls_body3 *body = i < 6 ? f->a : f->b;
    look(f, dls_m3_apply(&body->R, dls_v3_scale(i < 6 ? 1 : -1, body->shape->faces[i % 6].normal)));
  }
  unsigned crossings = directions >> DLS_BOXES_CROSSING;
  for (int i = 0; crossings; i++, crossings >>= 2) {
    if (!(crossings & 3)) continue;
    const dls_vec3 e = dls_m3_apply(&f->a->R, f->a->shape->axes[i / 3]);
    const dls_vec3 g = dls_m3_apply(&f->b->R, f->b->shape->axes[i % 3]);
    look_crossing(f, e, f->a->tilt, g, -f->b->tilt, crossings & 3);
  }
}

dls_separation3 dls_separate3_candidates(const dls_body3 *a, const dls_body3 *b, double enough,
                                         dls_vec3 front) {
  search f = {a, b, front, enough, {-DLS_INF, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}}, 0};
  const bool boxes =
      a->shape->kind == DLS_SHAPE_BOX && b->shape->kind == DLS_SHAPE_BOX && !has_front(&f);
  const unsigned directions = boxes ? dls_boxes_directions(a, b, enough) : DLS_BOXES_ALL;
  if (directions == DLS_BOXES_ALL) look_all(&f);
  else look_boxes(&f, directions);
  return f.best;
}

double dls_separate3_tolerance(const dls_body3 *a, const dls_body3 *b, double value) {
  const double thin = dls_min(thickness(a->shape), thickness(b->shape));
  const double last_digits = ROUNDING * (dls_v3_norm(a->p) + dls_v3_norm(b->p));
  const double proof =
      dls_max(PROOF * dls_max(thin, -value), PROOF_REACH * (a->shape->reach + b->shape->reach));
  return dls_max(proof, last_digits);
}

/* Each way of climbing may bring the other near its summit. */
static void climb(search *f) {
  double before = -DLS_INF;
  const bool round = dls_body3_round(f->a) || dls_body3_round(f->b);
  const double some = ROUNDING * (f->a->shape->reach + f->b->shape->reach);
  for (int k = 0; k < ROUNDS && f->best.value > before && !done(f); k++) {
    before = f->best.value + some;
    climb_sphere(f, f->best.n);
    const dls_vec3 n = f->best.n;
    if (round && !done(f)) climb_circles(f, f->a, 1, n);
    if (round && !done(f)) climb_circles(f, f->b, -1, n);
    if (has_front(f) && !done(f)) climb_circle(f, f->front, 0, n);
  }
}

dls_separation3 dls_separate3(const dls_body3 *a, const dls_body3 *b, double enough,
                              dls_vec3 front, const dls_separation3 *from) {
  search f = {a, b, front, enough, *from, {{0, 0, 0}}, 0};
  const double size = a->shape->reach + b->shape->reach;
  dls_vec3 middle = dls_v3_sub(b->p, a->p);
  middle = dls_v3_norm(middle) > 0 ? dls_v3_unit(middle) : dls_v3(1, 0, 0);
  look(&f, middle);
  /* Two bodies with flat faces that overlap: faces and crossings are all there is. */
  const bool round = dls_body3_round(a) || dls_body3_round(b);
  const bool smooth =
      a->shape->kind == DLS_SHAPE_ELLIPSOID || b->shape->kind == DLS_SHAPE_ELLIPSOID;
  if (done(&f) || !(round || f.best.value > 1e-13 * size)) return f.best;
  if (!round) {
    const double most = look_gjk(&f); /* two points at that distance: no direction has more */
    if (!(most > 0 && most - f.best.value <= ROUNDING * size)) climb(&f);
    return f.best;
  }
  for (;;) {
    climb(&f);
    const double tolerance = dls_separate3_tolerance(a, b, f.best.value);
    if (done(&f)) break;
    /* two points at that distance */
    if (smooth && f.best.value >= 0 && aside(&f.best) <= tolerance) break;
    const double reached = f.best.value, most = reached > -tolerance ? look_gjk(&f) : 0;
    if (f.best.value > reached) climb(&f);
    if (done(&f) || most - f.best.value <= tolerance) break;
    const double depth = dls_max(dls_body3_depth(a, f.best.y), dls_body3_depth(b, f.best.x));
    if (depth > 0 && -depth - f.best.value <= tolerance) break;
    dls_separation3 better = f.best;
    if (dls_bound3(a, b, front, dls_v3_sub(better.y, better.x), tolerance, &better)) break;
    look(&f, better.n);
  }
  if (smooth && !done(&f)) polish(&f);
  return f.best;
}
