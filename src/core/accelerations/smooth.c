/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/smooth.h"

#include "core/accelerations/constrain.h"
#include "core/accelerations/joint_acc.h"
#include "core/base/dim.h"
#include "core/joints/penalties.h"
#include "core/model/body.h"

/* A force at a point of a body, on its mass centre. */
static void push_at(const dls_world *w, double *push, int body, dls_vec3 point, dls_vec3 force) {
  const double *q = w->q + (size_t)body * (size_t)DLS_NQ(w->dim);
  double *out = push + (size_t)body * (size_t)DLS_NU(w->dim);
  const dls_vec3 centre = dls_v3(q[0], q[1], w->dim == 3 ? q[2] : 0);
  const dls_vec3 moment = dls_v3_cross(dls_v3_sub(point, centre), force);
  out[0] += force.x;
  out[1] += force.y;
  if (w->dim == 2) {
    out[2] += moment.z;
    return;
  }
  out[2] += force.z;
  dls_v3_store(out + 3, dls_v3_add(dls_v3_load(out + 3), moment));
}

static void push_springs(const dls_world *w, double *push) {
  for (int i = 0; i < w->n_springs; i++) {
    const dls_spring *s = &w->springs[i];
    if (!s->alive) continue;
    const dls_vec3 a = dls_body_point(w, s->a, dls_v3_add(dls_v3_load(s->anchor_a),
                                                          dls_v3_load(w->bodies[s->a].com)));
    const dls_vec3 b = dls_body_point(w, s->b, dls_v3_add(dls_v3_load(s->anchor_b),
                                                          dls_v3_load(w->bodies[s->b].com)));
    dls_vec3 along = dls_v3_sub(b, a);
    const double length = dls_v3_norm(along);
    if (!(length > 0)) continue;
    along = dls_v3_scale(1 / length, along);
    const dls_vec3 v =
        dls_v3_sub(dls_body_velocity_at(w, s->b, b), dls_body_velocity_at(w, s->a, a));
    const double tension = s->stiffness * (length - s->length) + s->damping * dls_v3_dot(along, v);
    push_at(w, push, s->a, a, dls_v3_scale(tension, along));
    push_at(w, push, s->b, b, dls_v3_scale(-tension, along));
  }
}

dls_status dls_world_push_fields(dls_world *w, double *push) {
  for (int i = 0; i < w->n_bodies && w->hooks.field; i++) {
    if (!w->bodies[i].alive || w->bodies[i].type != DLS_DYNAMIC) continue;
    double force[3] = {0}, torque[3] = {0};
    dls_status status = w->hooks.field(w->hooks.ud, i, w->time, force, torque);
    if (status != DLS_OK) return status;
    double *out = push + (size_t)i * (size_t)DLS_NU(w->dim);
    for (int k = 0; k < w->dim; k++) out[k] += force[k];
    for (int k = 0; k < DLS_NW(w->dim); k++) out[w->dim + k] += torque[k];
  }
  return DLS_OK;
}

bool dls_world_is_pushed(const dls_world *w) {
  if (w->hooks.field || dls_world_is_constrained(w) || dls_penalties_used(w)) return true;
  for (int i = 0; i < w->n_springs; i++)
    if (w->springs[i].alive) return true;
  return false;
}

dls_status dls_world_push(dls_world *w, bool torque, bool friction, double *push) {
  push_springs(w, push);
  dls_joints_push(w, push);
  const dls_status status = dls_penalties_tune(w);
  if (status == DLS_OK) dls_penalties_push(w, torque, friction, push);
  return status;
}

/* n zeros, kept from evaluation to evaluation: another one may begin inside of a field, and gets
** its own. NULL: no memory. */
static double *lend_push(dls_world *w, size_t n) {
  dls_trees *t = w->trees;
  double *push = t->push;
  t->push = NULL;
  if (push && t->push_room == n) {
    memset(push, 0, n * sizeof *push);
    return push;
  }
  dls_free(&w->alloc, push, t->push_room, sizeof *push);
  return dls_new(&w->alloc, n, sizeof *push);
}

static void keep_push(dls_world *w, double *push, size_t n) {
  dls_trees *t = w->trees;
  dls_free(&w->alloc, t->push, t->push_room, sizeof *push);
  t->push = push, t->push_room = n;
}

