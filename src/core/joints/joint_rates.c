/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/joint_rates.h"

#include "core/base/dim.h"
#include "core/joints/joint_forces.h"
#include "core/model/frames.h"
#include "core/rows/mass.h"

/* With om, rho' the relative motion seen from a and al, rho'' what changes it (dls_joint_motion),
**
**     eps_b - eps_a = al + omega_a x om,    a_b - a_a = 2 omega_a x rho' + rho''
**
** at the origin of b's frame, a_a that of the point fixed in a. */
static void relative_bias(const dls_world *w, const dls_joint_frame *f, const double *u_joint,
                          double out[6]) {
  const size_t nq = dls_nq_of(w), nu = dls_nu_of(w);
  double rate[6], bias[6];
  dls_joint_motion(f->joint, f->q, u_joint, f->drives, rate, bias);
  const size_t a = (size_t)f->joint->a, b = (size_t)f->joint->b;
  const dls_vec3 w_a = dls_twist_of(w, w->u + a * nu).a, w_b = dls_twist_of(w, w->u + b * nu).a;
  const dls_vec3 r_a = dls_v3_sub(f->B.p, dls_centre_of(w, w->q + a * nq));
  const dls_vec3 r_b = dls_v3_sub(f->B.p, dls_centre_of(w, w->q + b * nq));
  const dls_mat3 *R = &f->A.R;
  dls_vec3 turn = dls_m3_apply(R, dls_v3_load(bias)), way = dls_m3_apply(R, dls_v3_load(bias + 3));
  turn = dls_v3_add(turn, dls_v3_cross(w_a, dls_m3_apply(R, dls_v3_load(rate))));
  way = dls_v3_axpy(way, 2, dls_v3_cross(w_a, dls_m3_apply(R, dls_v3_load(rate + 3))));
  way = dls_v3_add(way, dls_v3_cross(w_a, dls_v3_cross(w_a, r_a)));
  way = dls_v3_sub(way, dls_v3_cross(w_b, dls_v3_cross(w_b, r_b)));
  dls_sp_store(out, (dls_spatial){dls_m3_apply_t(R, turn), dls_m3_apply_t(R, way)});
}

dls_joint_frame dls_joint_frame_moving(const dls_world *w, int index, double *u, double *bias) {
  const int nu = (int)dls_nu_of(w);
  const dls_joint_frame f = dls_joint_frame_at(w, index, w->q);
  const double *u_a = w->u + (size_t)f.joint->a * (size_t)nu,
               *u_b = w->u + (size_t)f.joint->b * (size_t)nu;
  for (int k = 0; k < f.joint->nu && f.regular; k++) {
    double J[2 * DLS_NU(3)];
    dls_joint_frame_row(w, &f, w->q, f.dual + 6 * k, J);
    u[k] = dls_row_velocity(nu, J, u_a, u_b) - dls_functional(f.dual + 6 * k, f.rate);
  }
  relative_bias(w, &f, u, bias);
  return f;
}

/* An acceleration as a body's numbers: (linear, angular). */
static void store_acceleration(int dim, dls_spatial a, double out[DLS_NU(3)]) {
  if (dim == 2) {
    out[0] = a.l.x, out[1] = a.l.y, out[2] = a.a.z;
    return;
  }
  dls_v3_store(out, a.l);
  dls_v3_store(out + 3, a.a);
}

void dls_rigid_joint_rates(const dls_world *w, int index, const dls_spatial a[2], double *udot) {
  const dls_joint *joint = &w->joints[index];
  const int nu = (int)dls_nu_of(w);
  double u[6] = {0}, bias[6], J[2 * DLS_NU(3)], by[2][DLS_NU(3)];
  const dls_joint_frame f = dls_joint_frame_moving(w, index, u, bias);
  for (int e = 0; e < 2; e++) store_acceleration(w->dim, a[e], by[e]);
  if (joint->kind == DLS_KIND_SPHERICAL) { /* u = B' (w_b - w_a), B the child's axes */
    const dls_mat3 B = dls_frame_of(w, joint->b, w->q + (size_t)joint->b * dls_nq_of(w)).R;
    const dls_vec3 w_b = dls_twist_of(w, w->u + (size_t)joint->b * (size_t)nu).a;
    const dls_vec3 w_a = dls_twist_of(w, w->u + (size_t)joint->a * (size_t)nu).a;
    const dls_vec3 rate =
        dls_v3_sub(dls_v3_sub(a[1].a, a[0].a), dls_v3_cross(w_b, dls_v3_sub(w_b, w_a)));
    dls_v3_store(udot, dls_m3_apply_t(&B, rate));
    return;
  }
  for (int k = 0; k < joint->nu; k++) {
    dls_joint_frame_row(w, &f, w->q, f.dual + 6 * k, J);
    udot[k] = f.regular
                  ? dls_row_velocity(nu, J, by[0], by[1]) - dls_functional(f.dual + 6 * k, bias)
                  : 0;
  }
}

/* --- what joints have and do (joint_forces.h) ---------------------------------------------- */

bool dls_joint_is_sprung(const dls_world *w, const dls_joint *joint) {
  return joint->alive && !w->springs_push && joint->nu > 0 &&
         (joint->stiffness > 0 || joint->damping > 0);
}

bool dls_joint_has_limits(const dls_joint *joint) {
  return joint->alive && joint->formulation != DLS_PENALTY &&
         (joint->n_limits > 0 ||
          (joint->kind == DLS_KIND_SPHERICAL &&
           (joint->cone < DLS_INF || joint->twist[0] > -DLS_INF || joint->twist[1] < DLS_INF)));
}

bool dls_joint_has_laws(const dls_joint *joint) {
  return joint->alive && (joint->friction > 0 || dls_joint_has_limits(joint) ||
                          joint->motor.kind != DLS_MOTOR_NONE);
}

bool dls_joint_has_rows(const dls_joint *joint) {
  return joint->alive && (joint->formulation == DLS_RIGID || dls_joint_has_laws(joint));
}

bool dls_joint_is_idle(const dls_world *w, int index) {
  for (int k = 0; k < 6; k++)
    if (w->joint_state[index].torque[k] != 0) return false;
  return true;
}

void dls_joint_torque(const dls_world *w, int index, double *out) {
  const dls_joint *joint = &w->joints[index];
  memcpy(out, w->joint_state[index].torque, 6 * sizeof *out);
  if (joint->kind ==
      DLS_KIND_SPHERICAL) /* its velocities count in the link's axes, the frame's in its own */
    dls_v3_store(out, dls_m3_apply_t(&joint->on_b.R, dls_v3_load(out)));
}

void dls_joint_force(const dls_world *w, int index, const dls_joint_frame *f, const double *rate,
                     double *out) {
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
