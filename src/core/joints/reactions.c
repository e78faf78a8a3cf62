/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/reactions.h"

#include "core/joints/doubled.h"
#include "core/joints/joint_rates.h"
#include "core/joints/penalties.h"
#include "core/model/frames.h"

static dls_spatial motion_of(const dls_world *w, int body) {
  return dls_twist_of(w, w->u + (size_t)body * dls_nu_of(w));
}

static dls_vec3 centre_of(const dls_world *w, int body) {
  return dls_centre_of(w, w->q + (size_t)body * dls_nq_of(w));
}

/* Twist of b's joint frame relative to a's at the origin of b's, axes of a's joint frame. */
static dls_spatial relative_twist(const dls_world *w, const dls_joint *joint) {
  const dls_place A = dls_body_frame(w, joint->a), B = dls_body_frame(w, joint->b);
  const dls_vec3 point = dls_place_point(&B, joint->on_b.p);
  const dls_mat3 F = dls_m3_mul(&A.R, &joint->on_a.R);
  const dls_spatial a = motion_of(w, joint->a), b = motion_of(w, joint->b);
  const dls_vec3 at_a =
      dls_v3_add(a.l, dls_v3_cross(a.a, dls_v3_sub(point, centre_of(w, joint->a))));
  const dls_vec3 at_b =
      dls_v3_add(b.l, dls_v3_cross(b.a, dls_v3_sub(point, centre_of(w, joint->b))));
  return (dls_spatial){dls_m3_apply_t(&F, dls_v3_sub(b.a, a.a)),
                       dls_m3_apply_t(&F, dls_v3_sub(at_b, at_a))};
}

/* Where prescribed motions stand (three numbers a motion), their values also by themselves. */
static const double *values_of(const dls_world *w, int index, double s[DLS_MAX_MOTIONS]) {
  const double *drives = w->joint_drive + 3 * DLS_MAX_MOTIONS * (size_t)index;
  for (int i = 0; i < w->joints[index].n_motions; i++) s[i] = drives[3 * i];
  return drives;
}

void dls_joint_now(const dls_world *w, int index, double *q, double *u) {
  const dls_joint *joint = &w->joints[index];
  const dls_joint_state *state = &w->joint_state[index];
  memcpy(q, state->q, sizeof state->q);
  memcpy(u, state->u, sizeof state->u);
  if (joint->formulation == DLS_REDUCED) return;
  if (joint->formulation == DLS_PENALTY) {
    dls_penalty_measure(w, index, w->q, w->u, q, u);
    return;
  }
  double A[36], x[6], s[DLS_MAX_MOTIONS], rate[6];
  static const double still[6] = {0};
  const double *drives = values_of(w, index, s);
  dls_place T = dls_joint_between(w, joint);
  const dls_spatial twist = relative_twist(w, joint);
  if (joint->kind == DLS_KIND_SPHERICAL) {
    T.R = dls_m3_mul_t(&T.R, &joint->on_b.R);
    T.R = dls_m3_mul(&joint->on_b.R, &T.R);
  }
  dls_joint_measure(joint, &T, s, q);
  (void)dls_joint_pose(joint, q, s, A);
  dls_joint_motion(joint, q, still, drives, rate, NULL);
  dls_sp_store(x, twist);
  for (int i = 0; i < 6; i++) x[i] -= rate[i];
  if (joint->kind == DLS_KIND_SPHERICAL) { /* its columns are the child's axes */
    const dls_place A_w = dls_body_frame(w, joint->a), B_w = dls_body_frame(w, joint->b);
    const dls_mat3 F = dls_m3_mul(&A_w.R, &joint->on_a.R);
    dls_v3_store(u, dls_m3_apply_t(&B_w.R, dls_m3_apply(&F, twist.a)));
  }
  if (joint->nu > 0 && dls_joint_is_chain(joint)) (void)dls_columns_solve(A, joint->nu, x, u);
}

bool dls_joint_is_settled(const dls_world *w, int index) {
  const dls_joint *joint = &w->joints[index];
  double apart[2], size;
  const dls_spatial a = motion_of(w, joint->a), b = motion_of(w, joint->b);
  if (dls_v3_norm(a.a) + dls_v3_norm(a.l) + dls_v3_norm(b.a) + dls_v3_norm(b.l) > 0) return false;
  if (joint->n_driven > 0) return false;
  dls_joint_violation(w, index, apart);
  size = 1 + dls_v3_norm(centre_of(w, joint->b));
  return apart[0] <= 1e-13 * size && apart[1] <= 1e-13;
}

