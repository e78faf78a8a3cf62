/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/joint.h"

#include "core/math/elementary.h"

/* exp of a rotation about the unit axis e by the angle x. */
static dls_mat3 turn_about(dls_vec3 e, double x) {
  double s, c;
  dls_sincos(0.5 * x, &s, &c);
  return dls_q_matrix(dls_q_axis(e, s, c));
}

/* exp(q (axis; linear)): the turn, and where the origin goes. */
static dls_place screw_pose(dls_vec3 axis, dls_vec3 linear, double q) {
  const double rate = dls_v3_norm(axis);
  if (rate == 0) return (dls_place){dls_m3_identity(), dls_v3_scale(q, linear)};
  const dls_vec3 e = dls_v3_scale(1 / rate, axis);
  const dls_vec3 c = dls_v3_scale(1 / rate, dls_v3_cross(e, linear)); /* a point of the axis */
  dls_place T = {turn_about(e, rate * q), {0, 0, 0}};
  T.p = dls_v3_sub(c, dls_m3_apply(&T.R, c));
  T.p = dls_v3_axpy(T.p, q * dls_v3_dot(e, linear), e);
  return T;
}

static dls_place motion_pose(const dls_motion *m, double q) {
  const dls_vec3 axis = dls_v3_load(m->axis);
  switch (m->kind) {
    case DLS_MOTION_ROTATE: return (dls_place){turn_about(dls_v3_unit(axis), q), {0, 0, 0}};
    case DLS_MOTION_SLIDE:
      return (dls_place){dls_m3_identity(), dls_v3_scale(q, dls_v3_unit(axis))};
    case DLS_MOTION_SCREW: break;
  }
  return screw_pose(axis, dls_v3_load(m->linear), q);
}

/* The twist of a motion at its own origin, in the frame before it. */
static dls_spatial motion_twist(const dls_motion *m) {
  const dls_vec3 axis = dls_v3_load(m->axis), none = {0, 0, 0};
  switch (m->kind) {
    case DLS_MOTION_ROTATE: return (dls_spatial){dls_v3_unit(axis), none};
    case DLS_MOTION_SLIDE: return (dls_spatial){none, dls_v3_unit(axis)};
    case DLS_MOTION_SCREW: break;
  }
  return (dls_spatial){axis, dls_v3_load(m->linear)};
}

/* Unit twists of b's frame, axes of that frame (angular) or of a's (linear), as a forest has
** them. */
static void body_columns(const dls_joint *joint, const dls_place *T, double *A) {
  memset(A, 0, 36 * sizeof(double));
  const bool free = joint->kind == DLS_KIND_FREE;
  const int turn = free ? 3 : 0;
  for (int k = 0; k < 3; k++) dls_v3_store(A + 6 * (turn + k), dls_m3_column(&T->R, k));
  for (int k = 0; free && k < 3; k++) A[6 * k + 3 + k] = 1;
}

dls_place dls_joint_pose(const dls_joint *joint, const double *q, const double *s, double *A) {
  dls_place T = dls_place_identity();
  if (!dls_joint_is_chain(joint)) {
    const bool free = joint->kind == DLS_KIND_FREE;
    T.R = dls_q_matrix(dls_q_load(free ? q + 3 : q));
    if (free) T.p = dls_v3_load(q);
    if (A) body_columns(joint, &T, A);
    return T;
  }
  dls_vec3 origin[DLS_MAX_MOTIONS];
  dls_spatial twist[DLS_MAX_MOTIONS];
  for (int i = 0, k = 0; i < joint->n_motions; i++) {
    const dls_motion *m = &joint->motions[i];
    const bool driven = m->drive >= 0;
    const dls_spatial x = motion_twist(m);
    const dls_place step = motion_pose(m, driven ? (s ? s[i] : 0) : q[k]);
    if (!driven) {
      origin[k] = T.p;
      twist[k++] = (dls_spatial){dls_m3_apply(&T.R, x.a), dls_m3_apply(&T.R, x.l)};
    }
    T = dls_place_mul(&T, &step);
  }
  for (int k = 0; A && k < joint->nu; k++) {
    const dls_vec3 arm = dls_v3_sub(T.p, origin[k]);
    twist[k].l = dls_v3_add(twist[k].l, dls_v3_cross(twist[k].a, arm));
    dls_sp_store(A + 6 * k, twist[k]);
  }
  return T;
}

