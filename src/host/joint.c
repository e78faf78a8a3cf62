/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/joints/reactions.h"
#include "core/joints/trees.h"
#include "core/math/quat.h"

/* Joints that are there: coordinates, torques, reactions; how they are made: joint_make.c. */

static int place_of(const delassus_world *host, delassus_joint_id joint) {
  return dls_slots_place(&host->world->joint_slots, joint.index, joint.generation);
}

bool delassus_joint_alive(const delassus_world *world, delassus_joint_id joint) {
  return world && place_of(world, joint) >= 0;
}

delassus_status dls_host_joint_of(delassus_world *host, const char *function, const char *field,
                                  delassus_joint_id joint, int *place) {
  *place = place_of(host, joint);
  if (*place >= 0) return DELASSUS_OK;
  return dls_host_fail(host, DELASSUS_STALE_ID, function, "'%s' is no joint of this world (%d, %u)",
                       field, (int)joint.index, (unsigned)joint.generation);
}

static delassus_status joint_of(delassus_world *host, const char *function,
                                delassus_joint_id joint, int *place) {
  return dls_host_joint_of(host, function, "joint", joint, place);
}

static delassus_status changeable(delassus_world *host, const char *function,
                                  delassus_joint_id joint, int *place) {
  const delassus_status status = dls_host_unlocked(host, function);
  return status == DELASSUS_OK ? joint_of(host, function, joint, place) : status;
}

delassus_status delassus_joint_destroy(delassus_world *world, delassus_joint_id joint) {
  if (!world) return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status = changeable(world, "delassus_joint_destroy", joint, &place);
  if (status == DELASSUS_OK) dls_world_joint_remove(world->world, place);
  return status;
}

/* --- one joint -------------------------------------------------------------------------------- */

delassus_status delassus_joint_state(delassus_world *world, delassus_joint_id joint, double q[7],
                                     int *nq, double u[6], int *nu) {
  if (!dls_host_given(world, "delassus_joint_state", "q", q) ||
      !dls_host_given(world, "delassus_joint_state", "u", u))
    return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status = joint_of(world, "delassus_joint_state", joint, &place);
  if (status != DELASSUS_OK) return status;
  if (nq) *nq = world->world->joints[place].nq;
  if (nu) *nu = world->world->joints[place].nu;
  dls_joint_now(world->world, place, q, u);
  return DELASSUS_OK;
}

delassus_status delassus_joint_set_state(delassus_world *world, delassus_joint_id joint,
                                         const double *q, const double *u) {
  static const char function[] = "delassus_joint_set_state";
  dls_forest_fault fault;
  if (!dls_host_given(world, function, "q", q) || !dls_host_given(world, function, "u", u))
    return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status = changeable(world, function, joint, &place);
  if (status != DELASSUS_OK) return status;
  dls_world *w = world->world;
  const dls_joint *model = &w->joints[place];
  dls_joint_state *state = &w->joint_state[place];
  double unit[7];
  if (model->formulation != DLS_REDUCED)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'joint' must be one of the reduced formulation");
  if (!dls_host_finite(q, model->nq) || !dls_host_finite(u, model->nu))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "'q' and 'u' must be finite");
  memcpy(unit, q, (size_t)model->nq * sizeof *q);
  if (!dls_joint_is_chain(model)) {
    double *turn = model->kind == DLS_KIND_FREE ? unit + 3 : unit;
    if (!(fabs(dls_q_norm(dls_q_load(turn)) - 1) < 1e-6))
      return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                           "'q' must hold a unit quaternion");
    dls_q_store(turn, dls_q_unit(dls_q_load(turn)));
  }
  const dls_undo undo = dls_undo_of_joint(w, place);
  memcpy(state->q, unit, (size_t)model->nq * sizeof *q);
  memcpy(state->u, u, (size_t)model->nu * sizeof *u);
  return dls_host_report(world, dls_trees_follow_change(w, &undo, &fault), function);
}

delassus_status delassus_joint_set_motor(delassus_world *world, delassus_joint_id joint,
                                         double target) {
  static const char function[] = "delassus_joint_set_motor";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status = changeable(world, function, joint, &place);
  if (status != DELASSUS_OK) return status;
  dls_motor *motor = &world->world->joints[place].motor;
  if (motor->kind == DLS_MOTOR_NONE || !dls_is_finite(target))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "%s",
                         motor->kind == DLS_MOTOR_NONE ? "'joint' has no motor"
                                                       : "'target' must be finite");
  motor->target = target;
  return DELASSUS_OK;
}

