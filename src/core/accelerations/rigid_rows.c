/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/rigid_rows.h"

#include "core/accelerations/joint_acc.h"
#include "core/joints/reactions.h"
#include "core/model/frames.h"

/* Rotation vector and translation by which b's joint frame is off, world axes. */
static dls_spatial error_of(const dls_world *w, const dls_joint *joint, int index) {
  const dls_place T = dls_joint_between(w, joint), A = dls_body_frame(w, joint->a);
  double q[7];
  memcpy(q, w->joint_state[index].q, sizeof q);
  dls_joint_measure(joint, &T, NULL, q);
  dls_place at = dls_joint_pose(joint, q, NULL, NULL);
  if (joint->kind == DLS_KIND_SPHERICAL) at.R = T.R; /* its turns are free */
  const dls_mat3 R = dls_m3_mul_t(&T.R, &at.R), F = dls_m3_mul(&A.R, &joint->on_a.R);
  const dls_quat turn = dls_q_from_matrix(&R);
  const double s = turn.w < 0 ? -2 : 2; /* small angles */
  const dls_vec3 angle = dls_v3(s * turn.x, s * turn.y, s * turn.z);
  return (dls_spatial){dls_m3_apply(&F, angle), dls_m3_apply(&F, dls_v3_sub(T.p, at.p))};
}

/* The functional of a row, world axes: what it asks of b at the origin of b's joint frame. */
static dls_spatial functional(const dls_world *w, const dls_joint *joint, const double *J_b) {
  const double *q = w->q + (size_t)joint->b * dls_nq_of(w);
  const dls_vec3 centre = dls_v3(q[0], q[1], w->dim == 3 ? q[2] : 0);
  const dls_place B = dls_body_frame(w, joint->b);
  const dls_vec3 arm = dls_v3_sub(dls_place_point(&B, joint->on_b.p), centre);
  const bool flat = w->dim == 2;
  const dls_vec3 push = dls_v3(J_b[0], J_b[1], flat ? 0 : J_b[2]);
  const dls_vec3 moment = flat ? dls_v3(0, 0, J_b[2]) : dls_v3_load(J_b + 3);
  return (dls_spatial){dls_v3_sub(moment, dls_v3_cross(arm, push)), push};
}

static double pair(dls_spatial a, dls_spatial b) {
  return dls_v3_dot(a.a, b.a) + dls_v3_dot(a.l, b.l);
}

int dls_rigid_rows(dls_world *w, int index, dls_rigid_row out[DLS_RIGID_ROWS]) {
  const dls_joint *joint = &w->joints[index];
  const size_t nu = dls_nu_of(w);
  dls_acc_row held[DLS_JOINT_ACC_ROWS];
  int n = 0;
  const int rows = dls_joint_acc_rows(w, index, held);
  const dls_spatial off = error_of(w, joint, index);
  double force[3], moment[3];
  const bool known = dls_joint_reaction(w, index, force, moment);
  const dls_spatial wrench = {dls_v3_load(moment), dls_v3_load(force)};
  for (int k = 0; k < rows && n < DLS_RIGID_ROWS; k++) {
    if (held[k].kind != DLS_ROW_BILATERAL) continue;
    const double *row = held[k].J;
    const dls_spatial d = functional(w, joint, row + nu);
    dls_rigid_row *one = &out[n++];
    *one = (dls_rigid_row){.linear = dls_v3_norm(d.l) > 0.5, .G = pair(d, off)};
    memcpy(one->J, row, 2 * nu * sizeof *row);
    for (size_t i = 0; i < nu; i++)
      one->rate +=
          row[i] * w->u[(size_t)joint->a * nu + i] + row[nu + i] * w->u[(size_t)joint->b * nu + i];
    if (known) one->lambda = pair(d, wrench);
  }
  return n;
}