/* By the screws Z_k of the motions at the origin of a's frame: V = sum Z_k s_k', and Z_k turns with
** what stands before it, V' = sum [V_before, Z_k] s_k' + Z_k s_k''. */
void dls_joint_motion(const dls_joint *joint, const double *q, const double *u,
                      const double *drives, double rate[6], double bias[6]) {
  dls_spatial V = {{0, 0, 0}, {0, 0, 0}}, dV = V;
  dls_place T = dls_place_identity();
  bool still = joint->n_driven == 0 || drives == NULL;
  for (int k = 0; k < joint->nu && dls_joint_is_chain(joint); k++) still = still && u[k] == 0;
  for (int i = 0, k = 0; !still && dls_joint_is_chain(joint) && i < joint->n_motions; i++) {
    const dls_motion *m = &joint->motions[i];
    const bool driven = m->drive >= 0;
    const double s[3] = {driven ? (drives ? drives[3 * i] : 0) : q[k],
                         driven ? (drives ? drives[3 * i + 1] : 0) : u[k],
                         driven && drives ? drives[3 * i + 2] : 0};
    const dls_spatial x = motion_twist(m);
    const dls_place step = motion_pose(m, s[0]);
    dls_spatial Z = {dls_m3_apply(&T.R, x.a), dls_m3_apply(&T.R, x.l)};
    Z.l = dls_v3_add(Z.l, dls_v3_cross(T.p, Z.a));
    const dls_spatial turn = {dls_v3_cross(V.a, Z.a),
                              dls_v3_add(dls_v3_cross(V.a, Z.l), dls_v3_cross(V.l, Z.a))};
    dV = dls_sp_add(dV, dls_sp_add(dls_sp_scale(s[1], turn), dls_sp_scale(s[2], Z)));
    V = dls_sp_add(V, dls_sp_scale(s[1], Z));
    T = dls_place_mul(&T, &step);
    if (!driven) k++;
  }
  const dls_vec3 v = dls_v3_add(V.l, dls_v3_cross(V.a, T.p));
  dls_sp_store(rate, (dls_spatial){V.a, v});
  if (!bias) return;
  const dls_vec3 a = dls_v3_add(dls_v3_add(dV.l, dls_v3_cross(dV.a, T.p)), dls_v3_cross(V.a, v));
  dls_sp_store(bias, (dls_spatial){dV.a, a});
}

/* The rotation vector of R, the shorter way round. */
static dls_vec3 logarithm(const dls_mat3 *R) {
  dls_quat q = dls_q_from_matrix(R);
  if (q.w < 0) q = (dls_quat){-q.w, -q.x, -q.y, -q.z};
  const dls_vec3 v = dls_v3(q.x, q.y, q.z);
  const double s = dls_v3_norm(v);
  return s == 0 ? v : dls_v3_scale(2 * dls_atan2(s, q.w) / s, v);
}

/* A'A = U U', U lower, 6 numbers a row; false where it is singular. */
static bool gram_factor(const double *A, int n, double U[36]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += A[6 * i + k] * A[6 * j + k];
      const double own = sum;
      for (int k = 0; k < j; k++) sum -= U[6 * i + k] * U[6 * j + k];
      if (j < i) {
        U[6 * i + j] = sum / U[6 * j + j];
        continue;
      }
      if (!(sum > 1e-12 * own) || !(sum > 0)) return false;
      U[6 * i + i] = sqrt(sum);
    }
  return true;
}

/* m numbers of y for each of n, in place. */
static void gram_solve(int n, const double U[36], int m, double *y) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      for (int l = 0; l < m; l++) y[m * i + l] -= U[6 * i + k] * y[m * k + l];
    for (int l = 0; l < m; l++) y[m * i + l] /= U[6 * i + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      for (int l = 0; l < m; l++) y[m * i + l] -= U[6 * k + i] * y[m * k + l];
    for (int l = 0; l < m; l++) y[m * i + l] /= U[6 * i + i];
  }
}

bool dls_columns_solve(const double *A, int n, const double x[6], double *y) {
  double U[36];
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int k = 0; k < 6; k++) y[i] += A[6 * i + k] * x[k];
  }
  if (!gram_factor(A, n, U)) return false;
  gram_solve(n, U, 1, y);
  return true;
}

