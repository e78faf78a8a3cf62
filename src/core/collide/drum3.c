/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/flat3.h"
#include "core/collide/make.h"
#include "core/collide/manifold3.h"
#include "core/collide/pairs3.h"
#include "core/collide/rods.h"
#include "core/math/elementary.h"

/* The inside of a drum, everything in its own frame. A convex body is nearest to the shell at
** points farthest from the axis: corners, ends, or points of rims. */

typedef struct shell {
  const dls_shape *drum; /* borrowed */
  const dls_pose3 *pose; /* of the drum                */
  dls_manifold3 m;       /* points found               */
  dls_sink *sink;        /* where touches go */
} shell;

/* p in the drum's frame is the centre of a ball of radius r. */
static void put_ball(shell *s, dls_vec3 p, double r, uint64_t key) {
  double R = s->drum->radius, dist = sqrt(p.y * p.y + p.z * p.z);
  if (fabs(p.x) > s->drum->half.x) return; /* beyond the open end */
  double y = dist > 0 ? p.y / dist : 1, z = dist > 0 ? p.z / dist : 0;
  dls_vec3 on_a = dls_v3(p.x, R * y, R * z), on_b = dls_v3(p.x, p.y + r * y, p.z + r * z);
  dls_vec3 n = dls_m3_apply(&s->pose->R, dls_v3(0, -y, -z));
  dls_manifold3_add(&s->m, s->sink, dls_pose3_apply(s->pose, on_a), dls_pose3_apply(s->pose, on_b),
                    n, R - r - dist, key);
}

/* A circle or ellipse c + r (cos t e + sin t g): its squared distance from the axis is
**   f(t) = |c|^2 + 2 r c.(cos t e + sin t g) + r^2 |cos t e + sin t g|^2    (y and z only). */
typedef struct rim {
  dls_vec3 c, e, g; /* centre and two directions, of a circle orthonormal; drum's frame */
  double r;         /* m: no point is farther from c                                    */
} rim;

/* The point in the direction z = (cos t, sin t), f and half of its rate. */
static dls_vec3 rim_at(const rim *w, dls_vec2 z, double *f, double *slope) {
  dls_vec3 u = dls_v3_axpy(dls_v3_scale(z.x, w->e), z.y, w->g);
  dls_vec3 du = dls_v3_axpy(dls_v3_scale(z.x, w->g), -z.y, w->e);
  dls_vec3 p = dls_v3_axpy(w->c, w->r, u);
  *f = p.y * p.y + p.z * p.z;
  *slope = p.y * du.y + p.z * du.z;
  return p;
}

#define SAMPLES 24   /* around the rim: f has at most two maxima                */
#define HALVINGS 45  /* of the angle between two samples, at most: to rounding */

/* Each maximum of f: bracketed by samples, then false position (Illinois) with a halving every
** third time, to where the rate is rounding. */
static void put_rim(shell *s, const rim *w, uint64_t key) {
  double f[SAMPLES], slope[SAMPLES], low = DLS_INF, high = 0, value;
  dls_vec2 z[SAMPLES + 1];
  for (int k = 0; k <= SAMPLES; k++)
    dls_sincos(k * (2 * DLS_PI / SAMPLES), &z[k].y, &z[k].x);
  for (int k = 0; k < SAMPLES; k++) {
    rim_at(w, z[k], &f[k], &slope[k]);
    low = dls_min(low, f[k]), high = dls_max(high, f[k]);
  }
  double scale = sqrt(high) + w->r;
  if (high - low <= 1e-18 * scale * scale) { /* round the axis: all points alike */
    for (int k = 0; k < 4; k++) {
      double rate;
      put_ball(s, rim_at(w, z[k * SAMPLES / 4], &value, &rate), 0, key + 4 + (uint64_t)k);
    }
    return;
  }
  int found = 0;
  for (int k = 0; k < SAMPLES && found < 2; k++) {
    double fa = slope[k], fb = slope[(k + 1) % SAMPLES], rate;
    if (!(fa > 0 && fb <= 0)) continue;
    dls_vec2 a = z[k], b = z[k + 1], m = a;
    dls_vec3 p = rim_at(w, m, &value, &rate);
    for (int i = 0; i < HALVINGS; i++) {
      double share = i % 3 == 2 ? 0.5 : dls_clamp(fa / (fa - fb), 1e-3, 1 - 1e-3);
      m = dls_v2_axpy(dls_v2_scale(1 - share, a), share, b);
      m = dls_v2_scale(1 / dls_v2_norm(m), m);
      p = rim_at(w, m, &value, &rate);
      if (fabs(rate) <= 1e-16 * scale) break;
      if (rate > 0) a = m, fa = rate, fb *= 0.5;
      else b = m, fb = rate, fa *= 0.5;
    }
    put_ball(s, p, 0, key + (uint64_t)found++);
  }
}