void dls_joint_violation(const dls_world *w, int index, double apart[2]) {
  const dls_joint *joint = &w->joints[index];
  apart[0] = apart[1] = 0;
  const dls_place T = dls_joint_between(w, joint);
  double q[7];
  if (joint->kind == DLS_KIND_FREE) return;
  memcpy(q, w->joint_state[index].q, sizeof q);
  if (joint->kind == DLS_KIND_SPHERICAL) {
    apart[0] = dls_v3_norm(T.p);
    return;
  }
  if (joint->n_driven > 0 && joint->formulation == DLS_REDUCED) return; /* nothing can come apart */
  double s[DLS_MAX_MOTIONS];
  (void)values_of(w, index, s);
  if (joint->formulation != DLS_REDUCED) dls_joint_measure(joint, &T, s, q);
  const dls_place at = dls_joint_pose(joint, q, s, NULL);
  const dls_mat3 R = dls_m3_mul_t(&T.R, &at.R);
  const dls_quat turn = dls_q_from_matrix(&R);
  const double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
  apart[0] = dls_v3_norm(dls_v3_sub(T.p, at.p));
  apart[1] = 2 * dls_atan2(sine, fabs(turn.w));
}

/* --- what is known of accelerations ----------------------------------------------------------- */

static const dls_link_info *info_of(const dls_world *w, int index, int *link) {
  const dls_joint *joint = &w->joints[index];
  *link = w->trees->body_link[joint->turned ? joint->a : joint->b];
  return &w->trees->forest->links[*link];
}

bool dls_trees_recall(dls_world *w) {
  dls_trees *t = w->trees;
  if (!t || t->stale || !t->forest) return false;
  if (t->known == DLS_KNOWN_RECALLED || t->known == DLS_KNOWN_ACCELERATION) return true;
  if (t->known != DLS_KNOWN_STEP) return false;
  dls_forest_state *state = t->state;
  const double h = t->step_time;
  memcpy(state->q, t->q_mid, (size_t)t->forest->nq * sizeof(double));
  memcpy(state->u, t->u_before, (size_t)t->forest->nu * sizeof(double));
  memcpy(state->drives, t->drives_mid, (size_t)t->forest->n_drives * sizeof(dls_drive));
  memcpy(state->given, t->given_mid, (size_t)t->forest->n_given * sizeof(dls_given));
  for (int i = 0; i < t->forest->nu; i++) state->udot[i] = (t->u_end[i] - t->u_before[i]) / h;
  dls_forest_place(&t->walked, state);
  dls_forest_move(&t->walked, state);
  for (int i = 0; i < 6 * t->n_links; i++) t->velocity[i] = t->jump[i] / h;
  dls_forest_transmit(&t->walked, state, t->velocity);
  t->known = DLS_KNOWN_RECALLED;
  return true;
}

/* The acceleration of a body in the last evaluation; false: its motion does not tell here. */
static bool acceleration_of(const dls_world *w, int body, dls_spatial *out) {
  const dls_trees *t = w->trees;
  const int link = body == 0 ? -1 : t->body_link[body];
  *out = (dls_spatial){{0, 0, 0}, {0, 0, 0}};
  if (link >= 0) *out = dls_forest_link_acceleration(t->forest, t->state, link);
  return link >= 0 || !w->bodies[body].moved;
}

/* Of a joint beside the trees: from the bodies' accelerations in the last evaluation, or over the
** last step. */
static bool rates_beside(const dls_world *w, int index, double *udot) {
  const dls_joint *joint = &w->joints[index];
  const dls_trees *t = w->trees;
  dls_spatial a[2];
  if (!t || t->stale || !t->forest || t->known != DLS_KNOWN_ACCELERATION) {
    memcpy(udot, w->joint_qdd + 6 * (size_t)index, (size_t)joint->nu * sizeof *udot);
    return w->qdd_known;
  }
  if (!acceleration_of(w, joint->a, &a[0]) || !acceleration_of(w, joint->b, &a[1])) return false;
  if (joint->formulation == DLS_PENALTY) dls_penalty_accelerations(w, index, a, udot);
  else dls_rigid_joint_rates(w, index, a, udot);
  return true;
}

/* Of a reduced joint after a step in parts: its accelerations, or its drive's force; NULL: not
** known as means. */
static const double *means_of(const dls_world *w, int index) {
  const dls_trees *t = w->trees;
  const bool means = t && !t->stale && t->forest && t->known == DLS_KNOWN_MEANS;
  return means && w->joints[index].formulation == DLS_REDUCED ? w->joint_qdd + 6 * (size_t)index
                                                              : NULL;
}

