/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/joint_forces.h"

#include "core/model/frames.h"

bool dls_joint_is_sprung(const dls_world *w, const dls_joint *joint) {
  return joint->alive && !w->springs_push && joint->nu > 0 && (joint->stiffness > 0 || joint->damping > 0);
}

bool dls_joint_has_limits(const dls_joint *joint) {
  return joint->alive && joint->formulation != DLS_PENALTY &&
         (joint->n_limits > 0 ||
          (joint->kind == DLS_KIND_SPHERICAL &&
           (joint->cone < DLS_INF || joint->twist[0] > -DLS_INF || joint->twist[1] < DLS_INF)));
}

bool dls_joint_has_rows(const dls_joint *joint) {
  return joint->alive && (joint->formulation == DLS_RIGID || joint->friction > 0 ||
                          dls_joint_has_limits(joint) || joint->motor.kind != DLS_MOTOR_NONE);
}

bool dls_joint_is_idle(const dls_world *w, int index) {
  for (int k = 0; k < 6; k++)
    if (w->joint_state[index].torque[k] != 0) return false;
  return true;
}

void dls_joint_torque(const dls_world *w, int index, double *out) {
  const dls_joint *joint = &w->joints[index];
  memcpy(out, w->joint_state[index].torque, 6 * sizeof *out);
  if (joint->kind == DLS_KIND_SPHERICAL) /* its velocities count in the link's axes, the frame's in its own */
    dls_v3_store(out, dls_m3_apply_t(&joint->on_b.R, dls_v3_load(out)));
}

void dls_joint_force(const dls_world *w, int index, const dls_joint_frame *f, const double *rate, double *out) {
  const dls_joint *joint = f->joint;
  double torque[6], stretch[6] = {0};
  dls_joint_torque(w, index, torque);
  if (joint->kind == DLS_KIND_SPHERICAL) dls_v3_store(stretch, dls_ball_rotation(f->q));
  else if (dls_joint_is_chain(joint)) memcpy(stretch, f->q, (size_t)joint->nu * sizeof(double));
  for (int k = 0; k < joint->nu; k++)
    out[k] = torque[k] - joint->damping * rate[k] - joint->stiffness * stretch[k];
}

void dls_joint_own_add(dls_world *w, const double *q, int index, const double *J, double force) {
  const dls_joint *joint = &w->joints[index];
  const double *q_b = q + (size_t)joint->b * dls_nq_of(w);
  const dls_place B = dls_frame_of(w, joint->b, q_b);
  const dls_vec3 arm = dls_v3_sub(dls_place_point(&B, joint->on_b.p), dls_centre_of(w, q_b));
  double x[6] = {0}, *own = w->joint_own + 6 * (size_t)index;
  dls_wrench_add(w->dim, x, force, J + dls_nu_of(w));
  const dls_vec3 f = dls_v3_load(x + 3);
  dls_v3_store(x, dls_v3_sub(dls_v3_load(x), dls_v3_cross(arm, f)));
  for (int k = 0; k < 6; k++) own[k] += x[k];
}