/* The points A u of an ellipsoid, |u| = 1, A = R D, whose normals are across the axis x of the
** drum: u . A^-1 x = 0, an ellipse. */
static rim outline_of(const dls_shape *b, const dls_pose3 *local) {
  const dls_vec3 x = dls_m3_row(&local->R, 0);
  const dls_vec3 u = dls_v3_unit(dls_v3(x.x / b->half.x, x.y / b->half.y, x.z / b->half.z));
  const dls_vec3 e = dls_v3_orthogonal(u), g = dls_v3_cross(u, e);
  const dls_vec3 share = dls_v3(b->half.x / b->reach, b->half.y / b->reach, b->half.z / b->reach);
  const dls_vec3 De = dls_v3(share.x * e.x, share.y * e.y, share.z * e.z);
  const dls_vec3 Dg = dls_v3(share.x * g.x, share.y * g.y, share.z * g.z);
  return (rim){local->p, dls_m3_apply(&local->R, De), dls_m3_apply(&local->R, Dg), b->reach};
}

static void put_shell(shell *s, const dls_shape *b, const dls_pose3 *local) {
  bool round = b->kind == DLS_SHAPE_SPHERE || b->kind == DLS_SHAPE_CAPSULE;
  s->m.n = 0;
  if (b->kind == DLS_SHAPE_CYLINDER || b->kind == DLS_SHAPE_CONE) {
    for (int end = 0; end < 2; end++) {
      double r = end == 1 && b->kind == DLS_SHAPE_CONE ? b->radius2 : b->radius;
      dls_vec3 c = dls_pose3_apply(local, dls_v3(end == 1 ? b->half.x : -b->half.x, 0, 0));
      rim w = {c, dls_m3_column(&local->R, 1), dls_m3_column(&local->R, 2), r};
      if (r > 0) put_rim(s, &w, 8 * (uint64_t)end);
      else put_ball(s, c, 0, 8 * (uint64_t)end);
    }
  } else if (b->kind == DLS_SHAPE_ELLIPSOID) {
    const rim outline = outline_of(b, local);
    put_rim(s, &outline, 0);
  } else {
    for (int i = 0; i < b->n_points; i++)
      put_ball(s, dls_pose3_apply(local, b->points[i]), round ? b->radius : 0, (uint64_t)i);
  }
  dls_manifold3_put(&s->m, s->sink);
}

/* How far a body reaches from the axis of the drum, at most. */
static double farthest_out(const dls_shape *b, const dls_pose3 *local) {
  double most = 0;
  if (b->kind != DLS_SHAPE_SPHERE && b->kind != DLS_SHAPE_CAPSULE)
    return sqrt(local->p.y * local->p.y + local->p.z * local->p.z) + b->reach;
  for (int i = 0; i < b->n_points; i++) {
    const dls_vec3 p = dls_pose3_apply(local, b->points[i]);
    most = dls_max(most, p.y * p.y + p.z * p.z);
  }
  return sqrt(most) + b->radius;
}

/* How far it reaches along d, in the drum's frame. */
static double reach_along(const dls_shape *b, const dls_pose3 *local, dls_vec3 d) {
  return dls_v3_dot(d, local->p) + dls_shape_extent3(b, dls_m3_apply_t(&local->R, d));
}