bool dls_joint_rates(dls_world *w, int index, double *udot) {
  int link;
  const double *mean = means_of(w, index);
  if (mean) {
    memcpy(udot, mean, (size_t)w->joints[index].nu * sizeof *udot);
    return true;
  }
  if (w->joints[index].formulation != DLS_REDUCED) return rates_beside(w, index, udot);
  if (!dls_trees_recall(w)) return false;
  const dls_link_info *info = info_of(w, index, &link);
  memcpy(udot, w->trees->state->udot + info->iu, (size_t)info->nu * sizeof(double));
  return true;
}

/* What the joint of a tree transmits, on b about its anchor there; the forest is recalled. */
static dls_spatial transmitted(const dls_world *w, int index) {
  const dls_joint *joint = &w->joints[index];
  const dls_trees *t = w->trees;
  int link;
  const dls_link_info *info = info_of(w, index, &link);
  dls_spatial R = dls_forest_link_reaction(t->forest, t->state, link);
  /* about the origin of the link, which carries its coordinates */
  if (joint->kind == DLS_KIND_FREE) {
    const dls_place C = dls_forest_link_place(t->forest, t->state, link);
    const dls_vec3 arm = dls_m3_apply(&C.R, (joint->turned ? &joint->on_a : &joint->on_b)->p);
    R.a = dls_v3_sub(R.a, dls_v3_cross(arm, R.l));
  }
  if (joint->turned) { /* on a, about the anchor fixed in a: the opposite acts on b about b's */
    const dls_place A = dls_forest_link_place(t->forest, t->state, link);
    const dls_place B = joint->b == 0
                            ? dls_place_identity()
                            : dls_forest_link_place(t->forest, t->state, t->body_link[joint->b]);
    const dls_vec3 arm =
        dls_v3_sub(dls_place_point(&A, joint->on_a.p), dls_place_point(&B, joint->on_b.p));
    R.a = dls_v3_add(R.a, dls_v3_cross(arm, R.l));
    R = dls_sp_scale(-1, R);
  }
  (void)info;
  return R;
}

bool dls_joint_reaction(dls_world *w, int index, double force[3], double moment[3]) {
  const dls_joint *joint = &w->joints[index];
  const dls_trees *t = w->trees;
  const bool means = means_of(w, index) != NULL, reduced = joint->formulation == DLS_REDUCED;
  const bool of_step = t && (t->known == DLS_KNOWN_STEP || t->known == DLS_KNOWN_RECALLED);
  const int ball = of_step ? dls_doubled_ball(w, index) : -1;
  dls_spatial R = dls_sp_load(w->joint_own + 6 * (size_t)index);
  bool known = w->own_known || means;
  if (reduced && !means) {
    known = dls_trees_recall(w);
    if (known) R = dls_sp_add(R, transmitted(w, index));
  }
  if (ball >= 0 && known && dls_trees_recall(w))
    R = dls_sp_add(R, dls_doubled_share(w, index, ball, transmitted(w, ball)));
  if (!known && reduced) return false;
  dls_v3_store(force, R.l);
  dls_v3_store(moment, R.a);
  return known;
}

/* The drive of a rigid or penalty joint of one motion: its wrench along the motion. */
static double held_drive(const dls_world *w, int index) {
  const dls_joint *joint = &w->joints[index];
  const dls_motion *m = &joint->motions[0];
  const dls_spatial own = dls_sp_load(w->joint_own + 6 * (size_t)index);
  const dls_place A = dls_body_frame(w, joint->a);
  const dls_mat3 F = dls_m3_mul(&A.R, &joint->on_a.R);
  const dls_vec3 axis = dls_m3_apply(&F, dls_v3_load(m->axis));
  const dls_vec3 linear = dls_m3_apply(&F, dls_v3_load(m->linear));
  switch (m->kind) {
    case DLS_MOTION_ROTATE: return dls_v3_dot(dls_v3_unit(axis), own.a);
    case DLS_MOTION_SLIDE: return dls_v3_dot(dls_v3_unit(axis), own.l);
    case DLS_MOTION_SCREW: break;
  }
  return dls_v3_dot(axis, own.a) + dls_v3_dot(linear, own.l);
}

bool dls_joint_drive_force(dls_world *w, int index, double *force) {
  const double *mean = means_of(w, index);
  if (mean) {
    *force = mean[0];
    return true;
  }
  if (w->joints[index].formulation != DLS_REDUCED && w->joints[index].n_motions == 1) {
    *force = held_drive(w, index);
    return w->own_known;
  }
  if (w->joints[index].formulation != DLS_REDUCED || !dls_trees_recall(w)) return false;
  int link;
  const dls_link_info *info = info_of(w, index, &link);
  const dls_node *node = &w->trees->forest->nodes[info->node];
  const dls_spatial R = dls_sp_load(w->trees->state->node[info->node].R);
  *force = node->a * R.a.z + node->b * R.l.z;
  return true;
}