delassus_status delassus_joint_reaction(delassus_world *world, delassus_joint_id joint,
                                        double force[3], double moment[3]) {
  static const char function[] = "delassus_joint_reaction";
  if (!dls_host_given(world, function, "force", force) ||
      !dls_host_given(world, function, "moment", moment))
    return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status = joint_of(world, function, joint, &place);
  if (status != DELASSUS_OK) return status;
  if (!dls_joint_reaction(world->world, place, force, moment))
    return dls_host_fail(world, DELASSUS_NOT_KNOWN, function, "reactions are known after a step");
  return DELASSUS_OK;
}

delassus_status delassus_joint_drive_force(delassus_world *world, delassus_joint_id joint,
                                           double *force) {
  static const char function[] = "delassus_joint_drive_force";
  if (!dls_host_given(world, function, "force", force)) return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status = joint_of(world, function, joint, &place);
  if (status != DELASSUS_OK) return status;
  const dls_joint *model = &world->world->joints[place];
  double out;
  if (model->n_motions != 1 || model->n_driven != 1)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'joint' is no driven joint of one degree");
  if (!dls_joint_drive_force(world->world, place, &out))
    return dls_host_fail(world, DELASSUS_NOT_KNOWN, function,
                         "what a drive needs is known after a step");
  *force = out;
  return DELASSUS_OK;
}

delassus_status delassus_joint_violation(delassus_world *world, delassus_joint_id joint,
                                         double *distance, double *angle) {
  double apart[2];
  if (!dls_host_given(world, "delassus_joint_violation", "distance", distance) ||
      !dls_host_given(world, "delassus_joint_violation", "angle", angle))
    return DELASSUS_BAD_ARGUMENT;
  int place = 0;
  const delassus_status status = joint_of(world, "delassus_joint_violation", joint, &place);
  if (status != DELASSUS_OK) return status;
  dls_joint_violation(world->world, place, apart);
  *distance = apart[0], *angle = apart[1];
  return DELASSUS_OK;
}

/* --- all joints at once ----------------------------------------------------------------------- */

void delassus_world_joint_counts(const delassus_world *world, int *nq, int *nu) {
  const dls_world *w = world ? world->world : NULL;
  int n_q = 0, n_u = 0;
  for (int i = 0; w && i < w->n_joints; i++)
    if (w->joints[i].alive) n_q += w->joints[i].nq, n_u += w->joints[i].nu;
  if (nq) *nq = n_q;
  if (nu) *nu = n_u;
}

delassus_status delassus_world_joint_states(delassus_world *world, double *q, int nq, double *u,
                                            int nu) {
  int n_q, n_u;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  const dls_world *w = world->world;
  delassus_world_joint_counts(world, &n_q, &n_u);
  if ((q && nq != n_q) || (u && nu != n_u))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, "delassus_world_joint_states",
                         "'q' must hold %d and 'u' %d numbers, got %d and %d", n_q, n_u, nq, nu);
  for (int i = 0; i < w->joint_slots.n; i++) {
    const int place = w->joint_slots.slot[i].place;
    double now[7], rates[6];
    if (place < 0) continue;
    const dls_joint *joint = &w->joints[place];
    dls_joint_now(w, place, now, rates);
    if (q) memcpy(q, now, (size_t)joint->nq * sizeof *q), q += joint->nq;
    if (u) memcpy(u, rates, (size_t)joint->nu * sizeof *u), u += joint->nu;
  }
  return DELASSUS_OK;
}

delassus_status delassus_world_set_torques(delassus_world *world, const double *torques, int nu) {
  static const char function[] = "delassus_world_set_torques";
  int n_u;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  dls_world *w = world->world;
  const delassus_status status = dls_host_unlocked(world, function);
  if (status != DELASSUS_OK) return status;
  delassus_world_joint_counts(world, NULL, &n_u);
  if (n_u > 0 && !dls_host_given(world, function, "torques", torques))
    return DELASSUS_BAD_ARGUMENT;
  if (nu != n_u || !dls_host_finite(torques, nu))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'torques' must hold %d finite numbers, got %d", n_u, nu);
  for (int i = 0; i < w->joint_slots.n; i++) {
    const int place = w->joint_slots.slot[i].place;
    if (place < 0) continue;
    memcpy(w->joint_state[place].torque, torques, (size_t)w->joints[place].nu * sizeof *torques);
    torques += w->joints[place].nu;
  }
  return DELASSUS_OK;
}
