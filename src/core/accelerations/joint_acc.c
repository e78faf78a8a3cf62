/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/joint_acc.h"

#include "core/base/dim.h"
#include "core/joints/joint_frame.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_rates.h"
#include "core/joints/penalties.h"
#include "core/joints/trees.h"
#include "core/model/frames.h"
#include "core/rows/mass.h"

/* A row of a functional d. */
static dls_acc_row *acc_row(const dls_world *w, const dls_joint_frame *f, int kind, int what,
                            const double *d, const double *bias, dls_acc_row *out) {
  const int nu = (int)dls_nu_of(w);
  *out = (dls_acc_row){.kind = kind, .what = what, .a = f->joint->a, .b = f->joint->b, .n_ends = 2,
                       .lo = -DLS_INF, .hi = DLS_INF};
  const double *u_a = w->u + (size_t)out->a * (size_t)nu, *u_b = w->u + (size_t)out->b * (size_t)nu;
  dls_joint_frame_row(w, f, w->q, d, out->J);
  out->v = dls_row_velocity(nu, out->J, u_a, u_b) - dls_functional(d, f->rate);
  out->bias = dls_functional(d, bias);
  return out;
}

/* The gap of a spherical joint's limit changes by d . om, om = R_a' (w_b - w_a): gap'' = 0 asks for
**
**     d . R_a' (eps_b - eps_a) = d . R_a' (w_a x (w_b - w_a)) - d' . om. */
static double limit_bias(const dls_world *w, const dls_joint_frame *f, int k, const double d[6]) {
  const size_t nu = dls_nu_of(w);
  const dls_vec3 w_a = dls_twist_of(w, w->u + (size_t)f->joint->a * nu).a;
  const dls_vec3 spin = dls_v3_sub(dls_twist_of(w, w->u + (size_t)f->joint->b * nu).a, w_a);
  const dls_vec3 in_a = dls_m3_apply_t(&f->A.R, spin);
  const dls_vec3 turned_by = dls_v3_cross(w_a, spin), carried = dls_m3_apply_t(&f->A.R, turned_by);
  return dls_v3_dot(dls_v3_load(d), carried) -
         dls_v3_dot(dls_joint_frame_limit_rate(f, k, in_a), in_a);
}

bool dls_joint_acc_limit(const dls_world *w, const dls_joint_frame *f, const double *bias, int k,
                         dls_acc_row *out) {
  double gap = 0, d[6];
  if (!dls_joint_frame_limit(f, k, &gap, d)) return false;
  acc_row(w, f, DLS_ROW_UNILATERAL, k, d, bias, out);
  if (f->joint->kind == DLS_KIND_SPHERICAL) out->bias = limit_bias(w, f, k, d);
  out->gap = gap;
  out->lo = 0;
  return true;
}

/* The velocities of a ball are those of w_b - w_a along axes that b carries: their rates are of
** eps_b - eps_a, less w_a x w_b. */
static double ball_bias(const dls_world *w, const dls_joint_frame *f, const double d[6]) {
  const size_t nu = dls_nu_of(w);
  const dls_vec3 w_a = dls_twist_of(w, w->u + (size_t)f->joint->a * nu).a;
  const dls_vec3 w_b = dls_twist_of(w, w->u + (size_t)f->joint->b * nu).a;
  return dls_v3_dot(dls_v3_load(d), dls_m3_apply_t(&f->A.R, dls_v3_cross(w_a, w_b)));
}

void dls_joint_acc_velocity(const dls_world *w, const dls_joint_frame *f, const double *bias, int k,
                            bool drives, dls_acc_row *out) {
  const dls_joint *joint = f->joint;
  acc_row(w, f, DLS_ROW_BOX, DLS_JOINT_LIMITS + k, f->dual + 6 * k, bias, out);
  if (joint->kind == DLS_KIND_SPHERICAL) out->bias = ball_bias(w, f, f->dual + 6 * k);
  if (drives) out->v -= joint->motor.target;
  out->hi = drives ? joint->motor.most : joint->friction;
  out->lo = -out->hi;
}

/* Whether limit k acts; where it is held, as an equation. */
static bool limit_acts(const dls_world *w, int index, int k, dls_acc_row *row) {
  static const double REACHED = 1e-9; /* rad or m */
  const unsigned char *held = w->trees ? w->trees->limits_held : NULL;
  if (!held) return !(row->gap > REACHED);
  row->kind = DLS_ROW_BILATERAL;
  row->lo = -DLS_INF;
  return (held[index] >> k & 1) != 0;
}

/* Whether its dry friction acts. */
static bool rubs(const dls_world *w, const dls_joint *joint) {
  return joint->friction > 0 && !(w->trees && w->trees->without_friction);
}

