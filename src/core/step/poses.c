/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/step/poses.h"

/* Where the world asks for nothing but shapes, a disk about its mass centre, which looks the same
** at every angle, is not turned. */
static dls_pose2 pose_for_shapes_2(const dls_step *S, const dls_body *body, const double *q) {
  if (S->shapes_only && body->disk_radius > 0) return (dls_pose2){q[0], q[1], 1, 0};
  return dls_pose_2(body, q);
}

/* A rod whose shape was read before moves with its body. */
static void pose_at_3(dls_step *S, int i, const double *q) {
  const dls_body *body = &S->w->bodies[i];
  S->T3[i] = dls_pose_3(body, q);
  if (!body->shape) return;
  dls_rod *rod = &S->rod[i];
  if (!S->posed || !(rod->r > 0)) *rod = dls_rod_make(body->shape, &S->T3[i]);
  else rod->c = S->T3[i].p, rod->u = dls_m3_column(&S->T3[i].R, 0);
}

void dls_pose_at(dls_step *S, int i, const double *q) {
  if (S->dim == 2) S->T2[i] = pose_for_shapes_2(S, &S->w->bodies[i], q);
  else pose_at_3(S, i, q);
}

void dls_poses_at(dls_step *S, const double *q) {
  for (int i = 0; i < S->w->n_bodies; i++)
    if (S->w->bodies[i].alive) dls_pose_at(S, i, DLS_Q(S, q, i));
  S->posed = true;
}

void dls_weigh(dls_step *S, int i, const dls_mat3 *R) { dls_body_weigh(S->w, &S->rows, i, R); }

dls_vec3 dls_anchor_at(const dls_step *S, const double *q, int body, const double *anchor_b,
                       dls_vec3 *r) {
  *r = S->dim == 2 ? dls_turned_2(&S->T2[body], anchor_b) : dls_turned_3(&S->T3[body], anchor_b);
  return dls_v3_add(dls_point_of(S->dim, DLS_Q(S, q, body)), *r);
}

/* --- range ------------------------------------------------------------------------------- */

double dls_zero_of(const double *x, int n) {
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += 0 * x[i + k];
  for (; i < n; i++) sum[0] += 0 * x[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

dls_status dls_check_bodies(dls_step *S, const double *q, const double *u) {
  dls_world *w = S->w;
  w->fault = -1;
  if (dls_zero_of(q, w->n_bodies * S->nq) == 0 && dls_zero_of(u, w->n_bodies * S->nu) == 0)
    return DLS_OK;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    if (dls_zero_of(DLS_Q(S, q, i), S->nq) == 0 && dls_zero_of(DLS_U(S, u, i), S->nu) == 0)
      continue;
    w->fault = i;
    return DLS_RANGE;
  }
  return DLS_OK;
}
