/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/trees.h"

#include "core/forest/flat.h"
#include "core/model/frames.h"

/* Numbers between the world's arrays, the joints' states and the forest. */

dls_place dls_body_frame(const dls_world *w, int body) {
  return dls_frame_of(w, body, w->q + (size_t)body * dls_nq_of(w));
}

dls_place dls_joint_between(const dls_world *w, const dls_joint *joint) {
  const dls_place A = dls_body_frame(w, joint->a), B = dls_body_frame(w, joint->b);
  const dls_place on_a = dls_place_mul(&A, &joint->on_a), on_b = dls_place_mul(&B, &joint->on_b);
  const dls_place back = dls_place_inverse(&on_a);
  return dls_place_mul(&back, &on_b);
}

static void gather_free(const dls_world *w, int body, const double *q, const double *u, double *fq,
                        double *fu) {
  const dls_place T = dls_frame_of(w, body, q);
  const dls_spatial v = dls_twist_of(w, u);
  const dls_vec3 back = dls_v3_neg(dls_m3_apply(&T.R, dls_v3_load(w->bodies[body].com)));
  const dls_vec3 at_origin = dls_v3_add(v.l, dls_v3_cross(v.a, back));
  if (w->dim == 2) {
    fq[0] = T.p.x, fq[1] = T.p.y, fq[2] = q[2];
    fu[0] = at_origin.x, fu[1] = at_origin.y, fu[2] = v.a.z;
    return;
  }
  dls_v3_store(fq, T.p);
  memcpy(fq + 3, q + 3, 4 * sizeof(double));
  dls_v3_store(fu, at_origin);
  dls_v3_store(fu + 3, dls_m3_apply_t(&T.R, v.a));
}

static dls_status give_one(dls_world *w, int body, const double *q, const double *u, double time,
                           bool ask, dls_given *out) {
  const dls_place T = dls_frame_of(w, body, q);
  const dls_spatial v = dls_twist_of(w, u);
  const dls_vec3 back = dls_v3_neg(dls_m3_apply(&T.R, dls_v3_load(w->bodies[body].com)));
  dls_v3_store(out->p, T.p);
  dls_q_store(out->q, dls_q_from_matrix(&T.R));
  dls_v3_store(out->omega, v.a);
  dls_v3_store(out->v, dls_v3_add(v.l, dls_v3_cross(v.a, back)));
  double more[6] = {0};
  if (ask && w->bodies[body].moved && w->hooks.motion) {
    double p[3], r[4], x[3], y[3];
    dls_status status = w->hooks.motion(w->hooks.ud, body, time, p, r, x, y, more);
    if (status != DLS_OK) return status;
  }
  const dls_vec3 a = dls_v3_load(more), eps = dls_v3_load(more + 3);
  const dls_vec3 inward = dls_v3_cross(v.a, dls_v3_cross(v.a, back));
  dls_v3_store(out->eps, eps);
  dls_v3_store(out->a, dls_v3_add(dls_v3_add(a, dls_v3_cross(eps, back)), inward));
  return DLS_OK;
}