int dls_joint_acc_rows(const dls_world *w, int index, dls_acc_row *out) {
  const dls_joint *joint = &w->joints[index];
  if (joint->formulation == DLS_PENALTY || !dls_joint_has_rows(joint)) return 0; /* all forces */
  double u[6] = {0}, bias[6], N[36];
  const dls_joint_frame f = dls_joint_frame_moving(w, index, u, bias);
  int n = 0;
  for (int k = 0; k < DLS_JOINT_LIMITS; k++)
    n += dls_joint_acc_limit(w, &f, bias, k, &out[n]) && limit_acts(w, index, k, &out[n]);
  const int held = joint->formulation == DLS_RIGID ? dls_joint_frame_held(w->dim, &f, N) : 0;
  double x[6];
  dls_joint_frame_apart(&f, x);
  for (int k = 0; k < held; k++)
    acc_row(w, &f, DLS_ROW_BILATERAL, -1, N + 6 * k, bias, &out[n++])->gap =
        dls_functional(N + 6 * k, x);
  if (f.regular && joint->motor.kind == DLS_MOTOR_SPEED && joint->motor.most > 0)
    dls_joint_acc_velocity(w, &f, bias, 0, true, &out[n++]);
  for (int k = 0; f.regular && rubs(w, joint) && k < joint->nu; k++) {
    dls_joint_acc_velocity(w, &f, bias, k, false, &out[n]);
    n += joint->formulation != DLS_REDUCED || fabs(out[n].v) <= DLS_JOINT_STILL;
  }
  return n;
}

int dls_penalty_acc_drives(const dls_world *w, int index, dls_acc_row *out) {
  const dls_joint *joint = &w->joints[index];
  const bool drives = joint->motor.kind == DLS_MOTOR_SPEED && joint->motor.most > 0;
  if (!dls_is_penalty(joint) || (!drives && !rubs(w, joint))) return 0;
  double u[6] = {0}, bias[6];
  int n = 0;
  const dls_joint_frame f = dls_joint_frame_moving(w, index, u, bias);
  if (f.regular && drives) dls_joint_acc_velocity(w, &f, bias, 0, true, &out[n++]);
  dls_along at;
  if (f.regular && rubs(w, joint)) dls_penalty_look_along(w, index, w->q, w->u, &at);
  for (int k = 0; f.regular && rubs(w, joint) && k < joint->nu; k++)
    if (fabs(at.rate[k]) <= DLS_JOINT_STILL)
      dls_joint_acc_velocity(w, &f, bias, k, false, &out[n++]);
  return n;
}

/* A joint's coordinate with the bodies where the forest is, which knows how often what is reduced
** has turned. */
static double counted(const dls_world *w, int index, double x) {
  const dls_joint *joint = &w->joints[index];
  if (joint->formulation != DLS_REDUCED) return x;
  const dls_trees *t = w->trees;
  const int link = t->body_link[joint->turned ? joint->a : joint->b];
  dls_joint_turn_next_to(joint, t->state->q + t->forest->links[link].iq, &x);
  return x;
}

bool dls_gear_acc_row(const dls_world *w, int index, dls_acc_row *out) {
  const dls_gear *gear = &w->gears[index];
  dls_gear_frame at;
  if (!gear->alive || !dls_gear_frame_at(w, gear, w->q, &at)) return false;
  double bias = 0, v = 0;
  for (int k = 0; k < 2; k++) {
    double u[6] = {0}, whole[6];
    const dls_joint_frame f = dls_joint_frame_moving(w, gear->joint[k], u, whole);
    const double share = k == 0 ? -gear->ratio : 1;
    bias += share * dls_functional(f.dual, whole);
    v += share * u[0];
  }
  const dls_joint *one = at.f[0].joint, *two = at.f[1].joint;
  const double gap = counted(w, gear->joint[1], at.f[1].q[0]) -
                     gear->ratio * counted(w, gear->joint[0], at.f[0].q[0]) - gear->rest;
  *out = (dls_acc_row){.kind = DLS_ROW_BILATERAL, .what = -1, .a = two->a, .b = two->b, .c = one->a,
                       .d = one->b, .n_ends = 4, .gap = gap, .v = v, .bias = bias,
                       .lo = -DLS_INF, .hi = DLS_INF};
  memcpy(out->J, at.J, 4 * dls_nu_of(w) * sizeof *at.J);
  return true;
}

void dls_joints_push(dls_world *w, double *push) {
  const int nu = (int)dls_nu_of(w);
  if (w->n_joints > 0) memset(w->joint_own, 0, 6 * (size_t)w->n_joints * sizeof(double));
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation != DLS_RIGID || joint->nu == 0) continue;
    double u[6] = {0}, bias[6], force[6], J[2 * DLS_NU(3)];
    const dls_joint_frame f = dls_joint_frame_moving(w, i, u, bias);
    if (!f.regular) continue;
    dls_joint_force(w, i, &f, u, force);
    const dls_motor *motor = &joint->motor;
    if (motor->kind == DLS_MOTOR_POSITION)
      force[0] += dls_clamp(motor->stiffness * (motor->target - f.q[0]) - motor->damping * u[0],
                            -motor->most, motor->most);
    for (int k = 0; k < joint->nu; k++) {
      if (force[k] == 0) continue;
      dls_joint_frame_row(w, &f, w->q, f.dual + 6 * k, J);
      dls_joint_own_add(w, w->q, i, J, force[k]);
      dls_add_u(nu, push + (size_t)joint->a * (size_t)nu, force[k], J);
      dls_add_u(nu, push + (size_t)joint->b * (size_t)nu, force[k], J + nu);
    }
  }
}