dls_status dls_world_forces(dls_world *w, bool torque, bool friction) {
  double *push = NULL;
  dls_status status = dls_joints_drive(w, w->time);
  const size_t n = (size_t)w->n_bodies * (size_t)DLS_NU(w->dim);
  if (w->n_joints > 0) memset(w->joint_own, 0, 6 * (size_t)w->n_joints * sizeof(double));
  if (status != DLS_OK) return status;
  if (dls_world_is_pushed(w)) {
    push = lend_push(w, n);
    if (!push) return DLS_NOMEM;
    push_springs(w, push);
    dls_joints_push(w, push);
    status = dls_world_push_fields(w, push);
    if (status == DLS_OK) status = dls_penalties_tune(w);
    if (status == DLS_OK) dls_penalties_push(w, torque, friction, push);
    if (dls_penalties_used(w)) w->own_known = true;
  }
  if (status == DLS_OK)
    dls_trees_load(w, push,
                   DLS_LOAD_SPRINGS | DLS_LOAD_MOTORS | (friction ? DLS_LOAD_FRICTION : 0));
  if (push) keep_push(w, push, n);
  dls_trees *t = w->trees;
  for (int i = 0; t->more_tau && i < t->forest->nu; i++) t->state->tau[i] += t->more_tau[i];
  for (int k = 0; k < t->n_links && !torque && status == DLS_OK; k++) {
    const dls_link_info *info = &t->forest->links[k];
    const int index = t->link_joint[k];
    for (int i = 0; index >= 0 && i < info->nu; i++)
      t->state->tau[info->iu + i] -= w->joint_state[index].torque[i];
  }
  return status;
}

static dls_status run(dls_world *w, dls_forest_method method) {
  dls_trees *t = w->trees;
  dls_fault fault = {-1, 0};
  const dls_status status =
      dls_forest_accelerate(t->forest, t->state, method, &t->arena, &fault);
  return dls_trees_keep_fault(w, status, fault);
}

dls_status dls_world_accelerate(dls_world *w, dls_taking_part rows) {
  dls_trees *t = w->trees;
  const bool contacts = rows == DLS_ROWS_ALL;
  const bool held = contacts || rows == DLS_ROWS_OF_JOINTS;
  const dls_forest_method method = (dls_forest_method)t->method;
  t->one_of_more = false;
  w->fault = dls_joints_turn_point(w);
  if (w->fault >= 0) return DLS_SINGULAR;
  dls_status status = dls_world_forces(w, true, rows != DLS_ROWS_ELSEWHERE);
  if (status == DLS_OK && held) status = dls_constrain_saturated(w);
  if (status == DLS_OK) status = run(w, method);
  if (status == DLS_OK && held) status = dls_constrain_accelerations(w, contacts);
  if (status == DLS_OK && held) status = run(w, method);
  if (status != DLS_OK) return status;
  w->own_known = true;
  if (method == DLS_FOREST_FAST) dls_forest_reactions(t->forest, t->state);
  t->known = DLS_KNOWN_ACCELERATION;
  return DLS_OK;
}

dls_status dls_tree_impulse(dls_world *w, int body, dls_vec3 impulse, dls_vec3 angular,
                            const dls_vec3 *at) {
  dls_trees *t = w->trees;
  dls_status status = dls_trees_factor(w);
  if (status != DLS_OK) return status;
  const int link = t->body_link[body];
  if (at) {
    const dls_vec3 arm = dls_v3_sub(*at, dls_forest_link_centre(t->forest, t->state, link));
    angular = dls_v3_add(angular, dls_v3_cross(arm, impulse));
  }
  memset(t->wrench, 0, 6 * (size_t)t->n_links * sizeof(double));
  dls_sp_store(t->wrench + 6 * (size_t)link, (dls_spatial){angular, impulse});
  dls_forest_respond(t->forest, t->state, NULL, t->wrench, t->du);
  for (int i = 0; i < t->forest->nu; i++) t->state->u[i] += t->du[i];
  dls_trees_keep(w);
  dls_forest_move(t->forest, t->state);
  dls_trees_scatter(w, NULL, w->u, false);
  t->known = DLS_KNOWN_NOTHING;
  return DLS_OK;
}