static dls_status give_all(dls_world *w, const double *q, const double *u, double time, bool ask) {
  dls_trees *t = w->trees;
  for (int k = 0; k < t->n_links; k++) {
    const dls_node *node = &t->forest->nodes[t->forest->links[k].node];
    if (node->kind != DLS_NODE_GIVEN) continue;
    const int body = t->link_body[k];
    dls_status status =
        give_one(w, body, q + (size_t)body * dls_nq_of(w), u + (size_t)body * dls_nu_of(w), time,
                 ask, &t->state->given[node->input]);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

void dls_trees_give(dls_world *w, const double *q, const double *u) {
  (void)give_all(w, q, u, 0, false);
}

dls_status dls_trees_drive(dls_world *w, double time) {
  dls_trees *t = w->trees;
  for (int i = 0; i < t->forest->n_drives && w->hooks.drive; i++) {
    double out[3];
    dls_status status =
        w->hooks.drive(w->hooks.ud, t->drive_joint[i], t->drive_motion[i], time, out);
    if (status != DLS_OK) return status;
    t->state->drives[i] = (dls_drive){out[0], out[1], out[2]};
  }
  return DLS_OK;
}

dls_status dls_trees_gather(dls_world *w, const double *q, const double *u, const double *q_given,
                            const double *u_given, double time) {
  dls_trees *t = w->trees;
  memcpy(t->state->gravity, w->gravity, sizeof w->gravity);
  t->state->axis = NULL;
  for (int k = 0; k < t->n_links; k++) {
    const dls_link_info *info = &t->forest->links[k];
    const int body = t->link_body[k], index = t->link_joint[k];
    double *fq = t->state->q + info->iq, *fu = t->state->u + info->iu;
    if (index >= 0) {
      memcpy(fq, w->joint_state[index].q, (size_t)info->nq * sizeof(double));
      memcpy(fu, w->joint_state[index].u, (size_t)info->nu * sizeof(double));
    } else if (info->nu > 0) {
      gather_free(w, body, q + (size_t)body * dls_nq_of(w), u + (size_t)body * dls_nu_of(w), fq,
                  fu);
    }
  }
  dls_status status = give_all(w, q_given, u_given, time, true);
  return status == DLS_OK ? dls_trees_drive(w, time) : status;
}

void dls_trees_rest(dls_world *w, const unsigned char *which, const double *q) {
  dls_trees *t = w->trees;
  static const double NONE[DLS_NU(3)];
  for (int k = 0; k < t->n_links; k++) {
    const dls_link_info *info = &t->forest->links[k];
    const int body = t->link_body[k], index = t->link_joint[k];
    double *fq = t->state->q + info->iq, fu[DLS_NU(3)];
    if (!which[body] || t->body_tree[body] < 0) continue;
    if (index >= 0) memcpy(fq, w->joint_state[index].q, (size_t)info->nq * sizeof(double));
    else if (info->nu > 0) gather_free(w, body, q + (size_t)body * dls_nq_of(w), NONE, fq, fu);
  }
}

dls_status dls_trees_inputs(dls_world *w, double time) {
  memcpy(w->trees->state->gravity, w->gravity, sizeof w->gravity);
  w->trees->state->axis = NULL;
  dls_status status = give_all(w, w->q, w->u, time, true);
  return status == DLS_OK ? dls_trees_drive(w, time) : status;
}

void dls_trees_keep(dls_world *w) {
  dls_trees *t = w->trees;
  for (int k = 0; k < t->n_links; k++) {
    const dls_link_info *info = &t->forest->links[k];
    const int index = t->link_joint[k];
    if (index < 0) continue;
    memcpy(w->joint_state[index].q, t->state->q + info->iq, (size_t)info->nq * sizeof(double));
    memcpy(w->joint_state[index].u, t->state->u + info->iu, (size_t)info->nu * sizeof(double));
  }
}

/* The angle of link k in the plane: of the first column of its rotation. */
static double angle_of(const dls_trees *t, int k) {
  const dls_link_info *info = &t->forest->links[k];
  const double *R = t->state->node[info->node].R_w, *own = info->body.R.m;
  return dls_atan2(R[3] * own[0] + R[4] * own[3] + R[5] * own[6],
                   R[0] * own[0] + R[1] * own[3] + R[2] * own[6]);
}

/* summed: dls_flat_turn has found the nodes' angles. */
static void scatter_pose(const dls_world *w, int k, bool summed, double *q) {
  const dls_trees *t = w->trees;
  const dls_vec3 centre = dls_forest_link_centre(t->forest, t->state, k);
  if (w->dim == 2) { /* the angle nearest to the last: turns are counted */
    const double angle =
        summed ? dls_flat_angle(t->forest, t->state, t->state->scratch, k) : angle_of(t, k);
    q[0] = centre.x, q[1] = centre.y;
    q[2] = dls_angle_near(angle, q[2]);
    return;
  }
  const dls_link_info *info = &t->forest->links[k];
  const dls_mat3 node = dls_m3_load(t->state->node[info->node].R_w),
                 R = dls_m3_mul(&node, &info->body.R);
  dls_quat turn = dls_q_unit(dls_q_from_matrix(&R));
  const double side = turn.w * q[3] + turn.x * q[4] + turn.y * q[5] + turn.z * q[6];
  if (side < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
  dls_v3_store(q, centre);
  dls_q_store(q + 3, turn);
}

/* Turn of a node about its axis, from coordinates `from` to `to`. */
static double turned_by(const dls_node *node, const double *from, const double *to) {
  if (node->kind == DLS_NODE_REVOLUTE) return to[node->iq] - from[node->iq];
  if (node->kind == DLS_NODE_SCREW) return node->a * (to[node->iq] - from[node->iq]);
  return node->kind == DLS_NODE_PLANE ? to[node->iq + 2] - from[node->iq + 2] : 0;
}

static double turn_of(const dls_trees *t, const double *turn, int body) {
  const int k = t->body_link[body];
  return k < 0 ? 0 : turn[t->forest->links[k].node];
}

void dls_trees_turn(dls_world *w, const double *to) {
  const dls_trees *t = w->trees;
  double *turn = t->state->scratch;
  if (w->dim != 2) return;
  for (int i = 0; i < t->forest->n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    const double own = turned_by(node, t->state->q, to);
    turn[i] =
        (node->parent >= 0 ? turn[node->parent] : 0) + (t->state->node[i].R_w[8] > 0 ? own : -own);
  }
  for (int k = 0; k < t->n_links; k++)
    if (dls_is_dynamic(w, t->link_body[k]))
      w->q[3 * (size_t)t->link_body[k] + 2] += turn_of(t, turn, t->link_body[k]);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    const dls_motion *m = &joint->motions[0];
    if (!joint->alive || joint->formulation == DLS_REDUCED || !dls_joint_is_chain(joint)) continue;
    if (joint->n_motions != 1 || joint->nu != 1 || m->kind != DLS_MOTION_ROTATE) continue;
    w->joint_state[i].q[0] +=
        m->axis[2] * (turn_of(t, turn, joint->b) - turn_of(t, turn, joint->a));
  }
}

void dls_trees_scatter(dls_world *w, double *q, double *u, bool all) {
  const dls_trees *t = w->trees;
  const dls_forest *of = all ? t->forest : &t->walked;
  const bool summed = q && of->flat && dls_flat_turn(of, t->state, t->state->scratch);
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k];
    if (!all && t->body_tree[body] < 0) continue;
    if (!dls_is_dynamic(w, body)) continue;
    if (q) scatter_pose(w, k, summed, q + (size_t)body * dls_nq_of(w));
    if (!u) continue;
    const dls_spatial v = dls_forest_link_velocity(t->forest, t->state, k);
    double *out = u + (size_t)body * dls_nu_of(w);
    if (w->dim == 2) {
      out[0] = v.l.x, out[1] = v.l.y, out[2] = v.a.z;
    } else {
      dls_v3_store(out, v.l);
      dls_v3_store(out + 3, v.a);
    }
  }
}

