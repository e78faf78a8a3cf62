/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/pairs3.h"
#include "core/collide/segments.h"

/* Line contact: the ends of the common part of two axes are told where the gap there exceeds the
** least one by less than this share of the radii (the lens of two capsules crossing flatly). */
#define LINE 1e-2
/* ... and the nearest point between them where it is nearer by more than this share. */
#define LENS 1e-9

typedef struct axis {
  dls_vec3 c, u; /* centre, relative to the origin; unit axis */
  double h, r;   /* half length; radius                       */
} axis;

static axis take(const dls_shape *shape, const dls_pose3 *pose, dls_vec3 origin) {
  return (axis){dls_v3_sub(pose->p, origin), dls_m3_column(&pose->R, 0), shape->half.x,
                shape->radius};
}

/* The point at the places s and t of the axes; fallback is the normal of crossing axes. */
static double place(const axis *a, const axis *b, double s, double t, dls_vec3 fallback,
                    dls_vec3 *n) {
  dls_vec3 d = dls_v3_sub(dls_v3_axpy(b->c, t, b->u), dls_v3_axpy(a->c, s, a->u));
  double dist = dls_v3_norm(d);
  *n = dist > 0 ? dls_v3_scale(1 / dist, d) : fallback;
  return dist - a->r - b->r;
}

static void put(dls_sink *sink, const axis *a, const axis *b, dls_vec3 origin, double s, double t,
                dls_vec3 n, double gap, uint64_t key) {
  dls_vec3 p = dls_v3_axpy(dls_v3_axpy(a->c, s, a->u), a->r, n);
  dls_vec3 q = dls_v3_axpy(dls_v3_axpy(b->c, t, b->u), -b->r, n);
  dls_sink_put(sink, dls_v3_add(origin, p), dls_v3_add(origin, q), n, gap, key);
}

/* A normal for axes that meet: across both, or across the first where they are parallel. */
static dls_vec3 across(const axis *a, const axis *b) {
  dls_vec3 n = dls_v3_cross(a->u, b->u);
  return dls_v3_norm(n) > 1e-9 ? dls_v3_unit(n) : dls_v3_orthogonal(a->u);
}

void dls_pair3_round(const dls_shape *sa, const dls_pose3 *pose_a, const dls_shape *sb,
                     const dls_pose3 *pose_b, dls_sink *sink) {
  dls_vec3 origin = pose_a->p, n, end_n[2];
  axis a = take(sa, pose_a, origin), b = take(sb, pose_b, origin);
  double far = sa->reach + sb->reach + sink->margin;
  if (dls_v3_dot(b.c, b.c) > far * far) return;
  dls_nearest near = dls_segments_nearest(dls_v3_sub(b.c, a.c), a.u, a.h, b.u, b.h);
  dls_vec3 fallback = across(&a, &b);
  double gap = place(&a, &b, near.s, near.t, fallback, &n);
  bool line = false;
  double s[2], t[2], end_gap[2];
  if (a.h > 0 && b.h > 0 && !sink->least) {
    /* The common part along a, and the nearest places of b to its ends. */
    double uv = dls_v3_dot(a.u, b.u), at = dls_v3_dot(b.c, a.u), reach = fabs(uv) * b.h;
    s[0] = dls_max(-a.h, at - reach), s[1] = dls_min(a.h, at + reach);
    line = s[1] - s[0] > 0.1 * dls_min(a.r, b.r);
    for (int k = 0; k < 2 && line; k++) {
      dls_vec3 p = dls_v3_sub(dls_v3_axpy(a.c, s[k], a.u), b.c);
      t[k] = dls_clamp(dls_v3_dot(p, b.u), -b.h, b.h);
      end_gap[k] = place(&a, &b, s[k], t[k], n, &end_n[k]);
    }
    double sag = line ? dls_max(end_gap[0], end_gap[1]) - gap : 0;
    line = line && sag <= LINE * (a.r + b.r);
  }
  if (!line || gap < dls_min(end_gap[0], end_gap[1]) - LENS * (a.r + b.r))
    put(sink, &a, &b, origin, near.s, near.t, n, gap, 0);
  for (int k = 0; k < 2 && line; k++)
    put(sink, &a, &b, origin, s[k], t[k], end_n[k], end_gap[k], 1 + (uint64_t)k);
}
