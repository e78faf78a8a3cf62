/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/pairs3.h"
#include "core/collide/rods.h"

dls_rod dls_rod_make(const dls_shape *shape, const dls_pose3 *pose) {
  if (shape->kind != DLS_SHAPE_SPHERE && shape->kind != DLS_SHAPE_CAPSULE)
    return (dls_rod){pose->p, dls_v3(1, 0, 0), 0, -1};
  return (dls_rod){pose->p, dls_m3_column(&pose->R, 0), shape->half.x, shape->radius};
}

/* Two rods seen from the centre of the first. */
typedef struct meeting {
  const dls_rod *a, *b; /* borrowed */
  dls_vec3 d; /* centre of b */
} meeting;

/* The point at the places s and t of the axes; fallback is the normal of crossing axes. */
static double place(const meeting *m, double s, double t, dls_vec3 fallback, dls_vec3 *n) {
  dls_vec3 d = dls_v3_sub(dls_v3_axpy(m->d, t, m->b->u), dls_v3_scale(s, m->a->u));
  double dist = dls_v3_norm(d);
  *n = dist > 0 ? dls_v3_scale(1 / dist, d) : fallback;
  return dist - m->a->r - m->b->r;
}

static void put(const meeting *m, double margin, double s, double t, dls_vec3 n, double gap,
                uint64_t key, dls_touch *out, int *n_out) {
  if (!(gap <= margin)) return;
  dls_vec3 p = dls_v3_axpy(dls_v3_scale(s, m->a->u), m->a->r, n);
  dls_vec3 q = dls_v3_axpy(dls_v3_axpy(m->d, t, m->b->u), -m->b->r, n);
  dls_touch *touch = &out[(*n_out)++];
  touch->point_a = dls_v3_add(m->a->c, p);
  touch->point_b = dls_v3_add(m->a->c, q);
  touch->normal = n;
  touch->gap = gap;
  touch->key = key;
  touch->part = 0, touch->child_a = touch->child_b = 0;
}

/* A normal for axes that meet: across both, or across the first where they are parallel. */
static dls_vec3 across(const dls_rod *a, const dls_rod *b) {
  dls_vec3 n = dls_v3_cross(a->u, b->u);
  return dls_v3_norm(n) > 1e-9 ? dls_v3_unit(n) : dls_v3_orthogonal(a->u);
}

int dls_rods_touch(const dls_rod *a, const dls_rod *b, double margin, bool least,
                   dls_touch out[3]) {
  const meeting m = {a, b, dls_v3_sub(b->c, a->c)};
  const double most = a->r + b->r + margin, far = a->half + b->half + most;
  if (dls_v3_dot(m.d, m.d) > far * far * DLS_ROD_SLACK) return 0;
  const dls_nearest near = dls_segments_nearest(m.d, a->u, a->half, b->u, b->half);
  const dls_vec3 d = dls_v3_sub(dls_v3_axpy(m.d, near.t, b->u), dls_v3_scale(near.s, a->u));
  const double d2 = dls_v3_dot(d, d);
  if (d2 > most * most * DLS_ROD_SLACK) return 0; /* most pairs of a bed of logs */
  dls_vec3 n, end_n[2];
  const double gap = place(&m, near.s, near.t, d2 > 0 ? d : across(a, b), &n);
  bool line = false;
  double s[2], t[2], end_gap[2];
  int found = 0;
  if (a->half > 0 && b->half > 0 && !least) {
    /* The common part along a, and the nearest places of b to its ends. */
    const double uv = dls_v3_dot(a->u, b->u), at = dls_v3_dot(m.d, a->u);
    const double reach = fabs(uv) * b->half;
    s[0] = dls_max(-a->half, at - reach), s[1] = dls_min(a->half, at + reach);
    line = s[1] - s[0] > DLS_ROD_BESIDE * dls_min(a->r, b->r);
    for (int k = 0; k < 2 && line; k++) {
      const dls_vec3 p = dls_v3_sub(dls_v3_scale(s[k], a->u), m.d);
      t[k] = dls_clamp(dls_v3_dot(p, b->u), -b->half, b->half);
      end_gap[k] = place(&m, s[k], t[k], n, &end_n[k]);
    }
    const double sag = line ? dls_max(end_gap[0], end_gap[1]) - gap : 0;
    line = line && sag <= DLS_ROD_LINE * (a->r + b->r);
  }
  if (!line || gap < dls_min(end_gap[0], end_gap[1]) - DLS_ROD_LENS * (a->r + b->r))
    put(&m, margin, near.s, near.t, n, gap, 0, out, &found);
  for (int k = 0; k < 2 && line; k++)
    put(&m, margin, s[k], t[k], end_n[k], end_gap[k], 1 + (uint64_t)k, out, &found);
  return found;
}

void dls_pair3_round(const dls_shape *sa, const dls_pose3 *pose_a, const dls_shape *sb,
                     const dls_pose3 *pose_b, dls_sink *sink) {
  const dls_rod a = dls_rod_make(sa, pose_a), b = dls_rod_make(sb, pose_b);
  dls_touch touch[3];
  const int n = dls_rods_touch(&a, &b, sink->margin, sink->least, touch);
  for (int k = 0; k < n; k++)
    dls_sink_put(sink, touch[k].point_a, touch[k].point_b, touch[k].normal, touch[k].gap,
                 touch[k].key);
}
