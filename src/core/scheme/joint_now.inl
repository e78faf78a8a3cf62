/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Joints at the world's coordinates of now: rows on accelerations, and forces. */

static dls_vec3 spin_of(const double *u) {
#if D == 2
  return dls_v3(0, 0, u[2]);
#else
  return dls_v3_load(u + 3);
#endif
}

/* What J (true accelerations) has to be where the joint's own coordinates do not accelerate: with
** om, rho', the relative motion seen from a and al, rho'' what changes it (dls_joint_motion),
**
**     eps_b - eps_a = al + omega_a x om,    a_b - a_a = 2 omega_a x rho' + rho''
**
** at the origin of b's frame, a_a that of the point fixed in a. */
static void relative_bias(const step *S, const hinge *h, const double *u_joint, double out[6]) {
  const dls_world *w = S->w;
  double rate[6], bias[6];
  dls_joint_motion(h->joint, h->q, u_joint, h->drives, rate, bias);
  const int a = h->joint->a, b = h->joint->b;
  const dls_vec3 w_a = spin_of(U(w->u, a)), w_b = spin_of(U(w->u, b));
  const dls_vec3 r_a = arm_to(Q(w->q, a), h->B.p), r_b = arm_to(Q(w->q, b), h->B.p);
  const dls_mat3 *R = &h->A.R;
  dls_vec3 turn = dls_m3_apply(R, dls_v3_load(bias)), way = dls_m3_apply(R, dls_v3_load(bias + 3));
  turn = dls_v3_add(turn, dls_v3_cross(w_a, dls_m3_apply(R, dls_v3_load(rate))));
  way = dls_v3_axpy(way, 2, dls_v3_cross(w_a, dls_m3_apply(R, dls_v3_load(rate + 3))));
  way = dls_v3_add(way, dls_v3_cross(w_a, dls_v3_cross(w_a, r_a)));
  way = dls_v3_sub(way, dls_v3_cross(w_b, dls_v3_cross(w_b, r_b)));
  dls_sp_store(out, (dls_spatial){dls_m3_apply_t(R, turn), dls_m3_apply_t(R, way)});
}

static dls_joint_row *now_row(const step *S, const hinge *h, int kind, int what, const double *d,
                              const double *bias, dls_joint_row *out) {
  const dls_world *w = S->w;
  *out = (dls_joint_row){.kind = kind, .what = what, .a = h->joint->a, .b = h->joint->b, .n_ends = 2,
                         .lo = -DLS_INF, .hi = DLS_INF};
  write_functional(S, h, w->q, d, out->J);
  out->v = row_velocity(out->J, U(w->u, out->a), U(w->u, out->b)) - along(d, h->rate);
  out->bias = along(d, bias);
  return out;
}

/* The hinge of a joint now, the velocities of its coordinates, and its bias. */
static hinge hinge_now(const step *S, int index, double *u_joint, double *bias) {
  const hinge h = hinge_at(S, index, S->w->q);
  for (int k = 0; k < h.joint->nu && h.regular; k++) {
    double J[2 * NU];
    write_functional(S, &h, S->w->q, h.dual + 6 * k, J);
    u_joint[k] = row_velocity(J, U(S->w->u, h.joint->a), U(S->w->u, h.joint->b)) -
                 along(h.dual + 6 * k, h.rate);
  }
  relative_bias(S, &h, u_joint, bias);
  return h;
}

/* The gap of a spherical joint's limit changes by d . om, om = R_a' (w_b - w_a): gap'' = 0 asks for
**
**     d . R_a' (eps_b - eps_a) = d . R_a' (w_a x (w_b - w_a)) - d' . om. */
static double limit_bias(const step *S, const hinge *h, int k, const double d[6]) {
  const dls_world *w = S->w;
  const dls_vec3 w_a = spin_of(U(w->u, h->joint->a));
  const dls_vec3 spin = dls_v3_sub(spin_of(U(w->u, h->joint->b)), w_a);
  const dls_vec3 in_a = dls_m3_apply_t(&h->A.R, spin);
  const dls_vec3 turned_by = dls_v3_cross(w_a, spin), carried = dls_m3_apply_t(&h->A.R, turned_by);
  return dls_v3_dot(dls_v3_load(d), carried) - dls_v3_dot(limit_turning(h, k, in_a), in_a);
}