/* The velocities of a tree that are nearest, in the metric of M, to those its bodies have: the
** tree's own ones plus du = (S' M S)^-1 S' M (x - S u). Where a direction has no inertia (yet) they
** stay. */
static void take_nearest(dls_world *w, int tree) {
  dls_trees *t = w->trees;
  dls_fault fault = {-1, 0};
  memset(t->velocity, 0, 6 * (size_t)t->n_links * sizeof(double));
  for (int k = 0; k < t->n_links; k++) {
    const int i = t->link_body[k];
    if (t->body_tree[i] != tree || !dls_is_dynamic(w, i)) continue;
    const dls_body *body = &w->bodies[i];
    const dls_spatial v = dls_forest_link_velocity(t->forest, t->state, k);
    const dls_spatial x = dls_twist_of(w, w->u + (size_t)i * dls_nu_of(w));
    const dls_mat3 R = dls_forest_link_place(t->forest, t->state, k).R;
    const dls_mat3 J = w->dim == 2 ? (dls_mat3){{0, 0, 0, 0, 0, 0, 0, 0, body->inertia[0]}}
                                   : dls_m3_load(body->inertia);
    const dls_vec3 turning = dls_m3_apply_t(&R, dls_v3_sub(x.a, v.a));
    dls_sp_store(t->velocity + 6 * (size_t)k,
                 (dls_spatial){dls_m3_apply(&R, dls_m3_apply(&J, turning)),
                               dls_v3_scale(body->mass, dls_v3_sub(x.l, v.l))});
  }
  if (dls_forest_factor(t->forest, t->state, &fault) != DLS_OK) return;
  dls_forest_respond(t->forest, t->state, NULL, t->velocity, t->du);
  for (int i = 0; i < t->forest->nu; i++) t->state->u[i] += t->du[i];
  dls_forest_move(t->forest, t->state);
  dls_trees_keep(w);
}