bool dls_columns_dual(const double *A, int n, double *dual) {
  double U[36];
  if (!gram_factor(A, n, U)) return false;
  memcpy(dual, A, 6 * (size_t)n * sizeof *dual);
  gram_solve(n, U, 6, dual);
  return true;
}

dls_vec3 dls_joint_turn(const dls_place *T, const dls_place *at) {
  const dls_mat3 R = dls_m3_mul_t(&T->R, &at->R);
  return logarithm(&R);
}

/* A hinge about the z axis that both frames share (all hinges of the plane): its angle is told by
** the columns of T alone, the one nearest to q, which counts turns. */
static bool measure_hinge(const dls_joint *joint, const dls_place *T, double *q) {
  const dls_motion *m = joint->motions; /* NULL where there is none */
  const double *R = T->R.m;
  if (joint->n_motions != 1 || joint->nu != 1 || m->kind != DLS_MOTION_ROTATE) return false;
  if (m->axis[0] != 0 || m->axis[1] != 0 || R[2] != 0 || R[5] != 0 || !(R[8] > 0)) return false;
  const double angle = m->axis[2] > 0 ? dls_atan2(R[3], R[0]) : -dls_atan2(R[3], R[0]);
  *q = dls_angle_near(angle, *q);
  return true;
}

void dls_joint_turn_next_to(const dls_joint *joint, const double *to, double *q) {
  for (int k = 0; k < joint->nu; k++)
    if (dls_joint_motion_of(joint, k)->kind == DLS_MOTION_ROTATE)
      q[k] = dls_angle_near(q[k], to[k]);
}

/* The largest step, rad, of slides by the lengths that places are added up of: T, at and the arms
** of A. */
static double size_of_step(const dls_joint *joint, const dls_place *T, const dls_place *at,
                           const double *A, const double *step) {
  double turns = 0, slides = 0, length = dls_max(dls_v3_norm(T->p), dls_v3_norm(at->p));
  for (int k = 0; k < joint->nu; k++) {
    const double way = fabs(step[k]), arm = dls_v3_norm(dls_v3_load(A + 6 * k + 3));
    const bool turning = dls_v3_norm(dls_v3_load(A + 6 * k)) > 0;
    if (turning) turns = dls_max(turns, way), length = dls_max(length, arm);
    else slides = dls_max(slides, arm * way);
  }
  return slides > 0 ? dls_max(turns, slides / length) : turns;
}

/* Gauss and Newton on the pose's error: where two axes are nearly one their steps may lead many
** turns away. */
static void approach(const dls_joint *joint, const dls_place *T, const double *s, double length,
                     double *q) {
  enum { ROUNDS = 60 };
  /* as size_of_step: where steps that do not shrink are rounding */
  static const double NOISE = 1e-9;
  double last = DLS_INF;
  for (int i = 0; i < ROUNDS && joint->nu > 0; i++) {
    double A[36], x[6], step[6];
    const dls_place at = dls_joint_pose(joint, q, s, A);
    dls_sp_store(
        x, (dls_spatial){dls_v3_scale(length, dls_joint_turn(T, &at)), dls_v3_sub(T->p, at.p)});
    for (int k = 0; k < 6 * joint->nu && length != 1; k++)
      if (k % 6 < 3) A[k] *= length;
    if (!dls_columns_solve(A, joint->nu, x, step)) return;
    const double size = size_of_step(joint, T, &at, A, step);
    if (!(size < 1e-13) || last == DLS_INF)
      for (int k = 0; k < joint->nu; k++) q[k] += step[k];
    if (size < 1e-13 || (i > 8 && size >= last && size < NOISE)) return;
    last = size;
  }
}

void dls_joint_measure(const dls_joint *joint, const dls_place *T, const double *s, double *q) {
  dls_joint_measure_by(joint, T, s, 1, q);
}

void dls_joint_measure_by(const dls_joint *joint, const dls_place *T, const double *s,
                          double length, double *q) {
  if (!dls_joint_is_chain(joint)) {
    const bool free = joint->kind == DLS_KIND_FREE;
    if (free) dls_v3_store(q, T->p);
    dls_q_store(free ? q + 3 : q, dls_q_unit(dls_q_from_matrix(&T->R)));
    return;
  }
  if (measure_hinge(joint, T, q)) return;
  double from[DLS_MAX_MOTIONS];
  for (int k = 0; k < joint->nu; k++) from[k] = q[k];
  approach(joint, T, s, length, q);
  dls_joint_turn_next_to(joint, from, q);
}
