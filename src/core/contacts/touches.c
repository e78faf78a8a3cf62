/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/touches.h"

#include "core/contacts/floor.h"

int dls_touch_disks(double r_a, const dls_pose2 *a, double r_b, const dls_pose2 *b, double margin,
                       dls_touch *out) {
  const double x = b->x - a->x, y = b->y - a->y, d = sqrt(x * x + y * y), gap = d - (r_a + r_b);
  if (!(gap <= margin)) return 0;
  const double nx = d > 0 ? x / d : 1, ny = d > 0 ? y / d : 0;
  out->point_a = dls_v3(a->x + r_a * nx, a->y + r_a * ny, 0);
  out->point_b = dls_v3(b->x - r_b * nx, b->y - r_b * ny, 0);
  out->normal = dls_v3(nx, ny, 0);
  out->gap = gap;
  out->key = 0;
  out->part = 0;
  return 1;
}

int dls_touch_shell(const dls_shape *drum, const dls_pose2 *a, double r, const dls_pose2 *b,
                    double margin, dls_touch *out) {
  const dls_vec2 at = dls_v2(b->x - a->x, b->y - a->y);
  const double R = drum->radius, dist = dls_v2_norm(at), near = r + margin;
  if (dist + near < R - drum->lifters.height) return 0;
  const dls_vec2 own = dls_pose2_turn_back(a, at); /* as the drum sees it */
  const double aside = near + 0.5 * drum->lifters.width,
               out_there = R - drum->lifters.height - near;
  int met = 0;
  for (int k = 0; k < drum->lifters.count; k++) {
    const bool beside = fabs(dls_v2_cross(drum->dirs[k], own)) <= aside;
    met += beside & (dls_v2_dot(drum->dirs[k], own) >= out_there);
  }
  if (met > 0) return -1;
  const double gap = R - dist - r;
  if (!(gap <= margin)) return 0;
  const dls_vec2 n = dist > 0 ? dls_v2_scale(1 / dist, at) : dls_v2(1, 0);
  out->point_a = dls_v3(a->x + R * n.x, a->y + R * n.y, 0);
  out->point_b = dls_v3(a->x + (at.x + r * n.x), a->y + (at.y + r * n.y), 0);
  out->normal = dls_v3(-n.x, -n.y, 0);
  out->gap = gap;
  out->key = 0;
  out->part = 0;
  return 1;
}

/* One is a drum, and the other a rod that touches nothing of it: most logs of a bed. */
static bool is_far_inside(const dls_step *S, int a, int b, double margin) {
  const dls_shape *x = S->w->bodies[a].shape, *y = S->w->bodies[b].shape;
  if (x->kind == DLS_SHAPE_DRUM && S->rod[b].r > 0)
    return dls_rod_inside(x, &S->T3[a], &S->rod[b], margin);
  return y->kind == DLS_SHAPE_DRUM && S->rod[a].r > 0 &&
         dls_rod_inside(y, &S->T3[b], &S->rod[a], margin);
}

/* The pose of a disk where it is placed (dls_step.placed). */
static inline void stand_disk(const dls_step *S, int i) {
  if (!S->placed || !(S->w->bodies[i].disk_radius > 0)) return;
  const double *q = DLS_Q(S, S->placed, i);
  S->T2[i] = (dls_pose2){q[0], q[1], 1, 0};
}

/* Of n touches those without seams, by key: few, so by insertion. */
static int sort_out(const dls_step *S, dls_near_stage *N, int a, int b, int n) {
  dls_touch *out = N->touch;
  if (n > N->touch_room) return n;
  if (n > 0) n = dls_clear_seams(S, N, a, b, false, n);
  if (n > 0) n = dls_clear_seams(S, N, b, a, true, n);
  for (int i = 1; i < n; i++) {
    dls_touch touch = out[i];
    int j = i;
    for (; j > 0 && out[j - 1].key > touch.key; j--) out[j] = out[j - 1];
    out[j] = touch;
  }
  return n;
}

static int touches_2(const dls_step *S, dls_near_stage *N, int a, int b, double margin) {
  const dls_body *body_a = &S->w->bodies[a], *body_b = &S->w->bodies[b];
  dls_touch *out = N->touch;
  stand_disk(S, a), stand_disk(S, b);
  if (body_a->disk_radius > 0 && body_b->disk_radius > 0)
    return dls_touch_disks(body_a->disk_radius, &S->T2[a], body_b->disk_radius, &S->T2[b], margin,
                           out);
  if (body_a->shape->kind == DLS_SHAPE_DRUM && body_b->disk_radius > 0) {
    const int n =
        dls_touch_shell(body_a->shape, &S->T2[a], body_b->disk_radius, &S->T2[b], margin, out);
    if (n >= 0) return n;
  }
  const int n =
      dls_collide2(body_a->shape, &S->T2[a], body_b->shape, &S->T2[b], margin, out, N->touch_room);
  return sort_out(S, N, a, b, n);
}

static int touches_3(const dls_step *S, dls_near_stage *N, int a, int b, double margin) {
  const dls_body *body_a = &S->w->bodies[a], *body_b = &S->w->bodies[b];
  dls_touch *out = N->touch;
  if (S->rod && S->rod[a].r > 0 && S->rod[b].r > 0 && N->touch_room >= 3)
    return dls_rods_touch(&S->rod[a], &S->rod[b], margin, false, out);
  if (S->rod && is_far_inside(S, a, b, margin)) return 0;
  const int n =
      dls_collide3(body_a->shape, &S->T3[a], body_b->shape, &S->T3[b], margin, out, N->touch_room);
  return sort_out(S, N, a, b, n);
}

int dls_touches_of(const dls_step *S, dls_near_stage *N, int a, int b, double margin) {
  return S->dim == 2 ? touches_2(S, N, a, b, margin) : touches_3(S, N, a, b, margin);
}

dls_status dls_want_touches(dls_step *S, int n) {
  S->w->need_touches = n;
  return DLS_FULL;
}
