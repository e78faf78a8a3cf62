/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/trees.h"

#include "core/model/frames.h"

/* Forces on a world's forest: what its joints do by themselves, and loads of bodies. */

/* Springs and dampers of a joint, as forces on its velocities. */
static void spring_forces(const dls_joint *joint, const double *q, const double *u, double *tau) {
  if (joint->kind == DLS_KIND_SPHERICAL && joint->stiffness != 0) {
    dls_quat turn = dls_q_load(q);
    if (turn.w < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
    const double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    const double k = sine > 0 ? 2 * dls_atan2(sine, turn.w) / sine : 2;
    tau[0] -= joint->stiffness * k * turn.x;
    tau[1] -= joint->stiffness * k * turn.y;
    tau[2] -= joint->stiffness * k * turn.z;
  } else if (dls_joint_is_chain(joint)) {
    for (int i = 0; i < joint->nu; i++) tau[i] -= joint->stiffness * q[i];
  }
  for (int i = 0; i < joint->nu; i++) tau[i] -= joint->damping * u[i];
}

/* The same of friction. */
static void friction_forces(const dls_joint *joint, const double *u, double *tau) {
  for (int i = 0; i < joint->nu; i++) {
    if (fabs(u[i]) > DLS_JOINT_STILL) tau[i] -= u[i] > 0 ? joint->friction : -joint->friction;
  }
}

/* The same of a motor that holds a position. */
static void motor_force(const dls_joint *joint, const double *q, const double *u, double *tau) {
  const dls_motor *motor = &joint->motor;
  if (motor->kind == DLS_MOTOR_POSITION) {
    const double pull = motor->stiffness * (motor->target - q[0]) - motor->damping * u[0];
    tau[0] += dls_clamp(pull, -motor->most, motor->most);
  }
}

void dls_trees_load(dls_world *w, const double *push, int more) {
  dls_trees *t = w->trees;
  dls_forest_state *state = t->state;
  bool loaded = false;
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k], index = t->link_joint[k];
    const dls_link_info *info = &t->forest->links[k];
    double *tau = state->tau + info->iu, *out = state->wrench + 6 * (size_t)k;
    memset(tau, 0, (size_t)info->nu * sizeof(double));
    if (index >= 0) {
      memcpy(tau, w->joint_state[index].torque, (size_t)info->nu * sizeof(double));
      const double *q = state->q + info->iq, *u = state->u + info->iu;
      if ((more & DLS_LOAD_SPRINGS) != 0) spring_forces(&w->joints[index], q, u, tau);
      if ((more & DLS_LOAD_FRICTION) != 0) friction_forces(&w->joints[index], u, tau);
      if ((more & DLS_LOAD_MOTORS) != 0) motor_force(&w->joints[index], q, u, tau);
    }
    const double *load = w->load + (size_t)body * dls_nu_of(w);
    const double *pushed = push ? push + (size_t)body * dls_nu_of(w) : NULL;
    double sum[6] = {0};
    for (size_t i = 0; i < dls_nu_of(w); i++) {
      sum[i] = load[i] + (pushed ? pushed[i] : 0);
      loaded = loaded || sum[i] != 0;
    }
    const dls_spatial x = dls_twist_of(w, sum);
    dls_sp_store(out, x);
  }
  state->loaded = loaded;
}