/* Bar k as a box that goes on outward beyond the shell, so that its back is never the nearest. */
static void put_lifter(const dls_shape *a, const dls_pose3 *pose_a, int k, const dls_shape *b,
                       const dls_pose3 *pose_b, const dls_pose3 *local_b, dls_sink *sink) {
  const dls_vec3 at = local_b->p;
  const dls_lifters *l = &a->lifters;
  dls_vec3 d = {0, a->dirs[k].x, a->dirs[k].y}, t = {0, -d.z, d.y};
  double near = b->reach + sink->margin, in = a->radius - l->height;
  double out = a->radius + l->height + l->width;
  if (fabs(dls_v3_dot(t, at)) > near + 0.5 * l->width || dls_v3_dot(d, at) < in - near) return;
  const double slack = sink->margin + 1e-9 * b->reach;
  const dls_vec3 back = dls_v3_dot(t, at) > 0 ? dls_v3_neg(t) : t;
  if (reach_along(b, local_b, d) < in - slack) return;
  if (reach_along(b, local_b, back) < -0.5 * l->width - slack) return;
  /* An endless drum has bars that go beyond the body on both sides. */
  double half = dls_min(a->half.x, fabs(at.x) + 4 * b->reach + a->radius);
  dls_box_room bar;
  dls_box_over(&bar, dls_v3(half, 0.5 * (out - in), 0.5 * l->width));
  dls_pose3 local = {dls_m3_columns(dls_v3(1, 0, 0), d, t), dls_v3_scale(0.5 * (in + out), d)};
  dls_pose3 pose = dls_pose3_mul(pose_a, &local);
  dls_pair3_convex(&bar.shape, &pose, b, pose_b, sink);
}

bool dls_rod_inside(const dls_shape *drum, const dls_pose3 *pose, const dls_rod *rod,
                    double margin) {
  const dls_vec3 c = dls_pose3_back(pose, rod->c), u = dls_m3_apply_t(&pose->R, rod->u);
  const dls_vec3 p = dls_v3_axpy(c, rod->half, u), q = dls_v3_axpy(c, -rod->half, u);
  const double around = rod->r + margin + 4e-9 * (rod->half + rod->r),
               hole = drum->radius - drum->lifters.height - around;
  const double most = dls_max(p.y * p.y + p.z * p.z, q.y * q.y + q.z * q.z);
  if (!(hole > 0 && most < hole * hole)) return false;
  return !drum->ends || dls_max(fabs(p.x), fabs(q.x)) + around < drum->half.x;
}

void dls_pair3_drum(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                    const dls_pose3 *pose_b, dls_sink *sink) {
  dls_pose3 local = {dls_m3_t_mul(&pose_a->R, &pose_b->R), dls_pose3_back(pose_a, pose_b->p)};
  dls_vec3 at = local.p;
  const double slack = sink->margin + 1e-9 * b->reach;
  bool touching = farthest_out(b, &local) + slack >= a->radius - a->lifters.height;
  if (touching) {
    shell s;
    s.drum = a, s.pose = pose_a, s.sink = sink;
    put_shell(&s, b, &local);
  }
  for (int end = 0; end < 2 && a->ends; end++) {
    double sign = end == 0 ? -1 : 1;
    dls_vec3 wall = dls_v3(sign * a->half.x, 0, 0);
    dls_flat3 f = {dls_m3_apply(&pose_a->R, dls_v3(-sign, 0, 0)),
                   dls_m3_apply(&pose_a->R, dls_v3_sub(at, wall))};
    uint64_t before = dls_sink_enter(sink, end, true);
    dls_flat3_put(f, b, pose_b, sink);
    dls_sink_leave(sink, before);
  }
  for (int k = 0; k < a->lifters.count && touching; k++) {
    uint64_t before = dls_sink_enter(sink, 2 + k, true);
    put_lifter(a, pose_a, k, b, pose_b, &local, sink);
    dls_sink_leave(sink, before);
  }
}