/* Limits that are reached, the directions that a rigid joint holds, then what holds a velocity:
** a motor, dry friction (at rest). */
static int joint_rows_now(const dls_world *w, int index, dls_joint_row *out) {
  const dls_joint *joint = &w->joints[index];
  static const double REACHED = 1e-9; /* rad or m */
  if (joint->formulation == DLS_PENALTY || !has_rows(joint)) return 0; /* all forces */
  const step S = dls_step_of((dls_world *)(uintptr_t)w, D);
  double u[6] = {0}, bias[6], N[36];
  const hinge h = hinge_now(&S, index, u, bias);
  int n = 0;
  for (int k = 0; k < LIMITS; k++) {
    double gap = 0, d[6];
    if (!limit_of(&h, k, &gap, d) || gap > REACHED) continue;
    dls_joint_row *row = now_row(&S, &h, DLS_ROW_UNILATERAL, k, d, bias, &out[n++]);
    if (joint->kind == DLS_KIND_SPHERICAL) row->bias = limit_bias(&S, &h, k, d);
    row->gap = gap;
    row->lo = 0;
  }
  const int held = joint->formulation == DLS_RIGID ? held_directions(&h, N) : 0;
  const dls_mat3 R = dls_m3_mul_t(&h.T.R, &h.at.R);
  const dls_quat turn = dls_q_from_matrix(&R);
  const double side = turn.w < 0 ? -2 : 2;
  double x[6];
  dls_sp_store(x, (dls_spatial){dls_v3(side * turn.x, side * turn.y, side * turn.z),
                                dls_v3_sub(h.T.p, h.at.p)});
  for (int k = 0; k < held; k++)
    now_row(&S, &h, DLS_ROW_BILATERAL, -1, N + 6 * k, bias, &out[n++])->gap = along(N + 6 * k, x);
  const dls_motor *motor = &joint->motor;
  if (h.regular && motor->kind == DLS_MOTOR_SPEED && motor->most > 0) {
    dls_joint_row *row = now_row(&S, &h, DLS_ROW_BOX, LIMITS, h.dual, bias, &out[n++]);
    row->v -= motor->target;
    row->lo = -motor->most;
    row->hi = motor->most;
  }
  for (int k = 0; h.regular && joint->friction > 0 && k < joint->nu; k++) {
    dls_joint_row *row = now_row(&S, &h, DLS_ROW_BOX, LIMITS + k, h.dual + 6 * k, bias, &out[n]);
    if (joint->formulation == DLS_REDUCED && fabs(row->v) > DLS_JOINT_STILL) continue;
    row->lo = -joint->friction;
    row->hi = joint->friction;
    n++;
  }
  return n;
}

/* udot of a rigid joint's coordinates where its bodies accelerate by a. */
static void joint_rates_now(const dls_world *w, int index, const dls_spatial a[2], double *udot) {
  const dls_joint *joint = &w->joints[index];
  const step S = dls_step_of((dls_world *)(uintptr_t)w, D);
  double u[6] = {0}, bias[6], J[2 * NU], by[2][NU];
  const hinge h = hinge_now(&S, index, u, bias);
  for (int e = 0; e < 2; e++) {
#if D == 2
    by[e][0] = a[e].l.x, by[e][1] = a[e].l.y, by[e][2] = a[e].a.z;
#else
    dls_v3_store(by[e], a[e].l);
    dls_v3_store(by[e] + 3, a[e].a);
#endif
  }
  if (joint->kind == DLS_KIND_SPHERICAL) { /* u = B' (w_b - w_a), B the child's axes */
    const dls_mat3 B = place_at(&S, joint->b, w->q).R;
    const dls_vec3 w_b = spin_of(U(w->u, joint->b)), w_a = spin_of(U(w->u, joint->a));
    const dls_vec3 rate = dls_v3_sub(dls_v3_sub(a[1].a, a[0].a), dls_v3_cross(w_b, dls_v3_sub(w_b, w_a)));
    dls_v3_store(udot, dls_m3_apply_t(&B, rate));
    return;
  }
  for (int k = 0; k < joint->nu; k++) {
    write_functional(&S, &h, w->q, h.dual + 6 * k, J);
    udot[k] = h.regular ? row_velocity(J, by[0], by[1]) - along(h.dual + 6 * k, bias) : 0;
  }
}

static bool gear_row_now(const dls_world *w, int index, dls_joint_row *out) {
  const dls_gear *gear = &w->gears[index];
  const step S = dls_step_of((dls_world *)(uintptr_t)w, D);
  wheels at;
  if (!gear->alive || !wheels_at(&S, gear, w->q, &at)) return false;
  double bias = 0, v = 0;
  for (int k = 0; k < 2; k++) {
    double u[6] = {0}, whole[6];
    const hinge h = hinge_now(&S, gear->joint[k], u, whole);
    const double share = k == 0 ? -gear->ratio : 1;
    bias += share * along(h.dual, whole);
    v += share * u[0];
  }
  const dls_joint *one = at.h[0].joint, *two = at.h[1].joint;
  *out = (dls_joint_row){.kind = DLS_ROW_BILATERAL, .what = -1, .a = two->a, .b = two->b, .c = one->a,
                         .d = one->b, .n_ends = 4, .gap = at.gap, .v = v, .bias = bias,
                         .lo = -DLS_INF, .hi = DLS_INF};
  memcpy(out->J, at.J, sizeof at.J);
  return true;
}

/* Forces of joints that are not in the tree on their bodies, and what they are on b about its anchor
** (w->joint_own). */
static void joint_push_now(dls_world *w, double *push) {
  step S = dls_step_of(w, D);
  S.q_c = w->q;
  if (w->n_joints > 0) memset(w->joint_own, 0, 6 * (size_t)w->n_joints * sizeof(double));
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation != DLS_RIGID || joint->nu == 0) continue;
    double u[6] = {0}, bias[6], force[6], J[2 * NU];
    const hinge h = hinge_now(&S, i, u, bias);
    if (!h.regular) continue;
    forces_of(&S, i, &h, u, force);
    const dls_motor *motor = &joint->motor;
    if (motor->kind == DLS_MOTOR_POSITION)
      force[0] += dls_clamp(motor->stiffness * (motor->target - h.q[0]) - motor->damping * u[0],
                            -motor->most, motor->most);
    for (int k = 0; k < joint->nu; k++) {
      if (force[k] == 0) continue;
      write_functional(&S, &h, w->q, h.dual + 6 * k, J);
      add_own(&S, i, J, force[k]);
      add_u(U(push, joint->a), force[k], J);
      add_u(U(push, joint->b), force[k], J + NU);
    }
  }
}

/* The force of a row joins joint_own. */
static void joint_own_now(dls_world *w, int index, const double *J, double force) {
  step S = dls_step_of(w, D);
  S.q_c = w->q;
  add_own(&S, index, J, force);
}