/* The trees that hang on a given body take the velocities nearest to those that their bodies have:
** joints hand on what they transmit of its own one, and no more. */
static void hand_on(dls_world *w, int given) {
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    const int child = joint->turned ? joint->a : joint->b;
    const int base = joint->turned ? joint->b : joint->a;
    if (joint->alive && joint->formulation == DLS_REDUCED && base == given)
      take_nearest(w, w->trees->body_tree[child]);
  }
}

/* made: a joint's number; struck: that of a given body whose velocity jumps; -1: none. */
static dls_status follow(dls_world *w, int made, int struck, dls_forest_fault *fault) {
  dls_status status = dls_trees_update(w, fault);
  if (status != DLS_OK) return status;
  w->trees->known = DLS_KNOWN_NOTHING;
  status = dls_trees_gather(w, w->q, w->u, w->q, w->u, w->time);
  if (status != DLS_OK) return status;
  dls_forest_place(w->trees->forest, w->trees->state);
  dls_forest_move(w->trees->forest, w->trees->state);
  if (made >= 0) { /* the child is in a tree, the ground is not */
    const dls_joint *joint = &w->joints[made];
    take_nearest(w, w->trees->body_tree[joint->turned ? joint->a : joint->b]);
  }
  if (struck >= 0) hand_on(w, struck);
  dls_trees_scatter(w, w->q, w->u, false);
  return DLS_OK;
}

dls_status dls_trees_follow(dls_world *w, int made, dls_forest_fault *fault) {
  return follow(w, made, -1, fault);
}

dls_undo dls_undo_of_body(const dls_world *w, int body) {
  const size_t i = (size_t)body, nq = dls_nq_of(w), nu = dls_nu_of(w);
  dls_undo undo = {.body = body, .joint = -1, .model = w->bodies[body]};
  memcpy(undo.q, w->q + i * nq, nq * sizeof(double));
  memcpy(undo.q_before, w->q_before + i * nq, nq * sizeof(double));
  memcpy(undo.u, w->u + i * nu, nu * sizeof(double));
  return undo;
}

dls_undo dls_undo_of_joint(const dls_world *w, int joint) {
  return (dls_undo){.body = -1, .joint = joint, .state = w->joint_state[joint]};
}

static void take_back(dls_world *w, const dls_undo *undo) {
  if (undo->joint >= 0) w->joint_state[undo->joint] = undo->state;
  if (undo->body < 0) return;
  const size_t i = (size_t)undo->body, nq = dls_nq_of(w), nu = dls_nu_of(w);
  w->bodies[undo->body] = undo->model;
  memcpy(w->q + i * nq, undo->q, nq * sizeof(double));
  memcpy(w->q_before + i * nq, undo->q_before, nq * sizeof(double));
  memcpy(w->u + i * nu, undo->u, nu * sizeof(double));
  w->columns.known = false;
  w->trees->stale = true; /* compiled perhaps with the masses of the change */
}

/* Whether trees ask where a body is and how it moves. */
static bool is_followed(const dls_world *w, int body) {
  return w->trees->stale || w->trees->body_tree[body] >= 0 || w->bodies[body].type != DLS_DYNAMIC;
}

dls_status dls_trees_follow_change(dls_world *w, const dls_undo *undo, dls_forest_fault *fault) {
  if (!dls_trees_used(w) || (undo->body >= 0 && !is_followed(w, undo->body))) return DLS_OK;
  const int body = undo->body;
  const size_t nu = dls_nu_of(w);
  const bool struck = body >= 0 && w->bodies[body].type != DLS_DYNAMIC &&
                      memcmp(w->u + (size_t)body * nu, undo->u, nu * sizeof(double)) != 0;
  const dls_status status = follow(w, -1, struck ? body : -1, fault);
  if (status != DLS_OK) take_back(w, undo);
  return status;
}
